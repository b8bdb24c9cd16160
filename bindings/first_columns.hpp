// The cells of the first rows of a block, as Python objects by column.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "text.hpp"
#include "wmsketch/data/row_block.hpp"

namespace wmsketch::python {

constexpr std::size_t kAnyWidth = 0xffffffffu;

// The cells of the first rows by column, in the order in which columns occur: the number of the row, counted from
// `row`, and the value of each. Bags of words have very many columns: words with fewer cells than `fewest` are left
// out.
using ColumnCells = nb::typed<nb::tuple, nb::typed<nb::list, int>, nb::typed<nb::list, nb::any>>;
inline nb::typed<nb::dict, nb::str, ColumnCells> first_columns(const RowBlock& block, std::size_t n_rows,
                                                               std::size_t row, std::size_t widest,
                                                               std::size_t fewest) {
  struct Cells {
    nb::list rows, values;
  };
  std::map<std::string, Cells, std::less<>> cells;
  std::unordered_map<Key, std::size_t> counts;  // by the key of a word
  const std::size_t last = std::min(n_rows, block.size());
  const bool leaves_out = fewest > 1 && block.numbers.empty();
  if (leaves_out)
    for (auto i = block.starts.front(); i < block.starts[last]; ++i) ++counts[block.keys[static_cast<std::size_t>(i)]];
  nb::typed<nb::dict, nb::str, ColumnCells> found;
  std::string scratch;
  auto number = block.numbers.begin();
  for (std::size_t r = 0; r < last; ++r) {
    const nb::int_ at(row + r);
    const auto begin = static_cast<std::size_t>(block.starts[r]);
    const std::size_t end = begin + std::min(widest, static_cast<std::size_t>(block.starts[r + 1]) - begin);
    for (std::size_t i = begin; i < end; ++i) {
      const RowBlock::Cell cell = block.cell(i, scratch);
      if (leaves_out && cell.is_number && counts[block.keys[i]] < fewest) continue;
      auto known = cells.find(cell.column);
      if (known == cells.end()) {
        known = cells.emplace(cell.column, Cells{}).first;
        found[escaped(cell.column)] = nb::make_tuple(known->second.rows, known->second.values);
      }
      while (number != block.numbers.end() && number->place < i) ++number;
      known->second.rows.append(at);
      if (!cell.is_number)
        known->second.values.append(escaped(cell.word));
      else
        known->second.values.append(number != block.numbers.end() && number->place == i ? number->value
                                                                                        : double{block.values[i]});
    }
  }
  return found;
}

}  // namespace wmsketch::python
