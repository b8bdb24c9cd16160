// How often an item was seen in each of two streams, and what both brought.
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

// All that was seen of two streams, a and b. With a half-life the latest row counts for `unit` and not for 1.
struct DeltoidTotals {
  std::array<double, 2> amounts{};
  std::array<double, 2> rows{};
  double unit = 1;

  // Both streams are to weigh as much as the shorter one has rows: what an amount of each counts for. Nothing, where
  // one of them brought nothing.
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
      require_state(amounts[s] >= 0 && rows[s] >= 0 && std::isfinite(amounts[s] + rows[s]), "a total of a stream");
    require_state(unit > 0 && std::isfinite(unit), "the unit of the totals");
    require_state(std::isfinite(scales()[0] + scales()[1]), "what a row counts for");
  }
};

// Of streams a and b, since the item is counted. Without weights, amounts are the rows.
struct PairCount {
  std::array<std::uint32_t, 2> rows{};
  std::array<double, 2> amounts{};
  std::array<double, 2> squares{};   // sums of squared amounts: amounts^2 / squares is the number of rows that tell
  std::array<double, 2> missed{};    // at most so much came before the item was counted
  std::array<double, 2> rounding{};  // how far off an amount may be that is not held exactly (95 %)

  // log(rate in a / rate in b) of what was counted, one row added to both: the weight that the logistic loss of it, and
  // of one row of each stream, is least at.
  double log_ratio(const DeltoidTotals& totals) const {
    const auto scales = totals.scales();
    return std::log((1 + scales[0] * amounts[0]) / (1 + scales[1] * amounts[1]));
  }

  // Rows of the longer stream weigh less, so fewer of them count as evidence.
  double variance(const DeltoidTotals& totals) const {
    const double least = std::min(totals.rows[0], totals.rows[1]);
    double sum = 0;
    for (std::size_t s = 0; s < 2; ++s) {
      const double n = squares[s] > 0 ? amounts[s] * amounts[s] / squares[s] : 0.0;
      sum += 1.0 / (0.5 + n * least / std::max(1.0, totals.rows[s]));
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
