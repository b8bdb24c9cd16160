// Copies of the first rows of a stream, kept until it is clear whether they are a table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/row_block.hpp"

namespace wmsketch {

class HeldRows final : public RowBlock {
 public:
  HeldRows() { named = true; }  // until features without names are added

  // Copies the features of all rows, and their columns if the block has them. The caller appends labels, weights and
  // times.
  void add_features(const RowBlock& block);

  std::string name(std::size_t i) const override;
  std::size_t nbytes() const;                          // of these rows
  static std::size_t bytes_of(const RowBlock& block);  // bytes that the rows of a block would take here
  void archive(Archive& archive);

  bool streamed = false;                // the last row came by itself; see RowBatch
  std::vector<std::string> introduced;  // classes declared before their first rows

 private:
  void check() const;

  std::string arena_;
  std::vector<std::uint32_t> name_ends_;  // end of each key's name in arena_
};

}  // namespace wmsketch
