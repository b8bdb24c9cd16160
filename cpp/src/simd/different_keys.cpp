#include "wmsketch/simd/different_keys.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace wmsketch {
namespace {

constexpr std::uint32_t kFactor = 0x9e3779b1u;

}  // namespace

// Keys of different hashes are different, and few keys seldom have equal hashes. So most rows need no branch for a key,
// which could be mispredicted.
bool DifferentKeys::are_in(const Key* keys, std::size_t n) {
  constexpr std::size_t kFew = 128, kHashBits = 16;
  if (n > kFew) return surely_are_in(keys, n);
  if (row_ == std::numeric_limits<std::uint8_t>::max() || last_row_.empty()) {
    last_row_.assign(std::size_t{1} << kHashBits, 0);
    row_ = 0;
  }
  const std::uint8_t row = ++row_;
  std::uint8_t* const last_rows = last_row_.data();  // copies: with aliasing, the compiler would reload both
  bool again = false;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint8_t& last = last_rows[(keys[i] * kFactor) >> (32 - kHashBits)];
    again |= last == row;
    last = row;
  }
  return !again || surely_are_in(keys, n);
}

// Open addressing: a slot holds the index of a key plus one, or 0. The table is large, because every occupied slot on
// the way causes a branch misprediction.
bool DifferentKeys::surely_are_in(const Key* keys, std::size_t n) {
  const std::size_t slots = std::bit_ceil(4 * n);
  const int shift = 32 - std::countr_zero(slots);
  table_.assign(slots, 0);
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t at = (keys[i] * kFactor) >> shift;
    for (; table_[at] != 0; at = (at + 1) & (slots - 1))
      if (keys[table_[at] - 1] == keys[i]) return false;
    table_[at] = static_cast<std::uint32_t>(i + 1);
  }
  return true;
}

}  // namespace wmsketch
