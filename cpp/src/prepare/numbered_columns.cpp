// Decides whether rows of numbered features are a table.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "wmsketch/prepare/column_sizes.hpp"
#include "wmsketch/prepare/numbered_rows.hpp"
#include "wmsketch/prepare/schema.hpp"

namespace wmsketch {
namespace {

// What the first rows show of one numbered column.
struct Seen {
  std::size_t rows = 0;      // number of rows that have a value in this column
  std::size_t missing = 0;   // rows whose value is missing
  bool only_ones = true;     // an indicator, or a word of a text
  std::size_t last_row = 0;  // a feature that occurs twice in a row counts once
};

class FirstRows {
 public:
  void add(const RowBlock& block, std::span<const float> weights) {
    const std::vector<double> wide = wide_values_of(block);
    for (std::size_t row = 0; row < block.size() && !enough(); ++row) {
      if (!weights.empty() && weights[row] == 0) continue;
      ++rows;
      for (std::int64_t i = block.starts[row]; i < block.starts[row + 1]; ++i) {
        const auto place = static_cast<std::size_t>(i);
        const bool missing = !wide.empty() && std::isnan(wide[place]);
        if (block.values[place] == 0 && !missing) continue;
        Seen& seen = columns[block.keys[place]];
        seen.missing += missing;
        if (missing) continue;
        sizes.add(block.keys[place], wide.empty() ? block.values[place] : wide[place]);
        seen.rows += seen.last_row != rows;
        seen.last_row = rows;
        seen.only_ones = seen.only_ones && block.values[place] == 1;
      }
    }
  }
  bool enough() const { return rows >= Schema::kFirstRows; }

  // Whether a column has a value in nearly all rows in which it is not missing, and not only ones.
  bool is_full(const Seen& seen) const {
    return seen.rows > 0 && 10 * seen.rows >= 9 * (rows - seen.missing) && !seen.only_ones;
  }

  std::size_t rows = 0;
  std::map<Key, Seen> columns;
  ColumnSizes sizes;
};

}  // namespace

// Whether features have numbers instead of names. If the block has no features, or there is no block, the held rows
// decide.
bool Schema::may_be_numbered(const RowBlock* block) const {
  if (!options_.numbered) return false;
  const bool held = held_.size() > 0 && !held_.keys.empty();
  if (held && held_.named) return false;
  if (block == nullptr || block->starts.back() == block->starts.front()) return held;
  return !block->named;
}

std::optional<Schema> Schema::decide_numbered(const RowBlock* block, std::span<const float> weights, MatrixWidth width,
                                              bool now) const {
  FirstRows first;
  first.add(held_, held_.weights);
  if (block) first.add(*block, weights);
  const bool fits = !block || fits_held(*block);
  if (!now && fits && !first.enough()) return std::nullopt;

  if (first.rows < 2) return open(options_);
  std::set<Key> seen_keys, full;
  bool others_are_ones = true;
  for (const auto& [key, seen] : first.columns) {
    seen_keys.insert(key);
    if (first.is_full(seen)) full.insert(key);
    others_are_ones = others_are_ones && (first.is_full(seen) || seen.only_ones);
  }
  const bool mostly_full = !full.empty() && 2 * full.size() >= first.columns.size();
  const auto fits_in = [&](std::size_t n) {
    return n <= kMostColumns &&
           n * (sizeof(Entry) + sizeof(NumberScale) + 4 * sizeof(std::uint16_t)) <= options_.most_bytes;
  };
  const auto table_of = [&](const std::set<Key>& keys, bool others) {
    std::vector<Column> columns;
    for (const Key key : keys)
      columns.push_back(
          {std::to_string(key), full.contains(key) ? ColumnKind::number : ColumnKind::sparse, NumberScale{}});
    Schema schema = of_columns(columns, options_, true);
    schema.others_ = others;
    schema.set_first_ranges(held_, block, weights);
    return schema;
  };
  // Which columns form the table. Of an array: all that fit. Of sparse rows: all that were seen, or only the full ones
  // if the others are one-hot features. Other sparse rows, like texts, are no table, except for columns whose numbers
  // are of another size.
  const bool all_ones = full.empty() && others_are_ones;
  const auto whole_table = [&] {
    for (std::size_t c = 0; fits_in(width.columns) && c < width.columns; ++c) seen_keys.insert(static_cast<Key>(c));
    return table_of(seen_keys, false);
  };
  if (!all_ones && width.dense && fits_in(width.columns)) return whole_table();
  const bool scaled = mostly_full || (!all_ones && options_.numbers == Numbers::scaled);
  if (scaled && fits_in(seen_keys.size())) return whole_table();
  if (others_are_ones && !full.empty() && fits_in(full.size())) return table_of(full, true);
  const std::set<Key> unusual = first.sizes.unusual();
  if (!all_ones && !unusual.empty() && fits_in(unusual.size()))
    return unusual.size() < seen_keys.size() ? table_of(unusual, true) : whole_table();
  return open(options_);
}

}  // namespace wmsketch
