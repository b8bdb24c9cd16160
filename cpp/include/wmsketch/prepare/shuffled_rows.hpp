// The rows of several blocks as one block, shuffled by a seed or in a given order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
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
  // The rows with these numbers, counted over all blocks. `first_rows` stay those of the blocks.
  ShuffledRows(std::vector<const RowBlock*> blocks, std::span<const std::int64_t> order);

  std::string name(std::size_t i) const override { return blocks_[origins_[i].block]->name(origins_[i].at); }
  std::string_view name_view(std::size_t i, std::string& scratch) const override {
    return blocks_[origins_[i].block]->name_view(origins_[i].at, scratch);
  }
  Cell cell(std::size_t i, std::string& scratch) const override {
    Cell cell = blocks_[origins_[i].block]->cell(origins_[i].at, scratch);
    cell.id = kNoColumn;  // other blocks have other ids
    return cell;
  }

 private:
  struct Place {
    std::uint32_t block, at;  // index of a row or of a feature in the block
  };

  std::vector<Place> rows_of_blocks();
  void prefetch(const std::vector<Place>& rows, std::size_t i) const;
  void add(Place row, std::span<const float> its_weights);

  std::vector<const RowBlock*> blocks_;
  std::vector<Place> origins_;  // origin of each feature
};

}  // namespace wmsketch
