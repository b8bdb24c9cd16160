// A batch of rows that owns its memory: what readers produce and learners consume.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "wmsketch/data/hashing.hpp"
#include "wmsketch/data/sparse_row.hpp"
#include "wmsketch/data/table_hash.hpp"

namespace wmsketch {

// What a column holds. Unknown: no value so far. Mixed: values of several kinds, as JSON allows.
enum class ColumnKind : std::uint8_t { unknown, number, boolean, text, mixed };

// Readers whose features have names derive from this, override `name` and set `named`.
class RowBlock : public NameSource {
 public:
  std::vector<std::int64_t> starts{0};
  std::vector<Key> keys;
  std::vector<float> values;
  std::vector<std::int8_t> labels;  // -1 or +1 a row; empty when the input has none
  std::vector<float> weights;       // one a row, or empty
  std::vector<double> times;        // in seconds, one a row, or empty
  bool named = false;
  NameSecret secret{};  // that names are hashed under

  // Which values are numbers of columns, as they were before they became floats, in the order of their places.
  struct Number {
    double value;
    std::uint32_t place;  // in keys and values
  };
  std::vector<Number> numbers;
  // Which values are the products of two others: interactions.
  struct Product {
    std::uint32_t place, left, right;  // in keys and values
  };
  std::vector<Product> products;

  // The columns of the first rows of a stream, and the kinds of their values. From these a model decides whether the
  // rows are a table or have an open vocabulary. Empty: the rows have no columns.
  struct ColumnOfRow {
    std::uint32_t column;  // in column_names
    ColumnKind kind;       // unknown: there is no value
    friend bool operator==(const ColumnOfRow&, const ColumnOfRow&) = default;
  };
  std::vector<std::string> column_names;
  std::vector<std::vector<ColumnOfRow>> first_rows;
  // Columns whose kind has changed in this block, with their new kind.
  std::vector<std::pair<std::string, ColumnKind>> new_kinds;
  bool more_new_kinds = false;  // there were too many to list

  // In place of labels, where there are many classes: for each row the place of its text among the different ones. A
  // text begins with its kind: s for a string, i for an integer, b for false (b0) or true (b1).
  std::vector<std::uint32_t> classes;
  std::vector<std::string> class_texts;

  std::size_t size() const { return starts.size() - 1; }
  std::string name(std::size_t) const override { return {}; }
  // The same without a copy, where the block stores the name; otherwise the name is made in `scratch`.
  virtual std::string_view name_view(std::size_t i, std::string& scratch) const { return scratch = name(i); }

  void add_class(const std::string& text) {
    const auto next = static_cast<std::uint32_t>(class_texts.size());
    const auto [found, is_new] = places_.try_emplace(text, next);
    if (is_new) class_texts.push_back(text);
    classes.push_back(found->second);
  }

  // Keys stay where they are, because names are found by their place.
  void drop_first_rows(std::size_t n);

  RowBatch batch() const { return {starts, keys, values, labels, weights, named ? this : nullptr, times}; }

  void clear() {
    starts.assign(1, 0);
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
    places_.clear();
  }

 private:
  std::unordered_map<std::string, std::uint32_t, SeededHash> places_;  // of the texts
};

}  // namespace wmsketch
