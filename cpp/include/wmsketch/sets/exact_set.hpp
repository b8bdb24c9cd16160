// The heaviest keys in a heap, as in the paper: the victim of an eviction is the lightest key of all.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/hashing.hpp"
#include "wmsketch/sets/keyed_heap.hpp"
#include "wmsketch/sets/word_buffer.hpp"
#include "wmsketch/simd/hasher.hpp"
#include "wmsketch/simd/scratch.hpp"

namespace wmsketch {

// It has the interface of LineSet. The slots are in a buffer of the owner; keys, heap and index belong to the set.
template <class SlotType>
class ExactSet {
 public:
  using Slot = SlotType;
  static constexpr bool kIsExact = true;

  ExactSet() = default;
  ExactSet(std::uint32_t capacity, const Hasher&) : heap_(capacity) {}

  static std::size_t words_for(std::uint32_t capacity) { return capacity; }
  static std::size_t index_bytes(std::uint32_t capacity) { return KeyedHeap::bytes_for(capacity); }
  void clear(WordBuffer words) const {
    for (std::uint32_t word = 0; word < heap_.capacity(); ++word) words.set(word, 0);
  }

  std::uint32_t capacity() const { return heap_.capacity(); }
  std::uint32_t find(ConstWordBuffer, Key key, std::uint32_t /*hash*/) const { return heap_.find(key); }
  // `find` for each key of a row.
  void find_all(const SparseRow& x, std::uint32_t* found, Scratch& s) const {
    heap_.find_all(x.keys, x.size, found, s.placed.data(), s.newcomers.data());
  }
  std::uint32_t victim(ConstWordBuffer, std::uint32_t /*hash*/) const {
    return heap_.full() ? heap_.least() : heap_.size();
  }
  bool occupied(ConstWordBuffer, std::uint32_t word) const { return word < heap_.size(); }
  Key key(ConstWordBuffer, std::uint32_t word) const { return heap_.key(word); }
  std::uint32_t number(std::uint32_t word) const { return word; }

  void place(WordBuffer words, std::uint32_t word, Key key, std::uint32_t slot) {
    words.set(word, slot);
    if (word == heap_.size()) {
      heap_.insert(key, by_weight(words));
    } else {
      heap_.rename(word, key);
      heap_.changed(word, by_weight(words));
    }
  }
  void reorder(ConstWordBuffer words, std::uint32_t word) { heap_.changed(word, by_weight(words)); }

  template <class Visit>
  void for_each(ConstWordBuffer, Visit visit) const {
    for (std::uint32_t word = 0; word < heap_.size(); ++word) visit(heap_.key(word), word);
  }

  void archive(Archive& archive, WordBuffer words) {
    std::vector<Key> keys(heap_.keys().begin(), heap_.keys().end());
    std::vector<typename Slot::Archived> slots(heap_.capacity());
    for (std::uint32_t i = 0; i < heap_.capacity(); ++i) slots[i] = std::bit_cast<typename Slot::Archived>(words[i]);
    archive.growing("active_keys", keys, heap_.capacity());
    archive.fixed(Slot::kArchived, slots.data(), slots.size());
    if (!archive.loading()) return;
    for (std::uint32_t i = 0; i < heap_.capacity(); ++i) {
      words.set(i, std::bit_cast<std::uint32_t>(slots[i]));
      Slot::require_finite(words[i]);
    }
    heap_.rebuild(keys, by_weight(words));
  }

 private:
  static_assert(KeyedHeap::kNone == kNotActive);
  static auto by_weight(ConstWordBuffer words) {
    return [words](std::uint32_t slot) { return std::abs(Slot::weight(words[slot])); };
  }

  KeyedHeap heap_;
};

}  // namespace wmsketch
