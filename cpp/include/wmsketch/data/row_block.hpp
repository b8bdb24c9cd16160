// A batch of rows that owns its memory: what readers produce and learners consume.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "wmsketch/data/hashing.hpp"
#include "wmsketch/data/sparse_row.hpp"
#include "wmsketch/data/table_hash.hpp"

namespace wmsketch {

// The kind of values in a column. `unknown`: no value so far. `mixed`: values of several kinds, as JSON allows.
// `sparse`: numbers of an array, of which many are 0. `time`: dates and times, whose hour, weekday and month are
// features; of `time_mdy` and `time_dmy`, the month or the day comes first, as in 5/17/2024.
enum class ColumnKind : std::uint8_t { unknown, number, boolean, text, mixed, sparse, time, time_mdy, time_dmy };
inline constexpr auto kLastKind = ColumnKind::time_dmy;
inline bool is_time(ColumnKind kind) { return kind >= ColumnKind::time; }

inline constexpr double kMostTarget = 1e15;  // the largest number to predict

// Readers with named features derive from this class, override `name` and set `named`.
class RowBlock : public NameSource {
 public:
  std::vector<std::int64_t> starts{0};
  std::vector<Key> keys;
  std::vector<float> values;
  std::vector<std::int8_t> labels;  // -1 or +1 for each row; empty if the input has no labels
  std::vector<float> weights;       // one for each row, or empty
  std::vector<double> times;        // in seconds, one for each row, or empty
  bool named = false;
  bool distinct = false;  // no row has a key twice; false: not known
  NameSecret secret{};    // seeds the hash of the names

  // The values that are numbers of columns, before conversion to float, in ascending order of `place`.
  struct Number {
    double value;
    std::uint32_t place;  // index into keys and values
  };
  std::vector<Number> numbers;
  // The values that are products of two others (interactions).
  struct Product {
    std::uint32_t place, left, right;  // indices into keys and values
  };
  std::vector<Product> products;

  // The columns of the first rows of a stream, and the kinds of their values. From these a model decides whether the
  // rows form a table or have an open vocabulary. Empty if the rows have no columns.
  struct ColumnOfRow {
    std::uint32_t column;  // index into column_names
    ColumnKind kind;       // unknown: the row has no value here
    friend bool operator==(const ColumnOfRow&, const ColumnOfRow&) = default;
  };
  std::vector<std::string> column_names;
  std::vector<std::vector<ColumnOfRow>> first_rows;
  // Columns whose kind changed in this block, with the new kind.
  std::vector<std::pair<std::string, ColumnKind>> new_kinds;
  bool more_new_kinds = false;  // there were too many to list

  // Used instead of labels if there may be more than two classes. For each row, the index of its class in class_texts.
  // A text starts with its type: s for a string, i for an integer, b for false (b0) or true (b1).
  std::vector<std::uint32_t> classes;
  std::vector<std::string> class_texts;
  std::vector<double> targets;  // used instead of labels if a number is to be predicted; NaN: the row has none

  std::size_t size() const { return starts.size() - 1; }
  std::string name(std::size_t) const override { return {}; }
  // Like `name`, but without a copy if the block stores the name. Otherwise the name is built in `scratch`.
  virtual std::string_view name_view(std::size_t i, std::string& scratch) const { return scratch = name(i); }

  // A feature as the value of a column.
  static constexpr std::uint32_t kNoColumn = 0xffffffffu;
  struct Cell {
    std::string_view column, word;  // a number has no word
    bool is_number;
    std::uint32_t
        id;  // of the column within this block; kNoColumn: the block has no ids, and the texts may be in `scratch`
  };
  // Unless the block knows better, a name is `column=word`, or that of a column of numbers.
  virtual Cell cell(std::size_t i, std::string& scratch) const {
    const std::string_view name = name_view(i, scratch);
    const std::size_t equals = name.find('=');
    if (equals == std::string_view::npos) return {name, {}, true, kNoColumn};
    return {name.substr(0, equals), name.substr(equals + 1), false, kNoColumn};
  }

  // The names of the features by number, if the block has such numbers. A name may have several.
  struct NumberedNames {
    std::span<const std::uint32_t> of_features{};  // empty: no numbers
    std::size_t size = 0;                          // all numbers are below
  };
  virtual NumberedNames numbered_names() const { return {}; }

  void add_class(const std::string& text) {
    const auto next = static_cast<std::uint32_t>(class_texts.size());
    const auto [found, is_new] = places_.try_emplace(text, next);
    if (is_new) class_texts.push_back(text);
    classes.push_back(found->second);
  }

  // Appends a row of another block: its features without their names, its label, class, time and weight.
  void append_row(const RowBlock& from, std::size_t row);
  // Removes rows from the front. Keys stay in place, because names are found by the index of the key.
  void drop_first_rows(std::size_t n);

  RowBatch batch() const {
    RowBatch batch{starts, keys, values, labels, weights, named ? this : nullptr, times};
    batch.distinct = distinct;
    return batch;
  }

  void clear() {
    starts.assign(1, 0);
    distinct = false;
    keys.clear();
    values.clear();
    labels.clear();
    weights.clear();
    times.clear();
    numbers.clear();
    products.clear();
    column_names.clear();
    first_rows.clear();
    new_kinds.clear();
    more_new_kinds = false;
    classes.clear();
    class_texts.clear();
    targets.clear();
    places_.clear();
  }

 private:
  std::unordered_map<std::string, std::uint32_t, SeededHash> places_;  // index of each text in class_texts
};

}  // namespace wmsketch
