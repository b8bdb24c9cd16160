// The hashes of many keys in every row of a sketch, some hundred keys at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "wmsketch/data/hashing.hpp"
#include "wmsketch/simd/hasher.hpp"

namespace wmsketch {

// Calls visit(row, hash, i) for each key i and each row. Keys of a row come in their order.
template <class Visit>
void for_each_hash(const Hasher& hasher, std::uint32_t depth, std::span<const Key> keys, Visit visit) {
  std::array<std::uint32_t, 256> hashes;
  for (std::size_t first = 0; first < keys.size(); first += hashes.size()) {
    const std::size_t n = std::min(hashes.size(), keys.size() - first);
    for (std::uint32_t row = 0; row < depth; ++row) {
      hasher.hash_all(row, keys.data() + first, n, hashes.data());
      for (std::size_t i = 0; i < n; ++i) visit(row, hashes[i], first + i);
    }
  }
}

}  // namespace wmsketch
