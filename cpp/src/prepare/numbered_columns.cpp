// Decides whether rows of numbered features are a table.
#include <algorithm>
#include <cmath>
#include <map>

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

std::optional<Schema> Schema::decide_numbered(const RowBlock* block, std::span<const float> weights,
                                              std::size_t n_columns, bool now) const {
  FirstRows first;
  first.add(held_, held_.weights);
  if (block) first.add(*block, weights);
  const bool fits = !block || held_.nbytes() + HeldRows::bytes_of(*block) <= options_.most_held_bytes;
  if (!now && fits && !first.enough()) return std::nullopt;

  std::size_t n_full = 0;
  bool others_are_ones = true;
  for (const auto& [key, seen] : first.columns) {
    n_full += first.is_full(seen);
    others_are_ones = others_are_ones && (first.is_full(seen) || seen.only_ones);
  }
  const bool mostly_full = 2 * n_full >= first.columns.size() || options_.numbers == Numbers::scaled;
  if (first.rows < 2 || (n_full == 0 && others_are_ones)) return open(options_);

  const auto table_of = [&](bool every_column) {
    std::vector<Column> columns;
    const auto add = [&](Key key, bool full) {
      columns.push_back({std::to_string(key), full ? ColumnKind::number : ColumnKind::sparse, NumberScale{}});
    };
    if (every_column && n_columns > 0) {
      for (std::size_t c = 0; c < n_columns; ++c) {
        const auto found = first.columns.find(static_cast<Key>(c));
        add(static_cast<Key>(c), found != first.columns.end() && first.is_full(found->second));
      }
    } else {
      for (const auto& [key, seen] : first.columns)
        if (every_column || first.is_full(seen)) add(key, first.is_full(seen));
    }
    Schema schema = of_columns(columns, options_, true);
    schema.set_first_ranges(held_, block, weights);
    return schema;
  };
  const auto fits_in = [&](std::size_t n) {
    return n <= kMostColumns &&
           n * (sizeof(Entry) + sizeof(NumberScale) + 4 * sizeof(std::uint16_t)) <= options_.most_bytes;
  };
  // Which columns form the table. Of an array: all that fit. Of sparse rows: all that were seen, or only the full ones
  // if the others are one-hot features. Other sparse rows, like texts, are no table.
  if (n_columns > 0 && fits_in(n_columns)) return table_of(true);
  if (mostly_full && fits_in(first.columns.size())) return table_of(true);
  if (n_full > 0 && others_are_ones && fits_in(n_full)) return table_of(false);
  return open(options_);
}

}  // namespace wmsketch
