// How often an item was seen in each of two streams, and what both brought meanwhile.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>

#include "wmsketch/saturating.hpp"
#include "wmsketch/sparse_row.hpp"
#include "wmsketch/table_hash.hpp"

namespace wmsketch {

// All that was seen of two streams, a and b.
struct DeltoidTotals {
  std::array<double, 2> amounts{};
  std::array<std::uint64_t, 2> rows{};

  // Both streams are to weigh as much as the shorter one has rows: what an amount of each counts for, of those that
  // came after `since`. Nothing, where one of them brought nothing since then.
  std::array<double, 2> scales(const std::array<double, 2>& since) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < 2; ++s)
      least = amounts[s] > since[s]
                  ? std::min(least, (amounts[s] - since[s]) * static_cast<double>(rows[s]) / amounts[s])
                  : 0.0;
    return {least > 0 ? least / (amounts[0] - since[0]) : 0.0, least > 0 ? least / (amounts[1] - since[1]) : 0.0};
  }
};

// Of streams a and b, since the item is counted. Without weights, amounts are the rows.
struct PairCount {
  std::array<std::uint32_t, 2> rows{};
  std::array<double, 2> amounts{};
  std::array<double, 2> squares{};  // sums of squared amounts: amounts^2 / squares is the number of rows that tell
  std::array<double, 2> since{};    // the totals when counting began

  // log(rate in a / rate in b), one row added to both: the weight that the logistic loss of all that was counted, and
  // of one row of each stream, is least at.
  double log_ratio(const DeltoidTotals& totals) const {
    const auto scales = totals.scales(since);
    return std::log((1 + scales[0] * amounts[0]) / (1 + scales[1] * amounts[1]));
  }

  // Rows of the longer stream weigh less, so fewer of them count as evidence.
  double variance(const DeltoidTotals& totals) const {
    const auto least = static_cast<double>(std::min(totals.rows[0], totals.rows[1]));
    double sum = 0;
    for (std::size_t s = 0; s < 2; ++s) {
      const double n = squares[s] > 0 ? amounts[s] * amounts[s] / squares[s] : 0.0;
      sum += 1.0 / (0.5 + n * least / std::max<double>(1.0, static_cast<double>(totals.rows[s])));
    }
    return sum;
  }
};

// Every item, for the reference without a limit.
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
