// Counts of an item in each of two streams, and the totals of both.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/saturating.hpp"
#include "wmsketch/data/sparse_row.hpp"
#include "wmsketch/data/table_hash.hpp"

namespace wmsketch {

// No stream comes near it, and the product of an amount and a scale stays finite.
inline constexpr double kMostAmount = 1e150;

// Totals of streams a and b. With a half-life, the latest row counts `unit` instead of 1.
struct DiffTotals {
  std::array<double, 2> amounts{};
  std::array<double, 2> rows{};
  double unit = 1;

  // The weight of an amount of 1 in each stream. Both streams get the total weight of the shorter one's number of rows.
  // 0 if a stream is empty.
  std::array<double, 2> scales() const {
    const double least = std::min(rows[0], rows[1]) / unit;
    return {amounts[0] > 0 ? least / amounts[0] : 0.0, amounts[1] > 0 ? least / amounts[1] : 0.0};
  }
  void fade(double kept) {
    for (std::size_t s = 0; s < 2; ++s) {
      amounts[s] *= kept;
      rows[s] *= kept;
    }
    unit *= kept;
  }
  void archive(Archive& archive) {
    archive.fixed("total_amounts", amounts.data(), 2);
    archive.fixed("total_rows", rows.data(), 2);
    archive.value("unit", unit);
    for (std::size_t s = 0; s < 2; ++s)
      require_state(amounts[s] >= 0 && rows[s] >= 0 && amounts[s] + rows[s] <= kMostAmount,
                    "a total of a stream is negative or too large");
    require_state(unit > 0 && std::isfinite(unit), "the unit of the totals is not positive and finite");
    require_state(scales()[0] + scales()[1] <= kMostAmount, "the weight of a row is too large");
  }
};

// Counts in streams a and b since the item entered. Without weights, amounts are numbers of rows.
struct PairCount {
  std::array<std::uint32_t, 2> rows{};
  std::array<double, 2> amounts{};
  std::array<double, 2> squares{};   // sums of squared amounts: amounts^2 / squares is the effective sample size
  std::array<double, 2> missed{};    // upper bound on the amount before the item was counted
  std::array<double, 2> rounding{};  // 95 % error of amounts that are stored approximately

  // log(rate in a / rate in b), with one row added to both. This weight minimises the logistic loss over these rows and
  // one more row of each stream.
  double log_ratio(const DiffTotals& totals) const {
    const auto scales = totals.scales();
    return std::log((1 + scales[0] * amounts[0]) / (1 + scales[1] * amounts[1]));
  }

  // Variance of log_ratio. Rows of the longer stream have a smaller weight, so they count as fewer rows of evidence.
  double variance(const DiffTotals& totals) const {
    const double least = std::min(totals.rows[0], totals.rows[1]);
    double sum = 0;
    for (std::size_t s = 0; s < 2; ++s) {
      const double n = squares[s] > 0 ? amounts[s] * amounts[s] / squares[s] : 0.0;
      sum += 1.0 / (0.5 + n * least / std::max(1.0, totals.rows[s]));
    }
    return sum;
  }
};

// Counts every item, for the reference without a memory limit.
class ExactPairCounter {
 public:
  void add(Key key, int side, float amount) {
    const auto s = static_cast<std::size_t>(side);
    PairCount& count = counts_[key];
    count.rows[s] = add_saturating(count.rows[s], 1);
    count.amounts[s] += amount;
    count.squares[s] += double{amount} * amount;
  }
  std::optional<PairCount> find(Key key) const {
    const auto found = counts_.find(key);
    return found == counts_.end() ? std::nullopt : std::optional(found->second);
  }
  std::uint64_t size() const { return counts_.size(); }
  std::size_t nbytes() const {
    return counts_.size() * (sizeof(Key) + sizeof(PairCount) + sizeof(void*)) + counts_.bucket_count() * sizeof(void*);
  }

 private:
  std::unordered_map<Key, PairCount, SeededHash> counts_;
};

}  // namespace wmsketch
