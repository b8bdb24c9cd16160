// A sketch together with the keys of its largest |estimates|. A sketch alone can estimate any key but cannot list keys.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wmsketch/counters/counted_features.hpp"
#include "wmsketch/counters/heavy_keys.hpp"
#include "wmsketch/data/sketch_shape.hpp"

namespace wmsketch {

template <class Sketch>
class Tracked {
 public:
  Tracked() = default;
  Tracked(Sketch sketch, HeavyKeys heavy) : sketch_(std::move(sketch)), heavy_(std::move(heavy)) {}

  template <class... Amounts>
  void update(Key key, std::string_view name, Amounts... amounts) {
    heavy_.offer(key, std::abs(static_cast<double>(sketch_.update(key, amounts...))), name);
  }

  // Key i has names[i] and one amount from each list; see name_at and amount_at.
  template <class... Amounts>
  void update_many(std::span<const Key> keys, std::span<const std::string_view> names,
                   std::span<const Amounts>... amounts) {
    if constexpr (requires { sketch_.update_many(keys, amounts...); })
      if (heavy_.capacity() == 0) return sketch_.update_many(keys, amounts...);  // nothing to track
    for (std::size_t i = 0; i < keys.size(); ++i) update(keys[i], name_at(names, i), amount_at(amounts, i)...);
  }

  // Bounds on the count of a key. They hold with probability 1 - kFailure.
  auto bounds(Key key) const { return bounds_of_keys()(key); }
  auto top(std::size_t k) const {  // the tracked keys, largest |estimate| first
    return counted_features(heaviest_slots(), heavy_.keys(), heavy_.names(), k, bounds_of_keys());
  }

  // The tracked slots, largest |estimate| first. Estimates are computed again, because later updates of other keys
  // changed the cells.
  std::vector<std::uint32_t> heaviest_slots() const {
    std::vector<double> now(heavy_.size());
    for (std::uint32_t slot = 0; slot < heavy_.size(); ++slot) now[slot] = importance(heavy_.key(slot));
    std::vector<std::uint32_t> slots(heavy_.size());
    std::iota(slots.begin(), slots.end(), 0u);
    std::sort(slots.begin(), slots.end(), [&](std::uint32_t a, std::uint32_t b) {
      return now[a] != now[b] ? now[a] > now[b] : heavy_.key(a) < heavy_.key(b);
    });
    return slots;
  }

  // Adds the other sketch. Of the tracked keys of both sides, those with the largest merged |estimates| stay tracked.
  void merge(const Tracked& other) {
    struct Candidate {
      Key key;
      double importance;
      std::string name;
      bool shortened;
    };
    std::vector<Candidate> candidates;
    const auto add = [&](const HeavyKeys& heavy, std::uint32_t slot) {
      candidates.push_back({heavy.key(slot), 0, heavy.names().get(slot), heavy.names().shortened(slot)});
    };
    for (std::uint32_t slot = 0; slot < heavy_.size(); ++slot) add(heavy_, slot);
    for (std::uint32_t slot = 0; slot < other.heavy_.size(); ++slot)
      if (heavy_.find(other.heavy_.key(slot)) == KeyedHeap::kNone) add(other.heavy_, slot);
    sketch_.merge(other.sketch_);
    for (Candidate& candidate : candidates) candidate.importance = importance(candidate.key);
    std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
      return a.importance != b.importance ? a.importance > b.importance : a.key < b.key;
    });
    HeavyKeys kept(heavy_.capacity(), heavy_.names().arena_bytes());
    for (const Candidate& candidate : candidates)
      kept.offer(candidate.key, candidate.importance, candidate.name, candidate.shortened);
    heavy_ = std::move(kept);
  }

  void archive(Archive& archive) {
    sketch_.archive(archive);
    heavy_.archive(archive);
  }

  const Sketch& sketch() const { return sketch_; }
  const HeavyKeys& heavy() const { return heavy_; }
  std::size_t nbytes() const { return sketch_.nbytes() + heavy_.nbytes(); }

 private:
  // Returns a function from keys to bounds. For some sketches, one pass over the cells serves all keys.
  auto bounds_of_keys() const {
    if constexpr (requires { sketch_.row_noise(kFailure); }) {
      return [this, noise = sketch_.row_noise(kFailure)](Key key) { return sketch_.bounds(key, noise); };
    } else {
      return [this](Key key) { return sketch_.bounds(key, kFailure); };
    }
  }
  double importance(Key key) const { return std::abs(static_cast<double>(sketch_.estimate(key))); }

  Sketch sketch_;
  HeavyKeys heavy_;
};

}  // namespace wmsketch
