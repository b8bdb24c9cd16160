// Mean and deviation of each column of numbers in a stream, and values measured by them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "wmsketch/row_block.hpp"
#include "wmsketch/table_hash.hpp"

namespace wmsketch {

// A value becomes (value - mean) / deviation, by the values up to and including itself (Welford), or by all that were
// learned where nothing more is. A column without a deviation, or without a value so far, becomes 0. Columns beyond
// kMostColumns stay as they are: keys of JSON may be data.
class NumberScales {
 public:
  static constexpr std::size_t kMostColumns = 1 << 10;

  struct Column {
    std::uint64_t count = 0;
    double mean = 0, squares = 0;  // the sum of squared distances from the mean

    void add(double value);
    void add(const Column& other);  // as if its values had come here
    float scaled(double value) const;
  };
  using Named = std::pair<std::string, Column>;

  // Replace the values of the block's numbers. A row whose weight is 0 is not learned from; `weights`, unless empty,
  // stand in for those of the block.
  void learn(RowBlock& block, std::span<const float> weights = {});
  void apply(RowBlock& block) const;

  // Join what is known of a column elsewhere.
  void join(std::string_view name, const Column& column);
  const std::vector<Named>& columns() const { return columns_; }  // in the order of their first values

 private:
  std::vector<Named> columns_;
  std::unordered_map<std::string, std::size_t, SeededHash> places_;
};

}  // namespace wmsketch
