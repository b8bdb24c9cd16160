// Counts rows by which of some conditions they meet, so that the rows of any union of these can be taken out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "wmsketch/apps/explain/explain_columns.hpp"
#include "wmsketch/apps/explain/metric.hpp"
#include "wmsketch/data/row_block.hpp"
#include "wmsketch/readers/condition.hpp"

namespace wmsketch {

// A pattern is a set of conditions, one bit for each; a row counts for the pattern of those that it meets. If there are
// too many patterns, the last condition is given up, and patterns that differ in it alone become one.
class PatternCounts {
 public:
  static constexpr std::size_t kMostConditions = 60;

  struct Options {
    ConditionOptions side{}, where{};  // no `side`: rows have labels
    std::vector<ConditionOptions> conditions{};
    std::vector<MetricTerm> metric{};
    std::size_t most_patterns = 4096;
    NameSecret secret{};
  };
  struct Sums {
    std::array<double, 2> rows{};
    std::array<Metric::Moments, 2> moments{};
  };

  explicit PatternCounts(Options options);
  void learn(const RowBlock& rows);

  const std::map<std::uint64_t, Sums>& patterns() const { return patterns_; }
  std::size_t n_conditions() const { return n_conditions_; }  // those that were not given up
  const Metric& metric() const { return metric_; }
  static std::size_t pattern_bytes() { return sizeof(Sums) + 6 * sizeof(std::uint64_t); }

 private:
  static constexpr std::size_t kColumnBytes = 1 << 20;

  void set_values(const RowBlock& rows, std::size_t row);
  void give_up_one();

  std::vector<Condition> conditions_;  // where, side, then the others
  Metric metric_;
  ExplainColumns columns_;
  std::map<std::uint64_t, Sums> patterns_;
  std::size_t most_patterns_, n_conditions_;
  std::string scratch_;
};

}  // namespace wmsketch
