// The most important keys of a stream, with their names. The owner computes the importance of a key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/name_arena.hpp"
#include "wmsketch/sets/keyed_heap.hpp"

namespace wmsketch {

// Holds up to `capacity` keys, ranked by the importance with which each was last offered.
class HeavyKeys {
 public:
  HeavyKeys() = default;
  HeavyKeys(std::uint32_t capacity, std::size_t name_bytes)
      : heap_(capacity), importances_(capacity), names_(capacity, name_bytes) {}

  // Updates the importance of a held key. Any other key enters if there is room or if it is more important than the
  // least important held key, which it replaces. An empty name means that the key has none.
  void offer(Key key, double importance, std::string_view name, bool shortened = false);

  std::uint32_t size() const { return heap_.size(); }
  std::uint32_t capacity() const { return heap_.capacity(); }
  Key key(std::uint32_t slot) const { return heap_.key(slot); }
  std::uint32_t find(Key key) const { return heap_.find(key); }  // its slot, or KeyedHeap::kNone
  const NameArena& names() const { return names_; }

  std::span<const Key> keys() const { return heap_.keys(); }  // by slot
  std::span<const double> importances() const { return {importances_.data(), size()}; }
  void archive(Archive& archive);

  std::size_t nbytes() const { return bytes_for(capacity(), names_.arena_bytes()); }
  static std::size_t bytes_for(std::uint32_t capacity, std::size_t name_bytes) {
    return KeyedHeap::bytes_for(capacity) + std::size_t{capacity} * sizeof(double) +
           NameArena::bytes_for(capacity, name_bytes);
  }

 private:
  KeyedHeap heap_;
  std::vector<double> importances_;  // by slot
  NameArena names_;
};

}  // namespace wmsketch
