// Conditions on rows: comparisons of columns with numbers, words and percentiles, joined by and, or and not.
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
  std::string word{};                  // compared as text, unless both sides are numbers
  std::optional<double> number{};      // of the word
  std::optional<double> percentile{};  // in (0, 100), in place of a word
};

// A value that is missing makes a comparison unknown: neither true nor false. `x or unknown` is true if x is, `x and
// unknown` is false if x is not, all else is unknown.
enum class Truth : std::uint8_t { no, unknown, yes };

// The steps of a condition, behind their operands: a comparison's place, or one of these.
enum Step : std::int32_t { step_and = -1, step_or = -2, step_not = -3 };

struct ConditionOptions {
  std::vector<Comparison> comparisons{};
  std::vector<std::int32_t> steps{};
};

// Percentiles are those of the stream so far. They are asked anew when the stream has grown by a fixed share, so that
// the answer depends on the rows alone and not on how they arrive.
class Condition {
 public:
  Condition() = default;
  // `steps` are well formed, with one result; empty: all comparisons must hold. `bytes` for each percentile's sketch.
  Condition(std::vector<Comparison> comparisons, std::vector<std::int32_t> steps, std::size_t bytes,
            std::uint64_t seed);

  std::size_t size() const { return comparisons_.size(); }
  const Comparison& comparison(std::size_t i) const { return comparisons_[i]; }
  double threshold(std::size_t i) const { return thresholds_[i]; }  // NaN before the first value

  // Start a row, give it the values its columns have, and ask. A number that cannot be read is an
  // std::invalid_argument.
  void start_row();
  void set(std::size_t i, std::string_view word, std::optional<double> number);
  Truth truth() const;

  void observe();  // takes the row's values into the percentiles
  void refresh();  // asks the sketches for the percentiles, now
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
  std::vector<std::int32_t> sketch_of_;  // of each comparison; -1: none
  std::vector<Value> row_;
  std::uint64_t n_observed_ = 0, next_refresh_ = 1;
};

}  // namespace wmsketch
