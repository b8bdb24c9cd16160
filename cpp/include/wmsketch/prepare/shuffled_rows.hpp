// Rows of several blocks as one, in an order that a seed decides.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "wmsketch/data/row_block.hpp"

namespace wmsketch {

// Names are read from the blocks, which must not change meanwhile. The first rows of a stream stay in front, because
// their columns decide whether it is a table.
class ShuffledRows final : public RowBlock {
 public:
  // `weights` of a block, one a row, stand in for its own; none: its own.
  ShuffledRows(std::vector<const RowBlock*> blocks, std::uint64_t seed,
               const std::vector<std::span<const float>>& weights = {});

  std::string name(std::size_t i) const override { return blocks_[origins_[i].block]->name(origins_[i].at); }

 private:
  struct Place {
    std::uint32_t block, at;  // the number of a row, or of a feature
  };

  void add(Place row, std::span<const float> its_weights);

  std::vector<const RowBlock*> blocks_;
  std::vector<Place> origins_;  // of each feature
};

}  // namespace wmsketch
