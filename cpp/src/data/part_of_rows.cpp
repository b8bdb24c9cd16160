#include "wmsketch/data/part_of_rows.hpp"

#include <algorithm>
#include <stdexcept>

namespace wmsketch {

PartOfRows::PartOfRows(const RowBlock& whole, std::size_t first, std::size_t last) : whole_(whole) {
  if (first > last || last > whole.size())
    throw std::invalid_argument("cannot take the rows " + std::to_string(first) + " to " + std::to_string(last) +
                                " of a block of " + std::to_string(whole.size()));
  before_ = static_cast<std::size_t>(whole.starts[first]);
  named = whole.named;
  secret = whole.secret;
  for (std::size_t row = first; row < last; ++row) append_row(whole, row);
  if (first < whole.first_rows.size()) {
    const auto at = [&](std::size_t row) {
      return whole.first_rows.begin() + static_cast<std::ptrdiff_t>(std::min(row, whole.first_rows.size()));
    };
    column_names = whole.column_names;
    first_rows.assign(at(first), at(last));
  }
  new_kinds = whole.new_kinds;  // which row changed a kind is unknown, and to learn of it twice changes nothing
  more_new_kinds = whole.more_new_kinds;
}

}  // namespace wmsketch
