// Counts in two streams for a bounded number of items, with bounds on what each may have missed.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "wmsketch/apps/diff/deltoids_bounds.hpp"
#include "wmsketch/apps/diff/deltoids_counts.hpp"
#include "wmsketch/data/random.hpp"

namespace wmsketch {

// An approximate count in 14 bits: 5 of exponent, 9 of mantissa (a Morris counter). Exact up to 1023. Above that, an
// increment adds 2^k with probability 2^-k, so the expected value is the true count.
struct FloatCount {
  static constexpr std::uint32_t kBits = 14, kMask = (1u << kBits) - 1, kExact = 1023;
  static constexpr double kEffectiveRows = 1475;  // 2 ln 2 * 1024: the effective sample size of a large count
  static constexpr double kDeviation =
      0.026038;  // relative standard deviation of a large count: 1 / sqrt(kEffectiveRows)

  static std::uint64_t value(std::uint32_t code) {
    const std::uint32_t exponent = code >> 9, mantissa = code & 511u;
    return exponent == 0 ? mantissa : std::uint64_t{512 + mantissa} << (exponent - 1);
  }
  static std::uint32_t next(std::uint32_t code, Random& random) {
    const std::uint32_t exponent = code >> 9;
    if (code == kMask) return code;
    if (exponent > 1 && random.next() >> (65 - exponent) != 0) return code;
    return code + 1;
  }
  static std::uint32_t code_of(std::uint64_t count) {  // the largest code whose value does not exceed `count`
    std::uint32_t low = 0, high = kMask;
    while (low < high) {
      const std::uint32_t middle = (low + high + 1) / 2;
      if (value(middle) <= count)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }
};

// A bound in 4 bits: zero, a power of four, or no bound.
struct MissedCode {
  static constexpr std::uint32_t kNoBound = 15;
  static double most(std::uint32_t code) {
    return code == 0          ? 0.0
           : code == kNoBound ? std::numeric_limits<double>::infinity()
                              : static_cast<double>(std::uint32_t{1} << (2 * (code - 1)));
  }
  static std::uint32_t of(double missed) {
    std::uint32_t code = 0;
    while (code < kNoBound && most(code) < missed) ++code;
    return code;
  }
};

// A slot has one count for each stream, and bounds on what it missed before. With `exact`, counts have 32 bits and
// there are two bounds. Otherwise counts have 14 bits and share one bound of 4 bits. With `weighted`, it also stores
// amounts.
class PairSlots {
 public:
  using Amounts = PairBounds::Amounts;

  PairSlots(std::uint32_t capacity, bool exact, bool weighted)
      : capacity_(capacity),
        words_(exact ? 0 : capacity),
        rows_(exact ? capacity : 0),
        missed_(exact ? capacity : 0),
        sums_(weighted ? capacity : 0),
        squares_(weighted ? capacity : 0) {}

  std::uint32_t capacity() const { return capacity_; }

  void begin(std::uint32_t slot, const Amounts& missed) {
    if (rows_.empty()) {
      words_[slot] = MissedCode::of(std::max(missed[0], missed[1])) << (2 * FloatCount::kBits);
    } else {
      rows_[slot] = {};
      missed_[slot] = {PairBounds::up(missed[0]), PairBounds::up(missed[1])};
    }
    if (weighted()) sums_[slot] = squares_[slot] = {};
  }
  void add(std::uint32_t slot, int side, float amount, Random& random) {
    const auto s = static_cast<std::size_t>(side);
    if (rows_.empty()) {
      const std::uint32_t shift = side == 0 ? 0 : FloatCount::kBits, code = (words_[slot] >> shift) & FloatCount::kMask;
      words_[slot] += (FloatCount::next(code, random) - code) << shift;
    } else {
      rows_[slot][s] = add_saturating(rows_[slot][s], 1);
    }
    if (!weighted()) return;
    sums_[slot][s] += amount;
    squares_[slot][s] += double{amount} * amount;
  }
  void move(std::uint32_t from, std::uint32_t to) {
    const auto take = [&](auto& all) {
      if (!all.empty()) all[to] = all[from];
    };
    take(words_);
    take(rows_);
    take(missed_);
    take(sums_);
    take(squares_);
  }
  // Overwrites a slot with these counts.
  void set(std::uint32_t slot, const PairCount& count) {
    begin(slot, count.missed);
    for (std::size_t s = 0; s < 2; ++s) {
      if (rows_.empty())
        words_[slot] |= FloatCount::code_of(count.rows[s]) << (s * FloatCount::kBits);
      else
        rows_[slot][s] = count.rows[s];
      if (weighted()) {
        sums_[slot][s] = count.amounts[s];
        squares_[slot][s] = count.squares[s];
      }
    }
  }

  std::uint64_t rows(std::uint32_t slot, std::size_t side) const {
    return rows_.empty() ? FloatCount::value((words_[slot] >> (side * FloatCount::kBits)) & FloatCount::kMask)
                         : rows_[slot][side];
  }
  double amount(std::uint32_t slot, std::size_t side) const {
    return weighted() ? sums_[slot][side] : static_cast<double>(rows(slot, side));
  }
  // `most`: the current bound on what was missed of the item. It is also a bound for the time when the slot was filled.
  PairCount count(std::uint32_t slot, const Amounts& most) const {
    PairCount count;
    for (std::size_t s = 0; s < 2; ++s) {
      const std::uint64_t n = rows(slot, s);
      const bool rounded = rows_.empty() && !weighted() && n > FloatCount::kExact;
      count.rows[s] = add_saturating(std::uint32_t{0}, n);
      count.amounts[s] = amount(slot, s);
      count.missed[s] = rows_.empty() ? std::min(MissedCode::most(words_[slot] >> (2 * FloatCount::kBits)), most[s])
                                      : double{missed_[slot][s]};
      count.rounding[s] = rounded ? 1.96 * FloatCount::kDeviation * count.amounts[s] : 0.0;
      count.squares[s] = weighted() ? squares_[slot][s]
                         : rounded  ? count.amounts[s] * (1 + count.amounts[s] / FloatCount::kEffectiveRows)
                                    : count.amounts[s];
    }
    return count;
  }

  void fade(double kept) {  // only amounts fade; row counts merely show that there were some
    for (Amounts& sums : sums_)
      for (double& sum : sums) sum *= kept;
    for (Amounts& squares : squares_)
      for (double& square : squares) square *= kept * kept;
    for (auto& missed : missed_)
      for (float& most : missed) most = PairBounds::up(most * kept);
  }

  void archive(Archive& archive) {
    archive.fixed("slot_words", words_.data(), words_.size());
    archive.fixed("slot_rows", rows_.empty() ? nullptr : rows_[0].data(), 2 * rows_.size());
    archive.fixed("slot_missed", missed_.empty() ? nullptr : missed_[0].data(), 2 * missed_.size());
    archive.fixed("slot_sums", sums_.empty() ? nullptr : sums_[0].data(), 2 * sums_.size());
    archive.fixed("slot_squares", squares_.empty() ? nullptr : squares_[0].data(), 2 * squares_.size());
    for (const auto& missed : missed_)
      require_state(missed[0] >= 0 && missed[1] >= 0, "the bound on what a count missed is negative");
    for (const auto* amounts : {&sums_, &squares_})
      for (const Amounts& each : *amounts)
        require_state(each[0] >= 0 && each[1] >= 0 && std::isfinite(each[0] + each[1]),
                      "an amount of an item is negative or not finite");
  }

  bool weighted() const { return !sums_.empty(); }
  static std::size_t bytes_for(std::uint32_t capacity, bool exact, bool weighted) {
    const std::size_t counts = exact ? 2 * (sizeof(std::uint32_t) + sizeof(float)) : sizeof(std::uint32_t);
    return std::size_t{capacity} * (counts + (weighted ? 2 * sizeof(Amounts) : 0));
  }

 private:
  std::uint32_t capacity_;
  std::vector<std::uint32_t> words_;
  std::vector<std::array<std::uint32_t, 2>> rows_;
  std::vector<std::array<float, 2>> missed_;
  std::vector<Amounts> sums_, squares_;
};

}  // namespace wmsketch
