// Rows of six features, small keys more often than large ones.
#pragma once

#include <cstdint>

#include "wmsketch/data/random.hpp"
#include "wmsketch/data/row_block.hpp"

namespace wmsketch {

struct RandomRows {
  Key keys;             // are below this
  bool random_values;   // else 1
  Key positive_one_of;  // the label is positive if this divides the last key
};

inline void add_rows(RowBlock& block, const RandomRows& wanted, std::uint64_t seed, std::size_t n) {
  Random random(seed);
  for (std::size_t r = 0; r < n; ++r) {
    for (int i = 0; i < 6; ++i) {
      block.keys.push_back(random.below(1 + random.below(wanted.keys)));
      block.values.push_back(wanted.random_values ? static_cast<float>(random.uniform()) : 1.0f);
    }
    block.starts.push_back(static_cast<std::int64_t>(block.keys.size()));
    block.labels.push_back(block.keys.back() % wanted.positive_one_of == 0 ? 1 : -1);
  }
}

}  // namespace wmsketch
