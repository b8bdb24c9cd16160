#include "wmsketch/data/part_of_rows.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace wmsketch {

PartOfRows::PartOfRows(const RowBlock& whole, std::size_t first, std::size_t last) : RowBlock(whole), whole_(whole) {
  if (first > last || last > whole.size())
    throw std::invalid_argument("cannot take the rows " + std::to_string(first) + " to " + std::to_string(last) +
                                " of a block of " + std::to_string(whole.size()));
  starts.resize(last + 1);
  const auto cut = [last](auto& values) {
    if (values.size() > last) values.resize(last);
  };
  cut(labels);
  cut(weights);
  cut(times);
  cut(classes);
  cut(targets);
  cut(first_rows);
  drop_first_rows(first);
  const auto outside = [&](const auto& entry) { return entry.place < starts.front() || entry.place >= starts.back(); };
  std::erase_if(numbers, outside);
  std::erase_if(products, outside);
  if (first > 0) new_kinds.clear();
}

}  // namespace wmsketch
