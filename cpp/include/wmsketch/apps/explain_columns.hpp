// The columns of a stream of rows: found by a feature's name, and cut into bins where they hold numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "wmsketch/sparse_row.hpp"

namespace wmsketch {

struct ExplainColumn {
  std::string prefix;                      // "name="
  bool attribute = true;                   // may explain something
  std::vector<std::uint32_t> comparisons;  // of the condition, that look at this column
  std::vector<double> edges;               // bins: below edges[0], edges[0] to edges[1], ...; empty: each value is one
  std::vector<Key> bin_keys;
  std::vector<double> first_values;  // of the first rows, until the edges are known

  std::string_view name() const { return std::string_view(prefix).substr(0, prefix.size() - 1); }
  std::size_t bin_of(double value) const;
  std::string bin_label(std::size_t bin) const;
  // Edges from the first values: quantiles, or none where there are so few values that each can stand for itself.
  void choose_edges(std::size_t bins);
  std::size_t nbytes() const;
};

class ExplainColumns {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  static constexpr std::uint32_t kMost = 1792;  // so that a column's id is two bytes in UTF-8

  explicit ExplainColumns(std::size_t bytes) : bytes_(bytes) {}

  // The column of a feature called `name` ("column=value", or "column" for a number); kNone when there is no room for
  // one more. Features mostly come in the order of the row before, so that the search begins behind `last`.
  std::uint32_t find(std::string_view name, std::uint32_t last);
  std::uint32_t add(std::string_view name);

  std::size_t size() const { return columns_.size(); }
  ExplainColumn& operator[](std::size_t i) { return columns_[i]; }
  const ExplainColumn& operator[](std::size_t i) const { return columns_[i]; }
  void choose_edges(std::size_t bins);
  std::size_t nbytes() const { return used_; }
  std::size_t n_left_out() const { return n_left_out_; }  // features whose column found no room

 private:
  std::vector<ExplainColumn> columns_;
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::size_t bytes_, used_ = 0, n_left_out_ = 0;
};

// A number as people write it.
std::string short_number(double value);

}  // namespace wmsketch
