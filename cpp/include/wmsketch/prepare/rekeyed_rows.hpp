// The rows of a block, rekeyed for a model that hashes names with another secret.
#pragma once

#include "wmsketch/data/row_block.hpp"

namespace wmsketch {

// Names are read from the block, which must outlive this object unchanged.
class RekeyedRows final : public RowBlock {
 public:
  RekeyedRows(const RowBlock& block, const NameSecret& secret);

  std::string name(std::size_t i) const override { return block_.name(i); }
  std::string_view name_view(std::size_t i, std::string& scratch) const override {
    return block_.name_view(i, scratch);
  }
  Cell cell(std::size_t i, std::string& scratch) const override { return block_.cell(i, scratch); }
  NumberedNames numbered_names() const override { return block_.numbered_names(); }

 private:
  const RowBlock& block_;
};

// Calls `use` with the block if its secret matches, otherwise with its rekeyed rows.
template <class Use>
auto with_keys_under(const NameSecret& secret, const RowBlock& block, Use use) {
  if (!block.named || block.secret == secret) return use(block);
  return use(static_cast<const RowBlock&>(RekeyedRows(block, secret)));
}

}  // namespace wmsketch
