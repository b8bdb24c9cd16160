// The first rows of a stream, copied and kept until it is clear whether they are a table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/row_block.hpp"

namespace wmsketch {

class HeldRows final : public RowBlock {
 public:
  HeldRows() { named = true; }

  // Copies the features of all rows, and their columns where the block has them. The caller adds labels, weights and
  // times.
  void add_features(const RowBlock& block);

  std::string name(std::size_t i) const override;
  std::size_t nbytes() const;                          // of these rows
  static std::size_t bytes_of(const RowBlock& block);  // that the rows of a block would take here
  void archive(Archive& archive);

  std::vector<std::string> introduced;  // classes that were announced before their first rows

 private:
  void check() const;

  std::string arena_;
  std::vector<std::uint32_t> name_ends_;  // in the arena, one a key
};

}  // namespace wmsketch
