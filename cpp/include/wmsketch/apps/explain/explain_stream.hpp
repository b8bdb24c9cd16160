// Rows in, counts of their attributes out: each value of a row, each value it lacks, and each conjunction of these, by
// whether the row is an outlier.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "wmsketch/apps/explain/explain_columns.hpp"
#include "wmsketch/apps/explain/explain_table.hpp"
#include "wmsketch/data/row_block.hpp"
#include "wmsketch/readers/condition.hpp"
#include "wmsketch/rule/forgetting.hpp"

namespace wmsketch {

struct ExplainOptions {
  ConditionOptions outlier{}, where{};    // no outlier: rows bring their labels; no where: all rows
  std::vector<std::string> attributes{};  // columns; empty: all that `outlier` does not look at
  std::uint32_t order = 1;                // attributes in a conjunction, at most
  bool whole_rows = false;                // give the rows out as examples too
  std::uint32_t bins = 10;
  std::uint64_t warm_up = 10'000;  // rows that choose the bins
  HalfLife half_life{};
  AttributeTable::Shape table{};
  std::size_t quantile_bytes = 8192;  // of each percentile
  std::size_t column_bytes = 4096;    // of columns and conditions
  std::uint64_t seed = 0;
  NameSecret secret{};  // that names are hashed under, those of the rows too
};

// How many rows there were. Amounts are sums of weights, or of rows where there are none, as far as they still count.
struct RowCounts {
  std::uint64_t rows = 0, outliers = 0;
  std::uint64_t skipped = 0;   // rows without a value that the outlier condition needs
  std::uint64_t left_out = 0;  // rows that `where` does not take
  Amounts amounts{};
  double squared = 0;  // the sum of squared amounts
};

class AttributeStream {
 public:
  static constexpr std::uint32_t kMostOrder = 3;
  static constexpr std::size_t kMostMissing = 256;  // columns, beyond which a row lacks most of them: none is missing

  explicit AttributeStream(ExplainOptions options);
  AttributeStream(const AttributeStream&) = delete;
  AttributeStream& operator=(const AttributeStream&) = delete;

  // The first rows choose the bins and the first percentiles: give them to `observe`, until it says that it has seen
  // enough or the stream ends, then to `learn` like all others.
  bool observe(const RowBlock& rows);
  void finish_warm_up();
  bool warm() const { return warm_; }

  // Counts the rows. With whole_rows it returns them as examples of their attributes' keys, else nothing.
  std::unique_ptr<RowBlock> learn(const RowBlock& rows);

  void merge(const AttributeStream& other);  // made with the same options; throws where bins or percentiles differ

  RowCounts counts() const;                    // in rows of now
  double scale() const { return inflation_; }  // counts of the table are this much too large
  const Condition& outlier() const { return conditions_[1]; }
  const Condition& where() const { return conditions_[0]; }
  const ExplainColumns& columns() const { return columns_; }
  const AttributeTable& table() const { return table_; }
  const NameSecret& secret() const { return options_.secret; }
  // What is held now, bins of numbers included: names of single attributes, and whether they are cut.
  struct HeldNow {
    std::vector<AttributeTable::Held> held{};
    std::vector<std::string> names{};
    std::vector<std::uint8_t> shortened{};
  };
  HeldNow held() const;
  std::size_t n_bins() const;  // of numbers that are counted in cells
  std::size_t nbytes() const;
  void archive(Archive& archive);

 private:
  enum class PartKind : std::uint8_t { value, number, bin, cell, missing };
  struct Part {
    std::uint32_t column;
    Key key;
    std::uint32_t more;     // bits of its hash, for values that happen to share a key
    std::uint32_t feature;  // of the rows, or the bin, or the bits of a number in a cell
    PartKind kind;
    bool operator<(const Part& other) const {
      return std::tie(key, more, column) < std::tie(other.key, other.more, other.column);
    }
    bool operator==(const Part& other) const {
      return key == other.key && more == other.more && column == other.column;
    }
  };

  std::uint32_t add_column(std::string_view name, std::uint32_t last, bool stays = false) {
    const std::size_t before = columns_.size();
    const std::uint32_t id = columns_.find(name, last, stays);
    if (columns_.size() != before) begin_column(id);
    return id;
  }
  void begin_column(std::uint32_t id);
  void give_role(ExplainColumn& column) const;
  // Sets the conditions' values, and the row's parts; without `learning` keeps its numbers for choosing bins.
  void read_row(const RowBlock& rows, std::size_t row, bool learning);
  void read_value(const RowBlock& rows, std::size_t i, std::string_view name, std::uint32_t column, bool learning);
  void give(ExplainColumn& column) {  // it has a value in this row
    const bool repeated = column.row == n_read_ + 1;
    repeats_ = repeats_ || repeated;
    n_given_ += repeated ? 0 : 1;
    column.row = n_read_ + 1;
  }
  double number_at(const RowBlock& rows, std::size_t place) const;
  void add_cell(std::uint32_t id, double number) {
    const auto bits = std::bit_cast<std::uint32_t>(NumberCells::rounded_down(number));
    parts_.push_back({id, combine_keys(columns_[id].missing_key, bits), 0, bits, PartKind::cell});
  }
  void add_missing();
  bool take_row(const RowBlock& rows, std::size_t row, bool& outlier);  // whether it counts at all
  void fade(const RowBlock& rows, std::size_t row);
  std::uint32_t hash_parts() const;
  void count_parts(const RowBlock& rows, bool outlier, double amount, std::uint32_t row_hash);
  bool uses_cells() const { return options_.order == 1 && !options_.whole_rows; }
  void require_mergeable(const AttributeStream& other);
  void scale(double factor);  // what was counted
  void count_conjunctions();
  std::string value_of(const RowBlock& rows, const Part& part) const;
  void add_example(RowBlock& examples, bool outlier, double amount) const;

  ExplainOptions options_;
  Condition conditions_[2];  // where, outlier
  ExplainColumns columns_;
  AttributeTable table_;
  std::vector<Part> parts_;
  std::string scratch_;
  RowCounts counts_;
  std::uint64_t n_observed_ = 0, n_read_ = 0;
  std::uint32_t all_rows_ = 0;  // the fingerprint of an attribute that all have
  double inflation_ = 1;        // a row of now counts so much
  double time_ = -std::numeric_limits<double>::infinity();
  bool warm_ = false;
  mutable std::size_t next_number_ = 0;  // of the block, where the next one is looked for first
  bool repeats_ = false;                 // a column has several values in this row
  std::size_t n_given_ = 0;              // columns that have a value in this row
};

}  // namespace wmsketch
