// A bounded set of keys with fast access to the least important one: a binary heap with an index from key to slot.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "wmsketch/data/flat_index.hpp"
#include "wmsketch/data/sparse_row.hpp"

namespace wmsketch {

// A key keeps its slot until it is replaced. So owners can store weights, counts or names in plain arrays, indexed by
// slot. Owners also hold the priorities: methods that compare keys take a function `priority(slot)`. Equal priorities
// are ordered by key, so the result never depends on the order of arrival.
class KeyedHeap {
 public:
  static constexpr std::uint32_t kNone = FlatIndex::kNone;

  KeyedHeap() = default;
  explicit KeyedHeap(std::uint32_t capacity)
      : keys_(capacity), heap_(capacity), place_(capacity), index_(FlatIndex::places_for(capacity)) {}

  std::uint32_t size() const { return size_; }
  std::uint32_t capacity() const { return static_cast<std::uint32_t>(keys_.size()); }
  bool full() const { return size_ == capacity(); }
  Key key(std::uint32_t slot) const { return keys_[slot]; }
  std::uint32_t least() const { return heap_[0]; }  // the slot with the lowest priority; the heap must not be empty

  std::uint32_t find(Key key) const { return index_.find(key, keys_); }
  // `find` for each of n keys; see FlatIndex.
  void find_all(const Key* wanted, std::size_t n, std::uint32_t* found, std::uint32_t* at,
                std::uint32_t* waiting) const {
    index_.find_all(wanted, n, keys_, found, at, waiting);
  }

  // Adds a key to a heap that is not full. The priority of slot size() must be set before the call.
  template <class Priority>
  std::uint32_t insert(Key key, const Priority& priority) {
    const std::uint32_t slot = size_++;
    keys_[slot] = key;
    heap_[slot] = slot;
    place_[slot] = slot;
    index_.add(slot, keys_);
    sift_up(slot, priority);
    return slot;
  }

  // Assigns a slot to another key. Afterwards set the priority of the slot and call `changed`.
  void rename(std::uint32_t slot, Key key) {
    index_.remove(keys_[slot], keys_);
    keys_[slot] = key;
    index_.add(slot, keys_);
  }

  // Restores the heap order after the priority of a slot changed.
  template <class Priority>
  void changed(std::uint32_t slot, const Priority& priority) {
    const std::uint32_t before = place_[slot];
    sift_up(before, priority);
    if (place_[slot] == before) sift_down(before, priority);
  }

  // Replaces all keys. Key i of the list gets slot i.
  template <class Priority>
  void rebuild(std::span<const Key> keys, const Priority& priority) {
    if (keys.size() > capacity()) throw std::invalid_argument("the list has more keys than the heap can hold");
    size_ = 0;
    index_.clear();
    for (const Key key : keys) {
      if (find(key) != kNone) throw std::invalid_argument("the list contains a key twice");
      insert(key, priority);
    }
  }

  std::span<const Key> keys() const { return {keys_.data(), size_}; }          // by slot
  std::size_t longest_search() const { return index_.longest_search(keys_); }  // longest probe sequence of a lookup
  std::size_t nbytes() const { return bytes_for(capacity()); }
  static std::size_t bytes_for(std::uint32_t capacity) {
    return std::size_t{capacity} * (sizeof(Key) + 2 * sizeof(std::uint32_t)) +
           FlatIndex::bytes_for(FlatIndex::places_for(capacity));
  }

 private:
  template <class Priority>
  bool before(std::uint32_t left, std::uint32_t right, const Priority& priority) const {
    const auto a = priority(left), b = priority(right);
    return a < b || (a == b && keys_[left] < keys_[right]);
  }

  void swap_places(std::uint32_t a, std::uint32_t b) {
    std::swap(heap_[a], heap_[b]);
    std::swap(place_[heap_[a]], place_[heap_[b]]);
  }

  template <class Priority>
  void sift_up(std::uint32_t at, const Priority& priority) {
    for (; at > 0; at = (at - 1) / 2) {
      const std::uint32_t parent = (at - 1) / 2;
      if (!before(heap_[at], heap_[parent], priority)) return;
      swap_places(at, parent);
    }
  }

  template <class Priority>
  void sift_down(std::uint32_t at, const Priority& priority) {
    for (;;) {
      std::uint32_t child = 2 * at + 1;
      if (child >= size()) return;
      if (child + 1 < size() && before(heap_[child + 1], heap_[child], priority)) ++child;
      if (!before(heap_[child], heap_[at], priority)) return;
      swap_places(at, child);
      at = child;
    }
  }

  // Full length from the start, so that a copy of a half-full heap cannot grow beyond its nbytes.
  std::uint32_t size_ = 0;
  std::vector<Key> keys_;             // by slot
  std::vector<std::uint32_t> heap_;   // slots in heap order, least important first
  std::vector<std::uint32_t> place_;  // position of each slot in heap_
  FlatIndex index_;
};

}  // namespace wmsketch
