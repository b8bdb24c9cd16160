// Rows spread over a whole stream, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wmsketch/data/row_block.hpp"

namespace wmsketch {

// A sample of the rows of all blocks, chosen by a hash of their numbers: the same for the same rows, however they are
// divided into blocks. When there are too many, half are dropped. Names are not kept.
class SpreadRows final : public RowBlock {
 public:
  static constexpr std::size_t kMostRows = 8192, kMostFeatures = std::size_t{1} << 19;

  // Adds the next rows of the stream. Skips rows without a label and rows of weight 0. `weights`, one per row, replace
  // those of the block; if empty, its own are used.
  void add(const RowBlock& block, std::span<const float> weights = {});

 private:
  static std::uint64_t hash_of(std::uint64_t row);
  bool is_taken(std::uint64_t row) const { return (hash_of(row) & ((std::uint64_t{1} << level_) - 1)) == 0; }
  bool is_full() const { return size() > kMostRows || keys.size() > kMostFeatures; }
  void halve();

  std::uint64_t n_seen_ = 0;
  unsigned level_ = 0;                  // one row in 2^level is taken
  std::vector<std::uint64_t> numbers_;  // of the rows that are held
};

}  // namespace wmsketch
