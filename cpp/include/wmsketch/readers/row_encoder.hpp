// Values of named columns become features, whatever file they come from:
//   text v in column c        -> the feature `c=v`, value 1 (a text column: `c=token` for each token and n-gram)
//   a number in column c      -> the feature `c` with that value
//   true in column c          -> the feature `c=true`
//   a list in column c        -> a feature for each element: `c=v` for texts, booleans and integers, `c.0`, `c.1` and
//   so
//                                on for other numbers, which have a place
//   a date or time in column c -> its text, like 2024-05-17 or 2024-05-17 08:30:00, also where it is written with a T
//   an interaction of a and b -> the feature `a=x&b=y`, whose key combines the keys of `a=x` and `b=y`
// What is missing (null, NaN, an empty text) makes no feature, or `c=(missing)` where that is asked for.
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
#include "wmsketch/readers/rejected_rows.hpp"

namespace wmsketch {

// The values of the words of a text, each once: their counts, or these scaled so that the text has the length 1.
enum class WordValues : std::uint8_t { unit, sublinear, counts };  // sublinear: 1 + log(count), scaled in the same way

struct EncoderOptions {
  std::string label{}, weight{}, time{};  // columns; empty: none
  std::optional<std::string> positive{};  // this label is positive, all others negative; without it: true, or above 0
  bool require_labels = true;
  bool many_classes = false;            // every label is a class
  std::vector<std::string> features{};  // only these columns (and those inside them); empty: all but the ignored ones
  std::vector<std::string> ignore{}, numeric{}, categorical{}, text{};
  std::vector<std::pair<std::string, std::string>> interactions{};
  std::uint32_t ngrams = 1;                      // the longest n-gram of a text column
  bool lowercase = false;                        // ASCII letters of text columns
  WordValues word_values = WordValues::counts;   // of text columns
  std::vector<std::string> na{};                 // further words that mean missing, in all columns
  bool count_missing = false;                    // a missing value is the feature `c=(missing)`
  std::map<std::string, ColumnKind> kinds{};     // of columns in the data that a model learned from; values must agree
  std::map<std::string, ColumnKind> seen{};      // what values said for themselves in that data; others may follow
  std::optional<std::set<std::string>> known{};  // all columns of that data; a column beside these makes no feature
  NameSecret secret{};                           // that names are hashed under
  std::vector<std::string> expected{};           // a row must have one of these columns, or none at all; empty: any
  ConditionOptions where{};                      // rows that do not fulfil it are left out; no percentiles
};

// The number that a text is, blanks around it aside.
bool read_number_in(std::string_view text, double& value);
inline std::optional<double> number_in(std::string_view text) {
  double value;
  return read_number_in(text, value) ? std::optional(value) : std::nullopt;
}
std::optional<bool> boolean_in(std::string_view text);  // true or false, in any case of letters
bool is_missing(std::string_view text);                 // empty, or a word for what is no number: NaN, NA, null

// The name of the feature that a text makes in a column: `column=text`, or the text alone in a column without a name.
void append_category_name(std::string& to, std::string_view column, std::string_view text);

inline constexpr int kDeepestNesting = 100;  // nesting is recursion: a hostile row must not end the stack

class RowEncoder {
 public:
  enum class Role : std::uint8_t { skip, label, weight, time, automatic, numeric, categorical, text };
  using ColumnId = std::uint32_t;

  explicit RowEncoder(EncoderOptions options);
  ~RowEncoder();

  // An id for a column, good until the next `take`.
  ColumnId column(std::string_view name);
  Role role(ColumnId column) const { return columns_[column].role; }
  const std::string& column_name(ColumnId column) const { return columns_[column].name; }
  std::vector<std::string> column_names() const;
  // The column `outer.inner`, as that of a nested value is called.
  ColumnId column_inside(ColumnId outer, std::string_view inner);
  // Whether the elements of a list are all values of its own column: texts, categories or numbers by a rule. Else those
  // that are lists, objects or fractions have a place, `column.0`, `column.1` and so on.
  bool takes_whole_lists(ColumnId column) const {
    const Role role = columns_[column].role;
    return role == Role::text || role == Role::categorical || role == Role::numeric;
  }
  // Tells that a row has a column, for `expected`.
  void see_column(ColumnId column) {
    const Column& seen = columns_[column];
    if (row_has_expected_ || options_.expected.empty() || (seen.role < Role::automatic && !seen.unknown)) return;
    row_has_expected_ = seen.expected;
    if (!seen.expected) unexpected_ = column;
  }

  // Columns keep the kind they are given first, in all files of an input. A value that contradicts is a BadValue.
  ColumnKind kind(ColumnId column) const { return columns_[column].kind; }
  void set_kind(ColumnId column, ColumnKind kind);
  [[noreturn]] void refuse_kind(ColumnId column, std::string_view value) const;
  // Whether numbers of a column are taken as they are written.
  bool wants_text(ColumnId column) const;

  const LabelRule& label_rule() const { return rule_; }
  // Whether a text is one of the further words that mean missing.
  bool is_na(std::string_view text) const {
    return !options_.na.empty() && std::find(options_.na.begin(), options_.na.end(), text) != options_.na.end();
  }
  // Whether the data that a model learned from had no such column, so that it makes no feature.
  bool is_unknown(ColumnId column) const { return columns_[column].unknown; }
  std::vector<std::string> unknown_names() const;
  std::vector<std::string> number_names() const;  // columns that have had numbers
  // Names in the options that no column has had so far.
  const std::vector<std::string>& unseen_names() const { return unseen_; }
  // Columns that had codes, with the first of each: they are read as text, or as numbers where the model says so. In a
  // column of numbers that the model learned as text, the codes may have lost their zeros: `first` is empty.
  struct Code {
    std::string column, first;
    bool is_number;
  };
  const std::vector<Code>& codes() const { return codes_; }
  void note_code(ColumnId column, std::string_view code, bool is_number);

  void add_text(ColumnId column, std::string_view value);
  void add_number(ColumnId column, double value, std::string_view written);  // as it stands in the file
  void add_number(ColumnId column, double value);                            // that was never written
  void add_bool(ColumnId column, bool value, std::string_view written);
  void add_missing(ColumnId column);
  void add_nothing(ColumnId column);  // it is there, but empty, as a list may be

  // Where there is a condition, a row's values are given twice. Between `start_test` and `passes` they are compared and
  // nothing else, so that a row that is left out may have any label and any value. Readers that know the values of a
  // column may give those of tested columns by `test`.
  bool has_condition() const { return condition_.size() > 0; }
  bool is_tested(ColumnId column) const { return !columns_[column].tests.empty(); }
  void start_test();
  void test(ColumnId column, std::string_view word, std::optional<double> number);
  bool passes();

  void end_row();   // throws BadValue when the row lacks its label, weight or time
  void drop_row();  // forgets what was added since the last end_row
  std::unique_ptr<RowBlock> take();

  // For one row after the other in the same memory: what was added since `restart`.
  const RowBlock& rows() const;
  void restart();
  // Note the columns of all rows from now on, not only those of the first ones of a stream.
  void note_columns(bool all) { notes_all_ = all; }
  // Whether ids of columns that were given out before are still good; `take` and `restart` may forget columns.
  std::uint64_t generation() const { return generation_; }

 private:
  class Block;
  struct Slice;
  struct Column {
    std::string name, prefix;  // "name=", which a category begins with
    Role role;
    bool unknown = false;
    bool expected = false;  // it is one of `expected`, or lies inside one, or around one
    ColumnKind kind = ColumnKind::unknown, seen = ColumnKind::unknown;
    std::vector<std::uint32_t> tests;  // comparisons of the condition that look at it
    std::vector<std::uint32_t> sides;  // interactions this column takes part in: 2 * interaction + side
    std::uint64_t name_block = 0;      // the block whose arena has the name, for numbers
    std::uint32_t name_begin = 0;      // and where
    std::uint32_t key = 0;             // of the name
    std::uint64_t noted_block = 0;     // the block whose column_names has the name
    std::uint32_t noted = 0;           // and where
    std::uint64_t noted_row = 0;       // the row that has it in row_columns_
    std::uint32_t noted_place = 0;     // and where
  };
  static constexpr std::uint32_t kUnset = 0xffffffffu;
  void start_row();
  void require_expected_column() const;
  static constexpr std::size_t kFirstRows = 16;  // whose columns are noted

  Role role_of(std::string_view name) const;
  bool is_known(std::string_view name) const;
  void see(ColumnId id, ColumnKind kind) {
    const ColumnKind seen = columns_[id].seen;
    if (notes() || (seen != kind && seen != ColumnKind::mixed)) see_news(id, kind);
  }
  void see_news(ColumnId column, ColumnKind kind);
  bool takes_code(ColumnId column, std::string_view code);
  void add_category(const Column& column, std::string_view value);
  void add_tokens(ColumnId column, std::string_view text);
  void note(ColumnId column, ColumnKind kind);
  bool notes() const { return notes_all_ || n_noted_ < kFirstRows; }
  void forget_columns();
  void add_named(const Column& column, std::uint32_t begin);  // the feature whose name ends the arena
  void append_named(std::uint32_t begin);
  void merge_words(std::size_t first);  // those from this place on: each once, with its value
  void add_numeric(Column& column, double value);
  void add_interactions();
  void remember(const Column& column, std::size_t place) {  // for its interactions
    for (const std::uint32_t side : column.sides)
      sides_[side / 2][side % 2].push_back(static_cast<std::uint32_t>(place));
  }
  std::optional<double> label_number(std::string_view value) const;
  void set_label(const Column& column, std::string_view word, std::optional<double> number);
  void set_weight(const Column& column, double weight);
  void set_time(const Column& column, std::optional<double> seconds, std::string_view written);

  EncoderOptions options_;
  LabelRule rule_;
  Condition condition_;
  bool testing_ = false;
  std::optional<double> positive_number_;
  std::vector<Column> columns_;
  std::unordered_map<std::string, ColumnId, SeededHash> ids_;
  std::map<std::string, ColumnKind> kinds_;
  std::vector<std::string> unseen_;
  std::vector<Code> codes_;
  std::vector<double> na_numbers_;  // those of the words that are numbers
  std::string scratch_;
  std::vector<std::pair<std::size_t, std::size_t>> tokens_;
  std::vector<std::uint32_t> word_places_, word_counts_;
  std::vector<RowBlock::ColumnOfRow> row_columns_;
  std::vector<std::pair<ColumnId, ColumnKind>> row_seen_;  // columns that this row changed the kind of, and it before
  std::size_t row_reported_ = 0;                           // how many of them the block tells
  std::size_t n_noted_ = 0;                                // rows
  std::uint64_t row_number_ = 1;
  std::size_t name_bytes_ = 0;  // of the columns
  bool notes_all_ = false;
  std::uint64_t generation_ = 0;
  std::unique_ptr<Block> block_;
  std::uint64_t n_blocks_ = 1;
  bool row_has_expected_ = false;
  ColumnId unexpected_ = kUnset;  // a column of this row that is not expected
  std::int8_t row_class_ = 0;     // 0: not seen yet
  double row_weight_ = -1;        // negative: not seen yet
  std::optional<double> row_time_;
  std::vector<std::array<std::vector<std::uint32_t>, 2>> sides_;  // features of this row on each side of interactions
};

}  // namespace wmsketch
