// Shared code of the counters that take batches of keys and list the heaviest ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wmsketch/data/name_arena.hpp"
#include "wmsketch/data/sparse_row.hpp"

namespace wmsketch {

// An entry of a counter's list of heaviest keys.
template <class Bounds>
struct CountedFeature {
  Key key;
  bool named;        // false: the key is an integer id
  std::string name;  // UTF-8
  bool shortened;    // the name was truncated to fit the budget
  Bounds bounds;
};

// The first k slots as features. `bounds_of(key)` returns the bounds of a key's count.
template <class BoundsOf>
auto counted_features(std::span<const std::uint32_t> slots, std::span<const Key> keys, const NameArena& names,
                      std::size_t k, const BoundsOf& bounds_of) {
  std::vector<CountedFeature<decltype(bounds_of(Key{}))>> features;
  for (const std::uint32_t slot : slots.first(std::min(k, slots.size())))
    features.push_back({keys[slot], names.has(slot), names.get(slot), names.shortened(slot), bounds_of(keys[slot])});
  return features;
}

// Name and amount of key i of a batch. An empty `names` means integer ids; an empty `amounts` counts each key once.
inline std::string_view name_at(std::span<const std::string_view> names, std::size_t i) {
  return names.empty() ? std::string_view() : names[i];
}
template <class Amount>
Amount amount_at(std::span<const Amount> amounts, std::size_t i) {
  return amounts.empty() ? Amount{1} : amounts[i];
}

}  // namespace wmsketch
