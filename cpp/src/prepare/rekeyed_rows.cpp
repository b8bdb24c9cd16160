#include "wmsketch/prepare/rekeyed_rows.hpp"

namespace wmsketch {

RekeyedRows::RekeyedRows(const RowBlock& block, const NameSecret& to) : RowBlock(block), block_(block) {
  secret = to;
  std::string scratch;
  for (std::size_t i = static_cast<std::size_t>(starts.front()); i < static_cast<std::size_t>(starts.back()); ++i)
    keys[i] = key_of_name(block.name_view(i, scratch), secret);
  for (const auto& [place, left, right] : products) keys[place] = combine_keys(keys[left], keys[right]);
}

}  // namespace wmsketch
