// Merging two learners of equal shape and seed by averaging their weights: what the stores share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "wmsketch/data/hashing.hpp"
#include "wmsketch/data/name_arena.hpp"
#include "wmsketch/sets/word_buffer.hpp"

namespace wmsketch {

// What the raw weights of each side count for: its share of all examples times its lazy scale. Merged weights are real
// ones, to be kept with a scale of 1. Sums of two products come out the same whichever side is `mine`, and nothing
// here may break that: merging is commutative to the last bit.
struct MergeShares {
  double mine = 0.5, theirs = 0.5;
  double my_squares = 1, their_squares = 1;  // scales of the sums of squared gradients, where steps are adaptive

  float average(float my_raw, float their_raw) const { return static_cast<float>(mine * my_raw + theirs * their_raw); }
  float sum_of_squares(float my_raw, float their_raw) const {
    return static_cast<float>(my_squares * my_raw + their_squares * their_raw);
  }
};

inline constexpr std::uint32_t kNoSlot = 0xffffffffu;

// A key that at least one side held by itself.
struct MergedKey {
  Key key;
  std::string name;
  bool shortened;
  float weight = 0, squares = 0;
  double priority = 0;  // who stays where not all can
  std::uint32_t slot = kNoSlot;
};

// A whole name is better than a cut one, a longer cut better than a shorter; the alphabet settles collisions of keys.
inline bool better_name(const MergedKey& a, const MergedKey& b) {
  if (a.name.empty() != b.name.empty()) return b.name.empty();
  if (a.shortened != b.shortened) return b.shortened;
  return a.name.size() != b.name.size() ? a.name.size() > b.name.size() : a.name < b.name;
}

// The keys that either store holds, each once with its better name, in the order of the keys.
template <class Store>
std::vector<MergedKey> keys_of_both(const Store& mine, const Store& theirs) {
  std::vector<MergedKey> keys;
  for (const Store* side : {&mine, &theirs}) {
    for (const auto& heavy : side->heavy_keys()) {
      auto [name, shortened] = side->name_of(heavy.slot);
      keys.push_back({heavy.key, std::move(name), shortened});
    }
  }
  std::sort(keys.begin(), keys.end(),
            [](const MergedKey& a, const MergedKey& b) { return a.key != b.key ? a.key < b.key : better_name(a, b); });
  const auto same = [](const MergedKey& a, const MergedKey& b) { return a.key == b.key; };
  keys.erase(std::unique(keys.begin(), keys.end(), same), keys.end());
  return keys;
}

// Ties as the keyed heap has them: the smaller key goes first.
inline void sort_heaviest_first(std::vector<MergedKey>& keys) {
  std::sort(keys.begin(), keys.end(), [](const MergedKey& a, const MergedKey& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.key > b.key;
  });
}

// Fills an active set anew, heaviest key first; a key that finds its line or the heap full is left without a slot.
template <class Set>
void refill(Set& set, WordBuffer words, const Hasher& hasher, std::vector<MergedKey>& keys) {
  set = Set(set.capacity(), hasher);
  set.clear(words);
  for (MergedKey& one : keys) one.priority = std::abs(one.weight);
  sort_heaviest_first(keys);
  for (MergedKey& one : keys) {
    const std::uint32_t word = set.victim(words, hasher.hash(0, one.key));
    if (set.occupied(words, word)) continue;
    set.place(words, word, one.key, Set::Slot::nearest(one.weight, one.squares));
    one.slot = set.number(word);
  }
}

// Names for the slots of these keys, and none for the others. A name that was cut before stays marked as cut.
inline void deal_names(NameArena& arena, const std::vector<MergedKey>& keys) {
  for (std::uint32_t slot = 0; slot < arena.entries(); ++slot) arena.clear(slot);
  if (arena.entries() == 0) return;
  for (const MergedKey& one : keys)
    if (one.slot != kNoSlot) arena.set(one.slot, one.name);
  auto [names, shortened] = arena.export_names();
  for (const MergedKey& one : keys)
    if (one.slot != kNoSlot && !names[one.slot].empty()) shortened[one.slot] |= one.shortened;
  arena.import_names(names, shortened);
}

}  // namespace wmsketch
