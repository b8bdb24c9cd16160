// Some consecutive rows of a block as a block.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "wmsketch/data/row_block.hpp"

namespace wmsketch {

// The rows from `first` up to, but not including, `last`. Only these rows are copied, so that a block can be cut into
// many parts. Names are read from the whole block, which must outlive this object unchanged.
class PartOfRows final : public RowBlock {
 public:
  PartOfRows(const RowBlock& whole, std::size_t first, std::size_t last);

  std::string name(std::size_t i) const override { return whole_.name(before_ + i); }
  std::string_view name_view(std::size_t i, std::string& scratch) const override {
    return whole_.name_view(before_ + i, scratch);
  }
  Cell cell(std::size_t i, std::string& scratch) const override { return whole_.cell(before_ + i, scratch); }

 private:
  const RowBlock& whole_;
  std::size_t before_;  // features of the whole block before the first row
};

}  // namespace wmsketch
