// The columns of a stream of rows; numeric columns are divided into bins.
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
#include "wmsketch/data/row_block.hpp"

namespace wmsketch {

struct ExplainColumn {
  std::string prefix;                                                // "name="
  bool attribute = true;                                             // may be part of an explanation
  std::vector<std::pair<std::uint32_t, std::uint32_t>> comparisons;  // index of the condition, index in it
  std::vector<double> edges;  // bins: below edges[0], edges[0] to edges[1], ...; empty: no bins
  std::vector<Key> bin_keys;
  NumberCells cells;      // counts numbers instead of bins if there are no conjunctions
  Key missing_key = 0;    // stands for rows without a value
  std::uint64_t row = 0;  // last row that had a value

  ExplainColumn(std::string_view name, const NameSecret& secret);
  std::string_view name() const { return std::string_view(prefix).substr(0, prefix.size() - 1); }
  std::size_t bin_of(double value) const {
    std::size_t bin = 0;
    for (const double edge : edges) bin += value >= edge;
    return bin;
  }
  std::string bin_label(std::size_t bin) const;
  // Chooses edges from the first values: quantiles, or none if there are so few distinct values that each can be its
  // own bin.
  void choose_edges(std::vector<double> values, std::size_t bins);
  void name_bins(const NameSecret& secret);
  std::size_t nbytes() const;
};

class ExplainColumns {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  static constexpr std::uint32_t kMost = 1 << 16;
  static constexpr std::size_t kMostNamed = 8;  // names kept of columns that are left out, at most 64 bytes each

  ExplainColumns(std::size_t bytes, const NameSecret& secret, std::size_t moments = 0)
      : secret_(secret), bytes_(bytes), n_moments_(moments) {}

  // The column of this name; kNone if there is no room for another one.
  std::uint32_t find(std::string_view name);
  // The column of a cell of the current block, whose ids are looked up once.
  std::uint32_t find(const RowBlock::Cell& cell) {
    if (cell.id < of_block_.size() && of_block_[cell.id] != kNone) return of_block_[cell.id];
    const std::uint32_t found = find(cell.column);
    if (cell.id >= 2 * columns_.size()) return found;  // as many bytes as `nbytes` counts
    if (cell.id >= of_block_.size()) of_block_.resize(cell.id + 1, kNone);
    return of_block_[cell.id] = found;
  }
  // The same, if it was found before in this block.
  std::uint32_t found(std::uint32_t id_in_block) const {
    return id_in_block < of_block_.size() ? of_block_[id_in_block] : kNone;
  }
  void start_block() { of_block_.clear(); }

  std::size_t size() const { return columns_.size(); }
  ExplainColumn& operator[](std::size_t i) { return columns_[i]; }
  const ExplainColumn& operator[](std::size_t i) const { return columns_[i]; }
  void keep_number(std::uint32_t column, double value);  // records a number of the first rows
  void choose_edges(std::size_t bins);
  void set_edges(std::uint32_t column, const std::vector<double>& edges) {
    columns_[column].edges = edges;
    columns_[column].name_bins(secret_);
  }
  void choose_cells(std::size_t bins);  // from the first rows
  // Makes cells for the numbers of a column if there is room. Returns whether the column has cells.
  bool give_cells(std::uint32_t column, std::size_t bins, std::size_t share = 2) {
    return columns_[column].cells.used() || make_cells(column, bins, share);
  }
  void forget_row();  // marks all columns as having no value
  Key key_of_number(std::uint32_t column, double value);
  std::size_t nbytes() const { return used_; }
  std::size_t n_left_out() const { return n_left_out_; }  // features whose column did not fit
  const std::vector<std::string>& left_out() const { return left_out_; }
  void archive(Archive& archive, std::size_t bins);

 private:
  void archive_cells(Archive& archive, std::size_t bins);
  bool make_cells(std::uint32_t column, std::size_t bins, std::size_t share);
  std::uint32_t add(std::string_view name);
  void index(std::uint32_t column);
  void leave_out(std::string_view name);

  NameSecret secret_;  // seeds the hash of names
  std::vector<ExplainColumn> columns_;
  std::vector<std::uint32_t> ids_;                 // hash table of columns by name, at most half full
  std::vector<std::uint32_t> of_block_;            // the columns of the current block
  std::vector<std::vector<double>> first_values_;  // for each column, until the edges are chosen
  struct NumberKey {
    std::uint32_t column = kNone;
    double value = 0;
    Key key = 0;
  };
  std::array<NumberKey, 256> number_keys_{};  // cache of recent numbers without bins
  std::vector<std::string> left_out_;
  std::size_t bytes_, n_moments_, used_ = 0;  // n_moments_: of the metric
  std::uint64_t n_left_out_ = 0;
};

}  // namespace wmsketch
