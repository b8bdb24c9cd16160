// Whether a row has a key twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "wmsketch/data/sparse_row.hpp"

namespace wmsketch {

class DifferentKeys {
 public:
  // Whether no key occurs twice.
  bool are_in(const Key* keys, std::size_t n);

 private:
  bool surely_are_in(const Key* keys, std::size_t n);

  std::vector<std::uint8_t> last_row_;  // for each hash, the number of the last row with a key of this hash
  std::uint8_t row_ = 0;
  std::vector<std::uint32_t> table_;
};

}  // namespace wmsketch
