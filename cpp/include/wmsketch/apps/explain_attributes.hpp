// Rows become examples about their attributes: one example for each value and each conjunction of values, labelled by
// whether the row is an outlier. The paper's 1-sparse encoding: each weight then follows its own relative risk.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "wmsketch/apps/explain_columns.hpp"
#include "wmsketch/apps/explain_condition.hpp"
#include "wmsketch/row_block.hpp"

namespace wmsketch {

struct AttributeOptions {
  std::vector<Comparison> condition{};    // empty: rows bring their labels
  std::vector<std::string> attributes{};  // columns; empty: all that the condition does not look at
  std::uint32_t order = 1;                // attributes in a conjunction, at most
  bool whole_rows = false;                // one example a row, in place of one for each attribute
  std::uint32_t bins = 10;
  std::uint64_t warm_up = 10'000;  // rows that choose the bins
  std::size_t quantile_bytes = 8192, column_bytes = 4096;
  std::uint64_t seed = 0;
};

// The examples of some rows. It borrows those rows for names, which are only made when a key becomes heavy:
// a letter for each column (U+0100 and its id), then the values, each behind kSeparator.
class AttributeBlock final : public RowBlock {
 public:
  static constexpr char kSeparator = '\x1f';
  static constexpr std::uint32_t kMostOrder = 3;

  struct Part {
    std::uint32_t column;
    std::uint32_t feature;  // of the rows, or the bin
    bool binned;
    Key key;
    bool operator<(const Part& other) const { return column != other.column ? column < other.column : key < other.key; }
    bool operator==(const Part& other) const { return key == other.key && column == other.column; }
  };

  AttributeBlock(const RowBlock& rows, const ExplainColumns& columns) : rows_(rows), columns_(columns) { named = true; }
  std::string name(std::size_t i) const override;

  std::vector<float> amounts;  // of each example: its row's weight as it is, to count by; empty: 1
  std::size_t next_row = 0;    // of the rows, behind the last that was encoded

 private:
  friend class AttributeEncoder;
  using Parts = std::array<std::uint32_t, kMostOrder>;  // indices of parts_
  static constexpr std::uint32_t kNoPart = 0xffffffffu;

  std::string value_of(const Part& part) const;

  const RowBlock& rows_;
  const ExplainColumns& columns_;
  std::vector<Part> parts_;
  std::vector<Parts> parts_of_;  // of each key
};

// How many rows there were. Amounts are sums of weights, or of rows where there are none.
struct RowCounts {
  std::uint64_t rows = 0, outliers = 0;
  std::uint64_t skipped = 0;  // rows without a value that the condition needs
  double outlier_amount = 0, inlier_amount = 0, squared_amount = 0;
};

class AttributeEncoder {
 public:
  explicit AttributeEncoder(AttributeOptions options);

  // The first rows choose the bins and the first percentiles: give them to `observe`, until it says that it has seen
  // enough or the stream ends, then to `encode` like all others.
  bool observe(const RowBlock& rows);
  void finish_warm_up();
  bool warm() const { return warm_; }

  // Encodes from row `first` up to `last`, or to where the block is large.
  std::unique_ptr<AttributeBlock> encode(const RowBlock& rows, std::size_t first, std::size_t last);

  const RowCounts& counts() const { return counts_; }
  const Condition& condition() const { return condition_; }
  const ExplainColumns& columns() const { return columns_; }
  std::size_t nbytes() const { return condition_.nbytes() + columns_.nbytes(); }

 private:
  std::uint32_t add_column(std::string_view name, std::uint32_t last);
  // Sets the condition's values, and the row's attributes; without `parts` keeps its numbers for choosing bins.
  void read_row(const RowBlock& rows, std::size_t row, std::vector<AttributeBlock::Part>* parts);
  void read_value(const RowBlock& rows, std::size_t i, std::string_view name, std::uint32_t column,
                  std::vector<AttributeBlock::Part>* parts);
  void emit(AttributeBlock& block, std::size_t first_part, std::int8_t label, float weight, float amount) const;
  float learning_weight(double amount) const;

  AttributeOptions options_;
  Condition condition_;
  ExplainColumns columns_;
  RowCounts counts_;
  std::uint64_t n_observed_ = 0, n_encoded_ = 0;
  bool warm_ = false;
};

}  // namespace wmsketch
