// Turns values of named columns into features, for all formats:
//   text v in column c         -> the feature `c=v` with value 1; in a text column, `c=token` for each token and n-gram
//   a log line in a text column, if templates are asked for -> the feature `c=template`
//   a number in column c       -> the feature `c` with that value
//   true in column c           -> the feature `c=true`
//   a list in column c         -> one feature per element: `c=v` for texts, booleans and integers; other numbers have a
//                                 position: `c.0`, `c.1` and so on
//   a date or time in column c -> its parts in UTC: `c.hour=21`, `c.weekday=Sat`, `c.month=May`; in a column that is
//                                 declared categorical its text, like 2024-05-17 08:30:00
//   an interaction of a and b  -> the feature `a=x&b=y`, whose key combines the keys of `a=x` and `b=y`
// A missing value (null, NaN, an empty text) gives no feature, or `c=(missing)` if requested.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "wmsketch/data/hashing.hpp"
#include "wmsketch/data/row_block.hpp"
#include "wmsketch/data/table_hash.hpp"
#include "wmsketch/readers/condition.hpp"
#include "wmsketch/readers/label_rule.hpp"
#include "wmsketch/readers/number_style.hpp"
#include "wmsketch/readers/numbers.hpp"
#include "wmsketch/readers/rejected_rows.hpp"
#include "wmsketch/readers/value_memo.hpp"
#include "wmsketch/readers/variable_words.hpp"

namespace wmsketch {

// The values of the distinct words of a text. counts: how often each occurs. unit: the counts scaled to Euclidean
// length 1.
enum class WordValues : std::uint8_t { unit, sublinear, counts };  // sublinear: 1 + log(count), scaled to length 1

struct EncoderOptions {
  std::string label{}, weight{}, time{};  // column names; empty: none
  std::optional<std::string> positive{};  // this label is positive, all others negative; nullopt: true, or above 0
  bool require_labels = true;
  bool many_classes = false;            // every label is a class
  bool numeric_label = false;           // the label is a number to predict
  std::vector<std::string> features{};  // only these columns and those nested in them; empty: all but `ignore`
  std::vector<std::string> ignore{}, numeric{}, categorical{}, text{};
  bool only_categories = false;  // all columns without another rule are categorical
  std::vector<std::pair<std::string, std::string>> interactions{};
  std::uint32_t ngrams = 1;                      // the longest n-gram of a text column
  bool lowercase = false;                        // ASCII letters of text columns
  bool templates = false;                        // a text column is its template, as of a log line, not its words
  std::vector<std::string> variable_words{};     // templates with <word>, by find_variable_words
  WordValues word_values = WordValues::counts;   // of text columns
  std::vector<std::string> na{};                 // more words that mean missing, in all columns
  bool count_missing = false;                    // a missing value becomes the feature `c=(missing)`
  std::map<std::string, ColumnKind> kinds{};     // kinds of columns in the training data; values must agree
  std::map<std::string, ColumnKind> seen{};      // kinds observed in the training data; may still change
  std::optional<std::set<std::string>> known{};  // all columns of the training data; others give no feature
  NameSecret secret{};                           // seeds the hash of names
  std::vector<std::string> expected{};           // a nonempty row must have one of these columns; empty: any
  ConditionOptions where{};                      // rows that do not meet it are left out; no percentiles
};

// Parses a text as a number, ignoring surrounding blanks.
bool read_number_in(std::string_view text, double& value);
inline std::optional<double> number_in(std::string_view text) {
  double value;
  return read_number_in(text, value) ? std::optional(value) : std::nullopt;
}
std::optional<bool> boolean_in(std::string_view text);  // true or false, case-insensitive
bool is_missing(std::string_view text);                 // empty, NaN, NA, null and the like

// Appends the name of the feature for a text in a column: `column=text`, or only the text if the column has no name.
void append_category_name(std::string& to, std::string_view column, std::string_view text);

inline constexpr int kDeepestNesting = 100;  // nesting is recursive: a hostile row must not overflow the stack

class RowEncoder {
 public:
  enum class Role : std::uint8_t { skip, label, weight, time, automatic, numeric, categorical, text };
  using ColumnId = std::uint32_t;

  explicit RowEncoder(EncoderOptions options);
  ~RowEncoder();

  // The id of a column, valid until the next `take`.
  ColumnId column(std::string_view name);
  Role role(ColumnId column) const { return columns_[column].role; }
  const std::string& column_name(ColumnId column) const { return columns_[column].name; }
  std::vector<std::string> column_names() const;
  // The column `outer.inner` of a nested value.
  ColumnId column_inside(ColumnId outer, std::string_view inner);
  // Whether all elements of a list belong to the column itself: texts, categories, or numbers by a rule. Otherwise
  // elements that are lists, objects or fractions get columns by position: `column.0`, `column.1` and so on.
  bool takes_whole_lists(ColumnId column) const {
    const Role role = columns_[column].role;
    return role == Role::text || role == Role::categorical || role == Role::numeric;
  }
  // Records that the row has a column, for `expected`.
  void see_column(ColumnId column) {
    const Column& seen = columns_[column];
    if (row_has_expected_ || options_.expected.empty() || (seen.role < Role::automatic && !seen.unknown)) return;
    row_has_expected_ = seen.expected;
    if (!seen.expected) unexpected_ = column;
  }

  // A column keeps its first kind, in all files of an input.
  ColumnKind kind(ColumnId column) const { return columns_[column].kind; }
  void set_kind(ColumnId column, ColumnKind kind);
  // Texts in this column are numbers as people write them, in this style or with the sign of a currency.
  void read_amounts(const std::string& column, NumberStyle style);
  // From now on, these words of templates vary.
  void replace_words(const std::vector<std::string>& found) { variable_words_ = VariableWords(found); }
  // Values that do not fit their column: a text among numbers, an infinite number. Each is a category of its own; in a
  // column that was declared numeric it is missing. They are counted, up to kMostOdd columns.
  struct Odd {
    std::string column, first;  // first: the first such value
    std::uint64_t count = 0, row = 0;
    bool is_missing = false;        // they are read as missing
    bool is_boolean = false;        // the others are true or false, not numbers
    bool is_time = false;           // the others are times
    std::uint64_t mostly_from = 0;  // the row from which most values are such; 0: none
    std::uint64_t window_row = 0, window_count = 0;
  };
  const std::vector<Odd>& odd_values() const { return odd_; }
  void add_odd(ColumnId column, std::string_view value);
  // Whether the column had words in the training data, so that its times are words too.
  bool had_words(ColumnId column) const { return columns_[column].had_words; }
  // Whether numbers in this column are kept as text.
  bool wants_text(ColumnId column) const;

  const LabelRule& label_rule() const { return rule_; }
  // Whether a text is one of the additional words for missing.
  bool is_na(std::string_view text) const {
    return !options_.na.empty() && std::find(options_.na.begin(), options_.na.end(), text) != options_.na.end();
  }
  std::vector<std::string> unknown_names() const;  // columns that the training data lacked: they give no feature
  std::vector<std::string> number_names() const;   // columns that contained numbers
  // Names in the options that no column has matched so far.
  const std::vector<std::string>& unseen_names() const { return unseen_; }
  // Columns that had codes, with the first of each: they are read as text, or as numbers where the model says so. In a
  // column of numbers that the model learned as text, the codes may have lost their zeros: `first` is empty.
  struct Code {
    std::string column, first;
    bool is_number;
  };
  const std::vector<Code>& codes() const { return codes_; }
  // Columns of times, with the first of each.
  const std::vector<std::pair<std::string, std::string>>& times() const { return times_; }
  void note_code(ColumnId column, std::string_view code, bool is_number);

  void add_text(ColumnId column, std::string_view value);
  void add_number(ColumnId id, double value, std::string_view written) {  // `written`: its text in the input
    const bool plain = takes_plain_numbers(id) && !testing_ && fits_float(value) && !is_code(written);
    return plain ? append_number(columns_[id], value) : add_any_number(id, value, written);
  }
  void add_number(ColumnId column, double value);  // for a number without a written form
  void add_bool(ColumnId column, bool value, std::string_view written);
  // Columns whose values need no further thought, until the next block. A plain number fits into a float and is no
  // code; a plain text is not empty.
  bool takes_plain_numbers(ColumnId id) const {
    const Column& column = columns_[id];
    return column.role == Role::automatic && column.seen == ColumnKind::number && column.kind != ColumnKind::text &&
           column.kind != ColumnKind::boolean && !is_time(column.kind) && !column.names_epoch && na_numbers_.empty() &&
           !notes();
  }
  bool takes_plain_texts(ColumnId id) const {
    const Column& column = columns_[id];
    const bool may =
        column.role == Role::categorical || (column.role == Role::automatic && column.kind == ColumnKind::text);
    return may && column.seen == ColumnKind::text && options_.na.empty() && !notes();
  }
  enum class Form : std::uint8_t { other, skipped, number, text };
  struct SettledColumn {
    ColumnId id = 0;
    Form form = Form::other;
    bool listed = false;          // in the block; then the rest is known
    std::uint32_t n_settled = 0;  // columns from this one on, up to one of another form
    Key key = 0;
    std::uint32_t name_in_block = 0;
  };
  // Whether columns may be settled: the first rows are looked at more closely.
  bool settles() const { return !notes(); }
  bool remembers_texts() const { return memo_.has_value(); }
  SettledColumn settled(ColumnId column, bool holds_numbers);
  // Adds the cells from the first on, as long as columns are settled. Returns the place of one that needs a closer
  // look, or behind the last. cell_at(i) is a SettledCell.
  template <class CellAt>
  std::size_t add_settled(std::vector<SettledColumn>& columns, std::size_t first, const CellAt& cell_at);
  void add_missing(ColumnId column);
  void add_nothing(ColumnId column);  // the column is present but empty, for example an empty list

  // If there is a condition, the values of a row are passed twice. Between `start_test` and `passes` they are only
  // compared, so a row that is left out may have any label and any value. Readers that can access columns directly may
  // pass only the tested ones, by `test`.
  bool has_condition() const { return condition_.size() > 0; }
  bool is_tested(ColumnId column) const { return !columns_[column].tests.empty(); }
  void start_test();
  void test(ColumnId column, std::string_view word, std::optional<double> number);
  bool passes();

  void end_row();   // throws BadValue if the row lacks its label, weight or time
  void drop_row();  // removes what was added since the last end_row
  std::unique_ptr<RowBlock> take();

  // For encoding one row at a time in the same memory: the rows added since `restart`.
  const RowBlock& rows() const;
  void restart();
  // Records the columns of all rows from now on, not only of the first rows of a stream.
  void note_columns(bool all) { notes_all_ = all; }
  // Changes when column ids become invalid: `take` and `restart` may forget columns.
  std::uint64_t generation() const { return generation_; }

 private:
  class Block;
  struct Slice;
  static constexpr std::uint32_t kUnset = 0xffffffffu;
  struct Column {
    std::string name, prefix;  // prefix: "name=", with which a category starts
    Role role;
    bool unknown = false;
    bool expected = false;                                  // one of `expected`, nested in one, or containing one
    bool had_words = false;                                 // in the training data
    bool names_epoch = false;                               // its numbers may be seconds since 1970
    std::array<ColumnId, 3> parts{kUnset, kUnset, kUnset};  // the columns of the hour, weekday and month
    ColumnKind kind = ColumnKind::unknown, seen = ColumnKind::unknown;
    std::optional<NumberStyle> amounts;  // its texts may be amounts, in this style
    std::vector<std::uint32_t> tests;    // comparisons of the condition that use this column
    std::vector<std::uint32_t> sides;    // interactions of this column: 2 * interaction + side
    std::uint64_t name_block = 0;        // block that lists the column
    std::uint32_t in_block = 0;          // its number there
    std::uint32_t name_in_block = 0;     // and that of its name
    std::uint32_t key = 0;               // key of the name
    std::uint64_t noted_block = 0;       // block whose column_names contains the name
    std::uint32_t noted = 0;             // and where
    std::uint64_t noted_row = 0;         // row that has the column in row_columns_
    std::uint32_t noted_place = 0;       // and where
    std::uint32_t odd = kUnset;          // index into odd_
  };
  static constexpr std::size_t kMostOdd = 100;
  static constexpr std::size_t kMostNameBytes = std::size_t{1} << 28;  // per block: every row may have a long name
  static constexpr std::size_t kMostSettledBytes = kMostNameBytes / 2;
  void start_row();
  void require_expected_column() const;
  static constexpr std::size_t kFirstRows = 16;  // rows whose columns are recorded

  Role role_of(std::string_view name) const;
  bool is_known(std::string_view name) const;
  void see(ColumnId id, ColumnKind kind) {
    const ColumnKind seen = columns_[id].seen;
    if (notes() || (seen != kind && seen != ColumnKind::mixed)) see_new_kind(id, kind);
  }
  void see_new_kind(ColumnId column, ColumnKind kind);
  void count_odd(ColumnId column, std::string_view value, bool missing);
  bool takes_code(ColumnId column, std::string_view code);
  void add_any_number(ColumnId column, double value, std::string_view written);
  void append_number(Column& column, double value);
  void add_category(ColumnId column, std::string_view value);
  bool add_from_memo(ColumnId column, const ValueMemo::Text& text, ValueMemo::Entry*& entry);
  void add_new_category(ColumnId column, const ValueMemo::Text& text, ValueMemo::Entry* entry);
  // Writes the name of the feature, and what is known of it into the entry.
  void name_category(ColumnId column, const ValueMemo::Text& text, ValueMemo::Entry* entry);
  void list_settled(SettledColumn& settled);
  // The time of a value, if the column may have times. Words stay words in a column that was learned as words.
  std::optional<double> time_of(const Column& column, std::string_view text) const;
  std::optional<double> time_of(const Column& column, double number) const;
  bool may_have_times(const Column& column) const {
    return is_time(column.kind) || (column.kind == ColumnKind::unknown && !column.had_words);
  }
  void add_time(ColumnId column, double seconds, std::string_view written);
  void add_tokens(ColumnId column, std::string_view text);
  void note(ColumnId column, ColumnKind kind);
  bool notes() const { return notes_all_ || n_noted_ < kFirstRows; }
  void forget_columns();
  void list_in_block(Column& column);
  Key key_of_last(std::uint32_t begin) const;  // of the name that is at the end of the arena
  void append_named(const Column& column, std::uint32_t begin);
  void merge_words(std::size_t first);  // merges repeated words from this place on, with their values
  void add_numeric(ColumnId column, double value);
  void add_interactions();
  void remember(const Column& column, std::size_t place) {  // for its interactions
    for (const std::uint32_t side : column.sides)
      sides_[side / 2][side % 2].push_back(static_cast<std::uint32_t>(place));
  }
  std::optional<double> label_number(std::string_view value);
  std::optional<double> number_of(const Column& column, std::string_view value) const;
  static bool has_numbers(const Column& column);
  void set_label(const Column& column, std::string_view word, std::optional<double> number);
  void set_weight(const Column& column, double weight);
  void set_time(const Column& column, std::optional<double> seconds, std::string_view written);

  EncoderOptions options_;
  // The last two labels that differ: nearly all tables have few, and reading one as a number takes long.
  struct KnownLabel {
    std::string text;
    std::optional<double> number;
  };
  std::array<KnownLabel, 2> known_labels_{};
  LabelRule rule_;
  Condition condition_;
  bool testing_ = false;
  std::optional<double> positive_number_;
  std::vector<Column> columns_;
  std::unordered_map<std::string, ColumnId, SeededHash> ids_;
  std::map<std::string, ColumnKind> kinds_;
  std::map<std::string, NumberStyle> amounts_;
  std::vector<std::string> unseen_;
  std::vector<Code> codes_;
  std::vector<std::pair<std::string, std::string>> times_;
  std::vector<Odd> odd_;
  std::vector<std::uint32_t> row_odd_;  // indices of the odd values of this row
  std::vector<double> na_numbers_;      // the words in `na` that are numbers
  std::string scratch_, styled_;
  VariableWords variable_words_;
  std::vector<std::pair<std::size_t, std::size_t>> tokens_;
  std::vector<std::uint32_t> word_places_, word_counts_;
  std::vector<RowBlock::ColumnOfRow> row_columns_;
  std::vector<std::pair<ColumnId, ColumnKind>> row_seen_;  // columns whose kind this row changed, with the old kind
  std::size_t row_reported_ = 0;                           // how many of row_seen_ the block reports
  std::size_t n_noted_ = 0;                                // number of recorded rows
  std::uint64_t row_number_ = 1;
  std::size_t name_bytes_ = 0;  // total bytes of column names
  bool notes_all_ = false;
  std::uint64_t generation_ = 0;
  std::unique_ptr<Block> block_;
  std::optional<ValueMemo> memo_;  // from the first block on; rows that come one at a time make none
  std::uint64_t n_blocks_ = 1;
  bool row_has_expected_ = false;
  ColumnId unexpected_ = kUnset;  // a column of this row that is not expected
  std::int8_t row_class_ = 0;     // 0: not seen yet
  double row_weight_ = -1;        // negative: not seen yet
  std::optional<double> row_time_;
  std::vector<std::array<std::vector<std::uint32_t>, 2>> sides_;  // features of this row on each side of interactions
};

}  // namespace wmsketch
