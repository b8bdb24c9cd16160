// Counts the attributes of rows, separately for outliers and other rows: each value of a row, each missing value, and
// each conjunction of these.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "wmsketch/apps/explain/explain_columns.hpp"
#include "wmsketch/apps/explain/explain_table.hpp"
#include "wmsketch/apps/explain/metric.hpp"
#include "wmsketch/data/row_block.hpp"
#include "wmsketch/readers/condition.hpp"
#include "wmsketch/rule/forgetting.hpp"

namespace wmsketch {

struct ExplainOptions {
  ConditionOptions outlier{}, where{};    // no `outlier`: rows have labels; no `where`: all rows
  std::vector<std::string> attributes{};  // columns; empty: all that `outlier` does not use
  std::uint32_t order = 1;                // most attributes in a conjunction
  bool only_outliers = false;             // count attributes of outliers only, to find candidates for a second pass
  std::uint32_t bins = 10;
  std::uint64_t warm_up = 10'000;  // rows from which bins are chosen
  HalfLife half_life{};
  AttributeTable::Shape table{};
  std::size_t quantile_bytes = 8192;  // for each percentile
  std::size_t column_bytes = 4096;    // for columns and conditions
  std::uint64_t seed = 0;
  NameSecret secret{};               // seeds the hash of names, also in the rows
  std::vector<MetricTerm> metric{};  // no, one or two terms
};

// Counts of rows. Amounts are sums of weights, or numbers of rows if there are no weights, after forgetting.
struct RowCounts {
  std::uint64_t rows = 0, outliers = 0;
  std::uint64_t skipped = 0;   // rows that lack a value for the outlier condition
  std::uint64_t left_out = 0;  // rows that do not meet `where`
  Amounts amounts{};
  double squared = 0;  // sum of squared amounts
};

class AttributeStream {
 public:
  static constexpr std::uint32_t kMostOrder = 3;
  static constexpr std::size_t kMostMissing = 256;  // with more columns than this, missing values are not counted

  explicit AttributeStream(ExplainOptions options);
  AttributeStream(const AttributeStream&) = delete;
  AttributeStream& operator=(const AttributeStream&) = delete;

  // The first rows determine the bins and the first percentiles. Pass them to `observe` until it returns true or the
  // stream ends. Then pass them to `learn`, like all other rows.
  bool observe(const RowBlock& rows);
  void finish_warm_up();
  bool warm() const { return warm_; }

  // The numbers of the columns that a condition compares with percentiles, one list for each such comparison: those of
  // the rows that meet `where`, or of all rows for `where` itself. With `observing`, the percentiles take them in.
  enum Which : std::uint32_t { of_where = 0, of_outlier = 1 };
  std::vector<std::vector<double>> percentile_numbers(const RowBlock& rows, Which which, bool observing);
  // From now on the percentiles have these values, or the current ones, whatever rows come; until `release`.
  void hold_percentiles(Which which, const std::vector<double>& values) { conditions_[which].hold(values); }
  void release_percentiles();
  void refresh_percentiles();
  std::vector<double> percentiles(Which which) const { return conditions_[which].percentiles(); }

  void leave_out(const std::vector<std::string>& names);  // these columns are no attributes
  void seal(std::vector<AttributeId> ids, double most_outliers) { table_.seal(std::move(ids), most_outliers); }
  void open() { table_.open(); }

  void learn(const RowBlock& rows);  // counts the rows

  void merge(const AttributeStream& other);  // requires equal options; throws if bins or percentiles differ

  RowCounts counts() const;                    // in units of current rows
  double scale() const { return inflation_; }  // the factor by which counts of the table are too large
  const Condition& outlier() const { return conditions_[1]; }
  const Condition& where() const { return conditions_[0]; }
  const ExplainColumns& columns() const { return columns_; }
  const AttributeTable& table() const { return table_; }
  const Metric& metric() const { return metric_; }
  const NameSecret& secret() const { return options_.secret; }
  // The attributes held now, with names of single attributes: those that probably have at least so many outliers, the
  // parts of conjunctions among them, and all bins of numbers.
  struct HeldNow {
    std::vector<AttributeTable::Held> held{};
    std::vector<std::string> names{};
    std::vector<std::uint8_t> shortened{};
    std::vector<double> moments{};  // of the metric, for each attribute and side
  };
  HeldNow held(double least_outliers = 0) const;
  std::size_t n_bins() const;  // of columns counted in cells
  std::size_t nbytes() const;
  void archive(Archive& archive);

 private:
  enum class PartKind : std::uint8_t { value, number, bin, cell, missing };
  struct Part {
    std::uint32_t column;
    Key key;
    std::uint32_t more;     // more bits of the hash, to tell apart values with the same key
    std::uint32_t feature;  // index of the feature, or the bin, or the bits of a number
    PartKind kind;
    std::uint32_t* slot = nullptr;  // where the slot of a value is remembered
    AttributeId id() const { return attribute_id(key, more); }
    bool operator<(const Part& other) const {
      return std::tie(key, more, column) < std::tie(other.key, other.more, other.column);
    }
    bool operator==(const Part& other) const {
      return key == other.key && more == other.more && column == other.column;
    }
  };

  // The words of a block by their address: a reader writes most of them once. So the column, the hash and the slot of
  // a word are looked up once. A newer word takes the place of an older one.
  struct KnownValue {
    const char* word = nullptr;
    std::uint32_t size = 0, column = 0, more = 0, slot = 0;
    std::uint64_t block = 0;
  };

  template <class Column>  // its name, or one of its cells
  std::uint32_t add_column(const Column& column) {
    const std::size_t before = columns_.size();
    const std::uint32_t id = columns_.find(column);
    if (columns_.size() != before) begin_column(id);
    return id;
  }
  void begin_column(std::uint32_t id);
  void give_role(ExplainColumn& column) const;
  // Sets the values of the conditions and the parts of the row. Unless `learning`, records numbers for the choice of
  // bins.
  void read_row(const RowBlock& rows, std::size_t row, bool learning);
  void read_value(const RowBlock& rows, std::size_t i, const RowBlock::Cell& cell, std::uint32_t column, bool learning,
                  KnownValue* known);
  void give(ExplainColumn& column) {  // the column has a value in this row
    const bool repeated = column.row == n_read_ + 1;
    repeats_ = repeats_ || repeated;
    n_given_ += repeated ? 0 : 1;
    column.row = n_read_ + 1;
  }
  double number_at(const RowBlock& rows, std::size_t place) const;
  void add_cell(std::uint32_t id, double number) {
    columns_[id].cells.see(number);
    const auto bits = std::bit_cast<std::uint32_t>(NumberCells::rounded_down(number));
    parts_.push_back({id, combine_keys(columns_[id].missing_key, bits), 0, bits, PartKind::cell});
  }
  Key key_of_cell(std::uint32_t id, float number) const {
    return combine_keys(columns_[id].missing_key, std::bit_cast<std::uint32_t>(number));
  }
  template <class Read>
  static void with_place(std::uint64_t rows_before, Read read) {
    try {
      read();
    } catch (const std::invalid_argument& problem) {
      throw std::invalid_argument("row " + std::to_string(rows_before + 1) + ": " + problem.what());
    }
  }
  void learn_row(const RowBlock& rows, std::size_t row);
  bool fades() const { return options_.half_life.examples > 0 || options_.half_life.seconds > 0; }
  void add_missing();
  bool take_row(const RowBlock& rows, std::size_t row, bool& outlier);  // false: the row is not counted
  void fade(const RowBlock& rows, std::size_t row);
  std::uint32_t count_row(bool outlier, double amount, std::uint32_t sum_of_keys);
  void count_parts(const RowBlock& rows, bool outlier, double amount, std::uint32_t row_hash);
  bool uses_cells() const { return options_.order == 1; }
  void require_mergeable(const AttributeStream& other);
  bool same_percentiles(const AttributeStream& other) const {
    return percentiles(of_where) == other.percentiles(of_where) &&
           percentiles(of_outlier) == other.percentiles(of_outlier) && other.conditions_[1].held() &&
           other.conditions_[0].held();
  }
  void scale(double factor);  // multiplies all counts
  void count_conjunctions();
  std::string value_of(const RowBlock& rows, const Part& part) const;

  ExplainOptions options_;
  Condition conditions_[2];  // where, outlier
  Metric metric_;
  ExplainColumns columns_;
  AttributeTable table_;
  std::vector<Part> parts_;
  static constexpr int kKnownBits = 12;
  static constexpr std::size_t kLongBlock = 64;  // rows of a block whose values are worth knowing
  std::vector<KnownValue> known_;                // empty until the first long block
  std::uint64_t n_blocks_ = 0;
  KnownValue* known_at(std::string_view word) {
    const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(word.data()));
    return &known_[address * 0x9e3779b97f4a7c15u >> (64 - kKnownBits)];
  }
  bool is_known(const KnownValue& known, std::string_view word) const {
    return known.word == word.data() && known.size == word.size() && known.block == n_blocks_;
  }
  // What is known of the values of the next rows, before they are read; their places in the table are asked for.
  struct Ahead {
    std::uint32_t column = ExplainColumns::kNone;  // none: the value is read when its row comes
    std::uint32_t more = 0;
    std::uint32_t* slot = nullptr;
  };
  static constexpr std::size_t kRowsAhead = 16;
  std::vector<Ahead> ahead_;    // of the rows from ahead_from_ on; empty: none
  std::size_t ahead_from_ = 0;  // place of its first value in the block
  std::vector<AttributeId> new_ahead_;
  void look_ahead(const RowBlock& rows, std::size_t row);
  // Rows of a block, counted by the numbers of its names.
  enum class NameUse : std::uint8_t { unread, none, value, read };  // read: compared, or a number
  struct NameRows {
    NameUse use = NameUse::unread;
    std::uint32_t column = 0, feature = 0;  // feature: the first one with this name
    std::uint32_t fingerprint = 0;          // of the rows
    std::array<std::uint32_t, 2> rows{};    // other rows, outliers
  };
  bool counts_by_name(const RowBlock& rows) const;
  std::size_t learn_by_name(const RowBlock& rows);
  bool learn_row_by_name(const RowBlock& rows, std::size_t row, const RowBlock::NumberedNames& names);
  void read_name(const RowBlock& rows, std::size_t i, NameRows& name);
  std::uint32_t read_by_name(const RowBlock& rows, std::size_t i, std::uint32_t id, std::uint32_t number_of_name);
  void enter_names(const RowBlock& rows);
  std::vector<NameRows> names_;           // by number; behind them, by column, those of missing values
  std::vector<std::uint32_t> counted_;    // the numbers of those with rows, in the order in which they first occurred
  std::vector<std::uint32_t> row_names_;  // of the current row
  std::vector<std::pair<std::uint32_t, float>> row_cells_;  // columns and numbers of the current row
  std::string scratch_;
  RowCounts counts_;
  std::uint64_t n_observed_ = 0, n_read_ = 0;
  std::uint32_t all_rows_ = 0;  // fingerprint of an attribute that all rows have
  double inflation_ = 1;        // what a current row counts
  double time_ = -std::numeric_limits<double>::infinity();
  bool warm_ = false;
  mutable std::size_t next_number_ = 0;  // in the numbers of the block: where the search for the next one starts
  bool repeats_ = false;                 // a column has several values in this row
  std::size_t n_given_ = 0;              // columns with a value in this row
};

}  // namespace wmsketch
