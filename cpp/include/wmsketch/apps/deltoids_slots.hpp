// Counts of two streams for a bounded number of items, in four bytes each, and when counting each of them began.
#pragma once

#include <limits>
#include <vector>

#include "wmsketch/apps/deltoids_counts.hpp"
#include "wmsketch/random.hpp"

namespace wmsketch {

// A count in 14 bits: 5 of an exponent, 9 of a mantissa. Exact up to 1023; above that a step is 2^k and is taken with
// the chance 2^-k, so that the expected value is the true count.
struct FloatCount {
  static constexpr std::uint32_t kBits = 14, kMask = (1u << kBits) - 1;
  static constexpr double kRowsThatTell = 1475;  // 2 ln 2 * 1024: a count cannot tell more than so many rows would

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
};

// Points on the way of both totals, at which counting may have begun; a few of them tell the way. An item whose point
// is given up counts as begun at the one before: which points are kept does not matter where both streams come in
// proportion, and else those stay whose loss would favour one stream most.
class DeltoidMarks {
 public:
  static constexpr std::uint32_t kMost = 16, kNone = kMost;

  std::uint32_t latest() const { return size_ - 1; }
  std::array<double, 2> operator[](std::uint32_t mark) const { return {points_[mark][0], points_[mark][1]}; }
  bool is_due(const DeltoidTotals& totals) const {
    const Point& last = points_[latest()];
    return totals.amounts[0] + totals.amounts[1] > (1 + kGrowth) * (double{last[0]} + last[1]);
  }
  // Returns the mark that had to go, if any: later ones have moved down by one.
  std::uint32_t add(const DeltoidTotals& totals) {
    const Point now{static_cast<float>(totals.amounts[0]), static_cast<float>(totals.amounts[1])};
    const std::uint32_t gone = size_ == kMost ? least_missed(now) : kNone;
    if (gone != kNone) {
      std::copy(points_.begin() + gone + 1, points_.end(), points_.begin() + gone);
      --size_;
    }
    points_[size_++] = now;
    return gone;
  }

 private:
  using Point = std::array<float, 2>;
  static constexpr double kGrowth = 1.0 / 16;

  std::uint32_t least_missed(const Point& now) const {
    std::uint32_t found = 1;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t i = 1; i < kMost; ++i) {
      const auto share = [&](std::size_t s) {  // of what came after the point before, how much came before this one
        const double after = double{now[s]} - points_[i - 1][s];
        return after > 0 ? (double{points_[i][s]} - points_[i - 1][s]) / after : 0.0;
      };
      const double favour = std::abs(share(0) - share(1));
      if (favour < least) {
        least = favour;
        found = i;
      }
    }
    return found;
  }

  std::array<Point, kMost> points_{};  // the first: nothing of either
  std::uint32_t size_ = 1;
};

// A slot has two counts and the mark at which its counting began; with `exact`, counts of 32 bits and the very totals
// in their place, and with `weighted`, also amounts.
class PairSlots {
 public:
  PairSlots(std::uint32_t capacity, bool exact, bool weighted)
      : words_(exact ? 0 : capacity), exact_(exact ? capacity : 0), amounts_(weighted ? capacity : 0) {}

  std::uint32_t capacity() const { return static_cast<std::uint32_t>(words_.size() + exact_.size()); }
  bool used(std::uint32_t slot) const { return rows(slot, 0) + rows(slot, 1) > 0; }

  // Counts are those from here on and know nothing of why the item was let in.
  void begin(std::uint32_t slot) {
    if (exact_.empty())
      words_[slot] = marks_.latest() << (2 * FloatCount::kBits);
    else
      exact_[slot] = {{}, now_};
    if (!amounts_.empty()) amounts_[slot] = {};
  }
  void add(std::uint32_t slot, int side, float amount, Random& random) {
    const auto s = static_cast<std::size_t>(side);
    if (exact_.empty()) {
      const std::uint32_t shift = side == 0 ? 0 : FloatCount::kBits, code = (words_[slot] >> shift) & FloatCount::kMask;
      words_[slot] += (FloatCount::next(code, random) - code) << shift;
    } else {
      exact_[slot].rows[s] = add_saturating(exact_[slot].rows[s], 1);
    }
    if (amounts_.empty()) return;
    amounts_[slot].sums[s] += amount;
    amounts_[slot].squares[s] += double{amount} * amount;
  }

  std::uint64_t rows(std::uint32_t slot, std::size_t side) const {
    return exact_.empty() ? FloatCount::value((words_[slot] >> (side * FloatCount::kBits)) & FloatCount::kMask)
                          : exact_[slot].rows[side];
  }
  double amount(std::uint32_t slot, std::size_t side) const {
    return amounts_.empty() ? static_cast<double>(rows(slot, side)) : amounts_[slot].sums[side];
  }
  // Counting began at a mark or later, but before the next one (unless less came since then than was counted): of the
  // two, what makes the streams differ less.
  PairCount count(std::uint32_t slot, const DeltoidTotals& totals) const {
    const PairCount count = this->count(slot);
    if (!exact_.empty()) return count;
    const std::uint32_t next = (words_[slot] >> (2 * FloatCount::kBits)) + 1;
    PairCount later = count;
    later.since = next <= marks_.latest() ? marks_[next] : std::array<double, 2>{now_[0], now_[1]};
    for (std::size_t s = 0; s < 2; ++s)
      if (totals.amounts[s] - later.since[s] < count.amounts[s]) return count;
    return std::abs(later.log_ratio(totals)) < std::abs(count.log_ratio(totals)) ? later : count;
  }

  // The totals before what comes next; `turn`: from here on one stream comes alone, or no longer alone.
  void see(const DeltoidTotals& totals, bool turn) {
    now_ = {static_cast<float>(totals.amounts[0]), static_cast<float>(totals.amounts[1])};
    if (!exact_.empty() || (!turn && !marks_.is_due(totals))) return;
    const std::uint32_t gone = marks_.add(totals);
    if (gone == DeltoidMarks::kNone) return;
    for (std::uint32_t& word : words_)
      if (word >> (2 * FloatCount::kBits) >= gone) word -= 1u << (2 * FloatCount::kBits);
  }

  bool weighted() const { return !amounts_.empty(); }
  static std::size_t bytes_for(std::uint32_t capacity, bool exact, bool weighted) {
    return sizeof marks_ + sizeof now_ +
           std::size_t{capacity} * ((exact ? sizeof(Exact) : sizeof(std::uint32_t)) + (weighted ? sizeof(Amounts) : 0));
  }

 private:
  static_assert(DeltoidMarks::kMost <= 1u << (32 - 2 * FloatCount::kBits));

  PairCount count(std::uint32_t slot) const {
    PairCount count;
    if (exact_.empty())
      count.since = marks_[words_[slot] >> (2 * FloatCount::kBits)];
    else
      count.since = {exact_[slot].since[0], exact_[slot].since[1]};
    for (std::size_t s = 0; s < 2; ++s) {
      const std::uint64_t n = rows(slot, s);
      count.rows[s] = add_saturating(std::uint32_t{0}, n);
      count.amounts[s] = amount(slot, s);
      const bool rounded = exact_.empty() && n > 1023;
      count.squares[s] = !amounts_.empty() ? amounts_[slot].squares[s]
                         : rounded         ? count.amounts[s] * (1 + count.amounts[s] / FloatCount::kRowsThatTell)
                                           : count.amounts[s];
    }
    return count;
  }

  struct Exact {
    std::array<std::uint32_t, 2> rows{};
    std::array<float, 2> since{};
  };
  struct Amounts {
    std::array<double, 2> sums{};
    std::array<double, 2> squares{};
  };

  std::vector<std::uint32_t> words_;
  std::vector<Exact> exact_;
  std::vector<Amounts> amounts_;
  std::array<float, 2> now_{};
  DeltoidMarks marks_;
};

}  // namespace wmsketch
