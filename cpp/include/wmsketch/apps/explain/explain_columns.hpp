// The columns of a stream of rows: found by a feature's name, and cut into bins where they hold numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wmsketch/apps/explain/explain_cells.hpp"
#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/hashing.hpp"
#include "wmsketch/data/sparse_row.hpp"

namespace wmsketch {

struct ExplainColumn {
  std::string prefix;                                                // "name="
  bool attribute = true;                                             // may explain something
  std::vector<std::pair<std::uint32_t, std::uint32_t>> comparisons;  // condition, and place in it
  std::vector<double> edges;  // bins: below edges[0], edges[0] to edges[1], ...; empty: each value is one
  std::vector<Key> bin_keys;
  NumberCells cells;              // or numbers are counted here, where there are no conjunctions
  std::uint32_t next = 0;         // the column that came behind it, lately
  Key missing_key = 0;            // of rows without a value
  std::uint64_t row = 0;          // the last that had a value
  const char* name_at = nullptr;  // where numbers of this block have their name

  ExplainColumn(std::string_view name, const NameSecret& secret);
  std::string_view name() const { return std::string_view(prefix).substr(0, prefix.size() - 1); }
  std::size_t bin_of(double value) const {
    std::size_t bin = 0;
    for (const double edge : edges) bin += value >= edge;
    return bin;
  }
  std::string bin_label(std::size_t bin) const;
  // Edges from the first values: quantiles, or none where there are so few values that each can stand for itself.
  void choose_edges(std::vector<double> values, std::size_t bins);
  void name_bins(const NameSecret& secret);
  std::size_t nbytes() const;
};

class ExplainColumns {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  static constexpr std::uint32_t kMost = 1 << 16;
  static constexpr std::size_t kMostNamed = 8;  // of the columns that are left out, by at most 64 bytes of a name

  ExplainColumns(std::size_t bytes, const NameSecret& secret) : secret_(secret), bytes_(bytes) {}

  // The column of a feature called `name` ("column=value", or "column" for a number); kNone when there is no room for
  // one more. Features mostly come in the order of the row before: that which came behind `last` then is tried first.
  // A block has the name of a number only once, which `stays` where it is: then its place tells the column.
  std::uint32_t find(std::string_view name, std::uint32_t last, bool stays = false) {
    const std::uint32_t next = last == kNone ? first_ : columns_[last].next;
    if (next < columns_.size()) {
      ExplainColumn& column = columns_[next];
      if (stays && name.data() == column.name_at && name.size() + 1 == column.prefix.size()) return next;
      if (belongs(name, column.prefix)) {
        if (stays) column.name_at = name.data();
        return next;
      }
    }
    const std::uint32_t found = search(name);
    if (found != kNone) (last == kNone ? first_ : columns_[last].next) = found;
    return found;
  }
  void start_block() {
    for (ExplainColumn& column : columns_) column.name_at = nullptr;
  }
  std::uint32_t add(std::string_view name);

  std::size_t size() const { return columns_.size(); }
  ExplainColumn& operator[](std::size_t i) { return columns_[i]; }
  const ExplainColumn& operator[](std::size_t i) const { return columns_[i]; }
  void keep_number(std::uint32_t column, double value);  // of the first rows
  void choose_edges(std::size_t bins);
  void set_edges(std::uint32_t column, const std::vector<double>& edges) {
    columns_[column].edges = edges;
    columns_[column].name_bins(secret_);
  }
  void choose_cells(std::size_t bins);  // by the first rows
  // Cells for the numbers of a column, if there is room; whether it has some.
  bool give_cells(std::uint32_t column, std::size_t bins, std::size_t share = 2) {
    return columns_[column].cells.used() || make_cells(column, bins, share);
  }
  void forget_row();  // no column has a value yet
  Key key_of_number(std::uint32_t column, double value);
  std::size_t nbytes() const { return used_; }
  std::size_t n_left_out() const { return n_left_out_; }  // features whose column found no room
  const std::vector<std::string>& left_out() const { return left_out_; }
  void archive(Archive& archive, std::size_t bins);

 private:
  void archive_cells(Archive& archive, std::size_t bins);
  bool make_cells(std::uint32_t column, std::size_t bins, std::size_t share);
  static bool belongs(std::string_view name, std::string_view prefix) {
    return name.size() >= prefix.size() ? name.starts_with(prefix)
                                        : name.size() + 1 == prefix.size() && prefix.starts_with(name);
  }
  std::uint32_t search(std::string_view name);
  void index(std::uint32_t column);
  void leave_out(std::string_view name);

  NameSecret secret_;  // that names are hashed under
  std::vector<ExplainColumn> columns_;
  std::vector<std::uint32_t> ids_;                 // places of columns by the hash of their names, half full at most
  std::vector<std::vector<double>> first_values_;  // of each column, until the edges are known
  struct NumberKey {
    std::uint32_t column = kNone;
    double value = 0;
    Key key = 0;
  };
  std::array<NumberKey, 256> number_keys_{};  // of numbers that are not cut, lately
  std::vector<std::string> left_out_;
  std::size_t bytes_, used_ = 0;
  std::uint32_t first_ = 0;  // of the row before
  std::uint64_t n_left_out_ = 0;
};

}  // namespace wmsketch
