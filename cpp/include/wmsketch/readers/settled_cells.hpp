// Encodes the cells of a row whose columns are settled: nothing but the number or the text has to be looked at.
#pragma once

#include "wmsketch/readers/numbers.hpp"
#include "wmsketch/readers/row_encoder_block.hpp"

namespace wmsketch {

// A cell of a row. 64 characters can be read from `at`, unless it is not `padded`.
struct SettledCell {
  const char* at;
  std::size_t size;
  bool padded;
};

// The numbers that are neither codes nor infinite as a float.
inline bool read_settled_number(const SettledCell& cell, double& value) {
  const char* const at = cell.at;
  if (*at == '0' && is_digit(at[1])) return false;
  if (read_short_number(at, cell.size, value)) return true;
  return cell.size > 8 && read_number(at, value) == at + cell.size && fits_float(value) && !is_code({at, cell.size});
}

template <class CellAt>
std::size_t RowEncoder::add_settled(std::vector<SettledColumn>& columns, std::size_t first, const CellAt& cell_at) {
  Block& block = *block_;
  struct Room {  // for a feature of each cell; what is not used goes at the end
    Block& block;
    std::size_t n;
    Room(Block& its_block, std::size_t more) : block(its_block), n(its_block.keys.size()) { resize(n + more); }
    ~Room() { resize(n); }
    void resize(std::size_t size) {
      block.keys.resize(size);
      block.values.resize(size);
      block.names.resize(size);
    }
  } room(block, columns[first].n_settled);
  Key* const keys = block.keys.data();
  float* const values = block.values.data();
  std::uint32_t* const names = block.names.data();
  SettledColumn* const settled = columns.data();
  const std::size_t end = first + columns[first].n_settled;
  const bool drops_empty = !options_.count_missing;
  std::size_t n = room.n, i = first;
  for (; i < end; ++i) {
    SettledColumn& column = settled[i];
    if (column.form == Form::skipped) continue;
    const SettledCell cell = cell_at(i);
    if (cell.size == 0 && drops_empty) continue;
    if (!cell.padded || cell.size == 0) break;
    if (column.form == Form::text) {
      if (cell.size > ValueMemo::kLongest) break;
      const ValueMemo::Text text = cell.size <= ValueMemo::kShort ? ValueMemo::text_of_padded(cell.at, cell.size)
                                                                  : ValueMemo::text_of({cell.at, cell.size});
      ValueMemo::Entry& entry = memo_->place(column.id, text);
      if (!ValueMemo::holds(entry, n_blocks_, column.id, text, block.arena)) {
        if (block.arena.size() > kMostSettledBytes) break;
        name_category(column.id, text, &entry);
      }
      if (!column.listed) list_settled(column);
      keys[n] = entry.key;
      values[n] = 1;
      names[n] = entry.name;
    } else {
      double value;
      if (!read_settled_number(cell, value)) break;
      if (!column.listed) list_settled(column);
      block.numbers.push_back({value, static_cast<std::uint32_t>(n)});
      keys[n] = column.key;
      values[n] = static_cast<float>(value);
      names[n] = column.name_in_block;
    }
    room.n = ++n;
  }
  return i;
}

}  // namespace wmsketch
