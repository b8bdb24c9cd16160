// Conditions on rows: comparisons of columns with numbers, words and percentiles, combined by and, or and not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wmsketch/counters/quantile_sketch.hpp"
#include "wmsketch/data/archive.hpp"

namespace wmsketch {

struct Comparison {
  enum class Operator : std::uint8_t { less, at_most, more, at_least, equal, unequal, missing };

  std::string column;
  Operator op;
  std::string word{};                  // compared as text unless both sides are numbers
  std::optional<double> number{};      // the word as a number
  std::optional<double> percentile{};  // in (0, 100), used instead of a word
};

// A missing value makes a comparison unknown: neither true nor false. As in SQL, `true or unknown` is true, `false and
// unknown` is false, and everything else with unknown is unknown.
enum class Truth : std::uint8_t { no, unknown, yes };

// The steps of a condition in postfix order: the index of a comparison, or one of these operators.
enum Step : std::int32_t { step_and = -1, step_or = -2, step_not = -3 };

struct ConditionOptions {
  std::vector<Comparison> comparisons{};
  std::vector<std::int32_t> steps{};
};

// Percentiles are those of the stream so far. They are refreshed each time the stream has grown by a fixed factor, so
// the result depends on the rows alone and not on how they are split into blocks.
class Condition {
 public:
  Condition() = default;
  // `steps` must be well formed and leave one result. Empty: all comparisons must hold. `bytes` is the size of each
  // percentile's sketch.
  Condition(std::vector<Comparison> comparisons, std::vector<std::int32_t> steps, std::size_t bytes,
            std::uint64_t seed);

  std::size_t size() const { return comparisons_.size(); }
  const Comparison& comparison(std::size_t i) const { return comparisons_[i]; }
  double threshold(std::size_t i) const { return thresholds_[i]; }  // NaN before the first value

  // For each row, call start_row, set the values of its columns, then truth. Throws std::invalid_argument for a number
  // that cannot be parsed.
  void start_row();
  void set(std::size_t i, std::string_view word, std::optional<double> number);
  Truth truth() const;

  void observe();  // adds the values of the row to the percentiles
  void refresh();  // recomputes the percentiles from the sketches
  std::size_t nbytes() const;
  void archive(Archive& archive, const std::string& name);

 private:
  struct Value {
    bool set = false, equal = false;  // equal: for == and !=
    double number = 0;
  };
  Truth truth_of(std::size_t i) const;

  std::vector<Comparison> comparisons_;
  std::vector<std::int32_t> steps_;
  std::vector<double> thresholds_;
  std::vector<QuantileSketch> sketches_;
  std::vector<std::int32_t> sketch_of_;  // for each comparison; -1: none
  std::vector<Value> row_;
  std::uint64_t n_observed_ = 0, next_refresh_ = 1;
};

}  // namespace wmsketch
