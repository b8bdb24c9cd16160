// Counts in two streams for a bounded number of items, with bounds on what each may have missed.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "wmsketch/apps/diff/diff_counts.hpp"
#include "wmsketch/counters/past_counts.hpp"
#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/normal.hpp"

namespace wmsketch {

// A bound in 8 bits: 5 of exponent, 3 of mantissa, rounded up. The largest code means "no bound".
struct MissedCode {
  static constexpr std::uint8_t kNoBound = 255;
  static double most(std::uint8_t code) {
    if (code == kNoBound) return std::numeric_limits<double>::infinity();
    return code < 8 ? code : std::ldexp(8 + (code & 7), (code >> 3) - 1);
  }
  static std::uint8_t of(double missed) {
    if (missed <= 0) return 0;  // nearly always, if every item has a place
    std::uint8_t low = 0, high = kNoBound;
    while (low < high) {
      const auto middle = static_cast<std::uint8_t>((low + high) / 2);
      if (most(middle) >= missed)
        high = middle;
      else
        low = static_cast<std::uint8_t>(middle + 1);
    }
    return low;
  }
};

// A slot has one count for each stream, and bounds on what it missed before. With `exact`, counts have 32 bits,
// otherwise 16. With `weighted`, it also stores amounts, and the bounds are amounts too.
class PairSlots {
 public:
  using Amounts = PastCounts::Amounts;

  PairSlots(std::uint32_t capacity, bool exact, bool weighted)
      : short_rows_(exact ? 0 : capacity),
        rows_(exact ? capacity : 0),
        codes_(weighted ? 0 : capacity),
        weighted_(weighted ? capacity : 0) {}

  void begin(std::uint32_t slot, const Amounts& missed) {
    set_rows(slot, {});
    if (!weighted()) {
      codes_[slot] = {MissedCode::of(missed[0]), MissedCode::of(missed[1])};
      return;
    }
    weighted_[slot] = {};
    for (std::size_t s = 0; s < 2; ++s) weighted_[slot].missed[s] = PastCounts::up(missed[s]);
  }
  void add(std::uint32_t slot, int side, float amount, Random& random) {
    const auto s = static_cast<std::size_t>(side);
    if (exact())
      rows_[slot][s] = add_saturating(rows_[slot][s], 1);
    else
      short_rows_[slot][s] = ShortCount::next(short_rows_[slot][s], random);
    if (!weighted()) return;
    weighted_[slot].sums[s] += amount;
    weighted_[slot].squares[s] += double{amount} * amount;
  }
  void prefetch(std::uint32_t slot) const {
    if (exact()) __builtin_prefetch(&rows_[slot], 1);
  }
  void move(std::uint32_t from, std::uint32_t to) {
    set_rows(to, {rows(from, 0), rows(from, 1)});
    if (weighted())
      weighted_[to] = weighted_[from];
    else
      codes_[to] = codes_[from];
  }
  // Overwrites a slot with these counts.
  void set(std::uint32_t slot, const PairCount& count) {
    begin(slot, count.missed);
    set_rows(slot, count.rows);
    if (!weighted()) return;
    weighted_[slot].sums = count.amounts;
    weighted_[slot].squares = count.squares;
  }

  std::uint32_t rows(std::uint32_t slot, std::size_t side) const {
    return exact() ? rows_[slot][side] : static_cast<std::uint32_t>(ShortCount::value(short_rows_[slot][side]));
  }
  double amount(std::uint32_t slot, std::size_t side) const {
    return weighted() ? weighted_[slot].sums[side] : rows(slot, side);
  }
  double missed(std::uint32_t slot, std::size_t side) const {
    return weighted() ? weighted_[slot].missed[side] : MissedCode::most(codes_[slot][side]);
  }
  // `most`: the current bound on what was missed of the item. It is also a bound for the time when the slot was filled.
  PairCount count(std::uint32_t slot, const Amounts& most) const {
    PairCount count;
    for (std::size_t s = 0; s < 2; ++s) {
      const bool rounded = !exact() && !weighted() && rows(slot, s) > ShortCount::kExact;
      count.rows[s] = rows(slot, s);
      count.amounts[s] = amount(slot, s);
      count.missed[s] = weighted() ? missed(slot, s) : std::min(missed(slot, s), most[s]);
      count.rounding[s] = rounded ? kDeviations95 * ShortCount::kDeviation * count.amounts[s] : 0.0;
      count.squares[s] =
          weighted() ? weighted_[slot].squares[s]
          : rounded  ? count.amounts[s] * (1 + count.amounts[s] * ShortCount::kDeviation * ShortCount::kDeviation)
                     : count.amounts[s];
    }
    return count;
  }

  void fade(double kept) {  // only amounts fade; row counts merely show that there were some
    for (Weighted& each : weighted_)
      for (std::size_t s = 0; s < 2; ++s) {
        each.sums[s] *= kept;
        each.squares[s] *= kept * kept;
        each.missed[s] = PastCounts::up(each.missed[s] * kept);
      }
  }

  void archive(Archive& archive) {
    archive.fixed("slot_short_rows", short_rows_.empty() ? nullptr : short_rows_[0].data(), 2 * short_rows_.size());
    archive.fixed("slot_rows", rows_.empty() ? nullptr : rows_[0].data(), 2 * rows_.size());
    archive.fixed("slot_missed", codes_.empty() ? nullptr : codes_[0].data(), 2 * codes_.size());
    std::vector<double> amounts;  // sums, squares and bounds of each slot
    for (const Weighted& each : weighted_)
      for (std::size_t s = 0; s < 2; ++s)
        amounts.insert(amounts.end(), {each.sums[s], each.squares[s], each.missed[s]});
    amounts.resize(6 * weighted_.size());
    archive.fixed("slot_amounts", amounts.data(), amounts.size());
    for (std::size_t i = 0; i < amounts.size(); ++i) {
      const bool is_bound = i % 3 == 2;  // a bound is kept as a float, whose range is smaller
      const double kept = is_bound ? double{PastCounts::up(amounts[i])} : amounts[i];
      require_state(kept >= 0 && kept <= kMostAmount, "an amount of an item is negative or too large");
      Weighted& slot = weighted_[i / 6];
      const std::size_t side = i / 3 % 2;
      if (is_bound)
        slot.missed[side] = static_cast<float>(kept);
      else
        (i % 3 == 0 ? slot.sums : slot.squares)[side] = amounts[i];
    }
  }

  bool weighted() const { return codes_.empty(); }
  static std::size_t bytes_for(std::uint32_t capacity, bool exact, bool weighted) {
    return std::size_t{capacity} *
           ((exact ? sizeof(Rows) : sizeof(ShortRows)) + (weighted ? sizeof(Weighted) : sizeof(Codes)));
  }

 private:
  using Rows = std::array<std::uint32_t, 2>;
  using ShortRows = std::array<std::uint16_t, 2>;
  using Codes = std::array<std::uint8_t, 2>;
  struct Weighted {
    Amounts sums{}, squares{};
    std::array<float, 2> missed{};
  };

  bool exact() const { return short_rows_.empty(); }
  void set_rows(std::uint32_t slot, const Rows& rows) {
    if (exact())
      rows_[slot] = rows;
    else
      short_rows_[slot] = {ShortCount::at_most(rows[0]), ShortCount::at_most(rows[1])};
  }

  std::vector<ShortRows> short_rows_;
  std::vector<Rows> rows_;
  std::vector<Codes> codes_;
  std::vector<Weighted> weighted_;
};

}  // namespace wmsketch
