#include "wmsketch/simd/scratch.hpp"

#include <algorithm>
#include <bit>

namespace wmsketch {

void Scratch::grow(std::size_t n) {
  room_ = std::bit_ceil(n + 8);
  for (auto* indices : {&hash, &line, &word, &candidates, &before, &after, &draw, &placed, &newcomers})
    indices->resize(room_);
  for (auto* reals : {&raw, &signed_value, &lightest, &estimate, &delta, &entering, &squares, &stepped})
    reals->resize(room_);
  located_packed_ = {located(),         squares.data(), before.data(), after.data(),    stepped.data(),
                     candidates.data(), draw.data(),    placed.data(), newcomers.data()};
}

SparseRow Scratch::join_repeats(const SparseRow& row) {
  const bool ascending = std::is_sorted(row.keys, row.keys + row.size);
  if (!ascending && different_.are_in(row.keys, row.size)) return row;
  keys_.resize(row.size);
  values_.resize(row.size);
  origin_.resize(row.size);
  const std::size_t n = ascending ? join_neighbours(row) : join_anywhere(row);
  return {keys_.data(), values_.data(), n, row.names, row.first, origin_.data()};
}

std::size_t Scratch::join_neighbours(const SparseRow& row) {
  std::size_t n = 0;
  Key last = ~row.keys[0];
  float sum = 0;
  for (std::size_t i = 0; i < row.size; ++i) {
    const bool again = row.keys[i] == last;
    last = row.keys[i];
    sum = again ? sum + row.values[i] : row.values[i];
    origin_[n] = static_cast<std::uint32_t>(i);  // overwritten later unless the key is new
    n += !again;
    keys_[n - 1] = last;
    values_[n - 1] = sum;
  }
  return n;
}

std::size_t Scratch::join_anywhere(const SparseRow& row) {
  const std::size_t slots = std::bit_ceil(2 * row.size);
  const int shift = 32 - std::countr_zero(slots);
  table_.assign(slots, 0);  // index into keys_ plus one, or 0
  std::size_t n = 0;
  for (std::size_t i = 0; i < row.size; ++i) {
    const Key key = row.keys[i];
    std::size_t at = (key * 0x9e3779b1u) >> shift;
    while (table_[at] != 0 && keys_[table_[at] - 1] != key) at = (at + 1) & (slots - 1);
    if (table_[at] == 0) {
      keys_[n] = key;
      values_[n] = row.values[i];
      origin_[n] = static_cast<std::uint32_t>(i);
      table_[at] = static_cast<std::uint32_t>(++n);
    } else {
      values_[table_[at] - 1] += row.values[i];
    }
  }
  return n;
}

}  // namespace wmsketch
