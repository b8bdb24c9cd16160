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

  void observe();  // adds the values of the row to the percentiles, unless they are held
  void refresh();  // recomputes the percentiles from the sketches, unless they are held
  // For comparisons with percentiles, in their order: their thresholds, and their values in this row.
  std::vector<double> percentiles() const;
  void hold(const std::vector<double>& percentiles);
  void release() { held_ = false; }
  bool held() const { return held_; }
  bool compares_numbers(std::size_t i) const {
    const auto op = comparisons_[i].op;
    return op != Comparison::Operator::equal && op != Comparison::Operator::unequal &&
           op != Comparison::Operator::missing;
  }
  template <class Add>
  void each_percentile_number(Add add) const {
    for (std::size_t i = 0; i < comparisons_.size(); ++i)
      if (sketch_of_[i] >= 0 && row_[i].set) add(static_cast<std::size_t>(sketch_of_[i]), row_[i].number);
  }
  void add_to_percentiles();  // adds the values of the row to the sketches, also while the percentiles are held
  std::size_t nbytes() const;
  void archive(Archive& archive, const std::string& name);

 private:
  struct Value {
    bool set = false, equal = false;  // equal: for == and !=
    bool met_number = false;          // in this row or before
    std::uint8_t n_odd = 0;           // values before the first number that are none
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
  bool held_ = false;
};

}  // namespace wmsketch
