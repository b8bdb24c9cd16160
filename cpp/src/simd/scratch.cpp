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
  if (!ascending && all_different(row)) return row;
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

// Whether no key occurs twice. Each key marks a place with the number of this row. Only if two meet, which happens to
// one row of a hundred keys in ten, keys are compared: without that, no step has to wait for another.
bool Scratch::all_different(const SparseRow& row) {
  constexpr int kBits = 15;
  marks_.resize(std::size_t{1} << kBits);
  if (++row_mark_ == 0) {
    std::ranges::fill(marks_, std::uint8_t{0});
    row_mark_ = 1;
  }
  const Key* const keys = row.keys;  // copies, because a mark might be a part of anything
  const std::size_t n = row.size;
  std::uint8_t* const marks = marks_.data();
  const std::uint8_t mark = row_mark_;
  bool met = false;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint8_t& place = marks[(keys[i] * 0x9e3779b1u) >> (32 - kBits)];
    met |= place == mark;
    place = mark;
  }
  return !met || all_different_by_comparing(row);
}

// Open addressing: a slot holds the index of a key plus one, or 0. The table is large, because every occupied slot on
// the way causes a branch misprediction.
bool Scratch::all_different_by_comparing(const SparseRow& row) {
  const std::size_t slots = std::bit_ceil(4 * row.size);
  const int shift = 32 - std::countr_zero(slots);
  table_.assign(slots, 0);
  for (std::size_t i = 0; i < row.size; ++i) {
    std::size_t at = (row.keys[i] * 0x9e3779b1u) >> shift;
    for (; table_[at] != 0; at = (at + 1) & (slots - 1))
      if (row.keys[table_[at] - 1] == row.keys[i]) return false;
    table_[at] = static_cast<std::uint32_t>(i + 1);
  }
  return true;
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
