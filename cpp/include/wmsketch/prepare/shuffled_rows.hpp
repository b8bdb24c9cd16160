// The rows of several blocks as one block, shuffled by a seed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "wmsketch/data/row_block.hpp"

namespace wmsketch {

// Names are read from the blocks, which must outlive this object unchanged. The first rows of a stream stay in front,
// because their columns decide whether it is a table.
class ShuffledRows final : public RowBlock {
 public:
  // `weights` replaces the weights of each block, one per row. Empty: the blocks' own weights.
  ShuffledRows(std::vector<const RowBlock*> blocks, std::uint64_t seed,
               const std::vector<std::span<const float>>& weights = {});

  std::string name(std::size_t i) const override { return blocks_[origins_[i].block]->name(origins_[i].at); }

 private:
  struct Place {
    std::uint32_t block, at;  // index of a row or of a feature in the block
  };

  void add(Place row, std::span<const float> its_weights);

  std::vector<const RowBlock*> blocks_;
  std::vector<Place> origins_;  // origin of each feature
};

}  // namespace wmsketch
