// Some consecutive rows of a block as a block.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "wmsketch/data/row_block.hpp"

namespace wmsketch {

// The rows from `first` up to, but not including, `last`. Names are read from the whole block, which must outlive this
// object unchanged; so keys keep their places.
class PartOfRows final : public RowBlock {
 public:
  PartOfRows(const RowBlock& whole, std::size_t first, std::size_t last);

  std::string name(std::size_t i) const override { return whole_.name(i); }
  std::string_view name_view(std::size_t i, std::string& scratch) const override {
    return whole_.name_view(i, scratch);
  }
  Cell cell(std::size_t i, std::string& scratch) const override { return whole_.cell(i, scratch); }

 private:
  const RowBlock& whole_;
};

}  // namespace wmsketch
