// The first rows of a stream, kept until it is clear what they are. They own all they need to be learned later.
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

  // Copies the features and columns of all rows; labels, weights and times are added by the caller. The columns of a
  // row come with it as far as the block has them.
  void add_features(const RowBlock& block);

  std::string name(std::size_t i) const override;
  std::size_t nbytes() const;                          // of these rows
  static std::size_t bytes_of(const RowBlock& block);  // that its rows would take here
  void archive(Archive& archive);

  std::vector<std::string> introduced;  // classes that were told before their first rows

 private:
  void check() const;

  std::string arena_;
  std::vector<std::uint32_t> name_ends_;  // in the arena, one a key
};

}  // namespace wmsketch
