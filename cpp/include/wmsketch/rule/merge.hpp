// Merging learners of equal shape and seed: the rule, and what the stores share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "wmsketch/data/error.hpp"
#include "wmsketch/data/hashing.hpp"
#include "wmsketch/data/name_arena.hpp"
#include "wmsketch/sets/word_buffer.hpp"

namespace wmsketch {

// What one side knows of a feature, raw.
template <class Number>
struct MergeReadingOf {
  Number weight = 0, squares = 0;  // squares: the sum of its squared gradients, where steps are adaptive
  bool known = true;               // false: the side does not know the feature
};
using MergeReading = MergeReadingOf<float>;

// How several learners become one. Each feature is averaged by what each side knows of it.
//
// Adaptive steps: by the feature's own sum of squared gradients. Weights begin at zero, and a prior holds them back; so
// a side that has seen little of a feature has moved only part of the way, and the movements of all sides add up. In
// terms of (squares + prior) * weight a merge is a sum:
//
//   merged = sum((squares + prior) * weight) / (sum(squares) + prior)
//
// A feature that one side alone has seen keeps its weight, and one that all have settled on is averaged.
//
// Plain steps: by the side's share of the examples, among sides whose weight has ever moved.
//
// With a base from which all sides started, the same is done with what each has learned since.
struct MergePlan {
  // Of squared gradients of the mean size; found on seven data sets, of text, addresses and tables.
  static constexpr double kPriorCount = 20;

  struct Side {
    double scale = 1, squares_scale = 1;  // of raw weights and of raw sums of squares
    double share = 0;                     // of the examples
    double since_base = 0;                // squared gradients of all features since the base, in those of the base
  };
  std::vector<Side> sides;  // the base comes last, where there is one
  bool based = false, adaptive = false;
  bool may_grow = true;  // false: a merged weight is no larger than those it is made of
  double prior = 0;

  std::size_t size() const { return sides.size() - based; }

  // Merges a feature; `read(i)` is the reading of side i. The result is not raw: it is for scales of 1. The order of
  // two sides does not change a bit.
  //
  // In sums of few bits, a difference below `resolution` times the base is mostly rounding. It is then averaged with
  // the difference that the stream as a whole suggests.
  template <class Read>
  auto merged(Read read, double resolution = 0) const {
    return merged(read, may_grow, resolution);
  }
  template <class Read>
  auto averaged(Read read) const {  // what no two sides have gone together
    return merged(read, false, 0);
  }

  // For a store that forgets keys: it may no longer have the keys of the base.
  void refuse_base() const {
    if (based) throw merge_error("base", "this method forgets features, so that what was learned since is not known");
  }

 private:
  template <class Read>
  auto merged(Read read, bool grows, double resolution) const {
    using Reading = decltype(read(std::size_t{}));
    using Number = decltype(Reading::weight);
    double base = 0, base_squares = 0;
    if (based) {
      const Reading of_base = read(size());
      base = sides.back().scale * of_base.weight;
      base_squares = sides.back().squares_scale * of_base.squares;
    }
    double sum = 0, squares = 0, evidence = adaptive && grows ? prior : 0;
    for (std::size_t i = 0; i < size(); ++i) {
      const Reading raw = read(i);
      if (!raw.known) continue;
      const double step = sides[i].scale * raw.weight - base;
      double since = std::max(sides[i].squares_scale * raw.squares - base_squares, 0.0);
      if (since < resolution * base_squares && step != 0) since = (since + base_squares * sides[i].since_base) / 2;
      const double known = adaptive ? since + prior : step == 0 ? 0 : sides[i].share;
      squares += since;
      sum += known * step;
      evidence += adaptive && grows ? since : known;
    }
    return Reading{static_cast<Number>(base + (evidence > 0 ? sum / evidence : 0)),
                   static_cast<Number>(base_squares + squares)};
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

// The keys that any of the stores holds, each once with its best name, in the order of the keys.
template <class Store>
std::vector<MergedKey> keys_of_all(std::span<const Store* const> stores) {
  std::vector<MergedKey> keys;
  for (const Store* side : stores) {
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
