// Rows of one feature of value 1 each, several at once (OnlineLinear::learn_keys).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "wmsketch/data/sparse_row.hpp"
#include "wmsketch/simd/kernels.hpp"

namespace wmsketch {

// WeightStore::find_rows fills the first part for a block of rows: it stays true while they are learned. `read_rows`
// fills the second part for kRowsAtOnce rows from `first` on. `step_rows` steps them one by one until a key wants to
// enter the active set, which takes `dot` and `add` (`enters`), or until the next row's weight has just been stepped
// and must be read again. It returns how many rows are done, the one that enters included.
struct KeyRows {
  static constexpr std::size_t kMost = 32, kPadded = kMost + kRowsAtOnce;
  std::array<Key, kPadded> key;
  std::array<std::uint32_t, kPadded> hash, line, cell;  // the places where a key may live

  std::array<std::uint32_t, kRowsAtOnce> word, line_read, active;  // active: all ones or none
  std::array<float, kRowsAtOnce> raw, sign;
};

}  // namespace wmsketch
