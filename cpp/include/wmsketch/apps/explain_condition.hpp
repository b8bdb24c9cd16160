// Which rows are outliers: comparisons of columns with numbers, words and percentiles, all of which must hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wmsketch/apps/explain_quantiles.hpp"

namespace wmsketch {

struct Comparison {
  enum class Operator : std::uint8_t { less, at_most, more, at_least, equal, unequal };

  std::string column;
  Operator op;
  std::string word{};                  // compared as text, unless both sides are numbers
  std::optional<double> number{};      // of the word
  std::optional<double> percentile{};  // in (0, 100), in place of a word
};

// Percentiles are those of the stream so far. They are asked anew when the stream has grown by a fixed share, so that
// the answer depends on the rows alone and not on how they arrive.
class Condition {
 public:
  // `bytes` are shared by the sketches of the percentiles.
  Condition(std::vector<Comparison> comparisons, std::size_t bytes, std::uint64_t seed);

  std::size_t size() const { return comparisons_.size(); }
  const Comparison& comparison(std::size_t i) const { return comparisons_[i]; }
  double threshold(std::size_t i) const { return thresholds_[i]; }  // NaN before the first value

  // Start a row, give it the values its columns have, and ask. A number that cannot be read is an
  // std::invalid_argument.
  void start_row();
  void set(std::size_t i, std::string_view word, std::optional<double> number);
  bool complete() const { return n_set_ == comparisons_.size(); }
  bool holds() const;

  void observe();  // takes the row's values into the percentiles
  void refresh();  // asks the sketches for the percentiles, now
  std::size_t nbytes() const;

 private:
  struct Value {
    bool set;
    double number;
    bool equal;  // for == and !=
  };

  std::vector<Comparison> comparisons_;
  std::vector<double> thresholds_;
  std::vector<QuantileSketch> sketches_;
  std::vector<std::int32_t> sketch_of_;  // of each comparison; -1: none
  std::vector<Value> row_;
  std::size_t n_set_ = 0;
  std::uint64_t n_observed_ = 0, next_refresh_ = 1;
};

}  // namespace wmsketch
