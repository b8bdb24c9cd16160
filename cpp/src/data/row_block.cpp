#include "wmsketch/data/row_block.hpp"

#include <algorithm>
#include <stdexcept>

namespace wmsketch {

void RowBlock::drop_first_rows(std::size_t n) {
  if (n > size())
    throw std::invalid_argument("cannot drop " + std::to_string(n) + " rows of a block of " + std::to_string(size()));
  const auto erase = [n](auto& values) {
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(std::min(n, values.size())));
  };
  erase(starts);
  erase(labels);
  erase(weights);
  erase(times);
  erase(classes);
  erase(first_rows);
}

}  // namespace wmsketch
