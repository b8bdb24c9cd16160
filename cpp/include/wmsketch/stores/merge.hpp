// Merging learners of equal shape and seed: the rule, and code that the stores share.
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
#include "wmsketch/simd/hasher.hpp"

namespace wmsketch {

// What one side knows of a feature, as stored (raw).
template <class Number>
struct MergeReadingOf {
  Number weight = 0, squares = 0;  // squares: sum of squared gradients (adaptive steps only)
  bool known = true;               // false: the side has never seen the feature
};
using MergeReading = MergeReadingOf<float>;

// How several learners become one. Each feature is averaged, weighted by what each side knows of it.
//
// Adaptive steps: the weight of a side is the feature's sum of squared gradients. Weights start at zero, and a prior
// slows their first steps. So a side that has seen few examples of a feature has moved only part of the way, and the
// movements of all sides add up. A merge is a sum in terms of (squares + prior) * weight:
//
//   merged = sum((squares + prior) * weight) / (sum(squares) + prior)
//
// A feature that only one side has seen keeps its weight. A feature on which all sides have converged is averaged.
//
// Plain steps: the weight of a side is its share of the examples, among the sides whose weight has ever moved.
//
// With a base from which all sides started, the same rule applies to what each side has learned since.
struct MergePlan {
  // The prior, in squared gradients of average size. Tuned on seven data sets of text, addresses and tables.
  static constexpr double kPriorCount = 20;

  struct Side {
    double scale = 1, squares_scale = 1;  // of stored weights and of stored sums of squares
    double share = 0;                     // of the examples
    double since_base = 0;                // squared gradients since the base, relative to those of the base
  };
  std::vector<Side> sides;  // the base comes last, if there is one
  bool based = false, adaptive = false;
  bool may_grow = true;  // false: a merged weight never exceeds its sources
  double prior = 0;

  std::size_t size() const { return sides.size() - based; }

  // Merges a feature; `read(i)` returns the reading of side i. The result is for scales of 1. The order of two sides
  // does not change a bit of it.
  //
  // In sums with few bits, a difference below `resolution` times the base is mostly rounding. It is then averaged with
  // the difference expected from the stream as a whole.
  template <class Read>
  auto merged(Read read, double resolution = 0) const {
    return merged(read, may_grow, resolution);
  }
  template <class Read>
  auto averaged(Read read) const {  // ignores may_grow, for cells of few bits
    return merged(read, false, 0);
  }

  // For a store that drops keys: it may have lost keys of the base.
  void refuse_base() const {
    if (based) throw merge_error("base", "this method drops features, so what was learned since the base is unknown");
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
    double sum = 0, squares = 0, known_by_all = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      const Reading raw = read(i);
      if (!raw.known) continue;
      const double step = sides[i].scale * raw.weight - base;
      double since = std::max(sides[i].squares_scale * raw.squares - base_squares, 0.0);
      if (since < resolution * base_squares && step != 0) since = (since + base_squares * sides[i].since_base) / 2;
      const double known = adaptive ? since + prior : step == 0 ? 0 : sides[i].share;
      squares += since;
      sum += known * step;
      known_by_all += known;
    }
    const double evidence = adaptive && grows ? squares + prior : known_by_all;
    return Reading{static_cast<Number>(base + (evidence > 0 ? sum / evidence : 0)),
                   static_cast<Number>(base_squares + squares)};
  }
};

inline constexpr std::uint32_t kNoSlot = 0xffffffffu;

// A key that at least one side held in a slot of its own.
struct MergedKey {
  Key key;
  std::string name;
  bool shortened;
  float weight = 0, squares = 0;
  double priority = 0;  // decides which keys stay if there is no room for all
  std::uint32_t slot = kNoSlot;
};

// A complete name beats a truncated one, and a longer one beats a shorter one. Alphabetical order settles collisions of
// keys.
inline bool better_name(const MergedKey& a, const MergedKey& b) {
  if (a.name.empty() != b.name.empty()) return b.name.empty();
  if (a.shortened != b.shortened) return b.shortened;
  return a.name.size() != b.name.size() ? a.name.size() > b.name.size() : a.name < b.name;
}

// The union of the keys of all stores, each once with its best name, sorted by key.
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

// Ties are broken as in KeyedHeap, where the smaller key counts as lighter.
inline void sort_heaviest_first(std::vector<MergedKey>& keys) {
  std::sort(keys.begin(), keys.end(), [](const MergedKey& a, const MergedKey& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.key > b.key;
  });
}

// Refills an active set, heaviest key first. A key whose line, or the heap, is full gets no slot.
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

// Sets the names of these keys' slots and clears all others. A name that was truncated before stays marked.
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
