// Space Saving over keys that may have names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "wmsketch/counters/counted_features.hpp"
#include "wmsketch/counters/space_saving.hpp"
#include "wmsketch/data/archive_names.hpp"
#include "wmsketch/data/name_arena.hpp"

namespace wmsketch {

class NamedSpaceSaving {
 public:
  NamedSpaceSaving() = default;
  NamedSpaceSaving(std::uint32_t capacity, std::size_t name_bytes) : counts_(capacity), names_(capacity, name_bytes) {}

  void update(Key key, std::string_view name, std::uint64_t amount) {
    const SpaceSaving::Touched touched = counts_.update(key, amount);
    if (touched.entered) names_.set(touched.slot, name);
  }

  void update_many(std::span<const Key> keys, std::span<const std::string_view> names,
                   std::span<const std::uint64_t> amounts) {
    for (std::size_t i = 0; i < keys.size(); ++i) update(keys[i], name_at(names, i), amount_at(amounts, i));
  }

  SpaceSaving::Bounds bounds(Key key) const { return counts_.bounds(key); }
  std::vector<CountedFeature<SpaceSaving::Bounds>> top(std::size_t k) const {  // most frequent first
    return counted_features(counts_.heaviest_slots(), counts_.keys(), names_, k, [&](Key key) { return bounds(key); });
  }

  void merge(const NamedSpaceSaving& other) {
    const SpaceSaving mine = counts_;
    counts_.merge(other.counts_);
    NameArena kept(counts_.capacity(), names_.arena_bytes());
    for (std::uint32_t slot = 0; slot < counts_.size(); ++slot) {
      const bool ours = mine.find(counts_.key(slot)) != KeyedHeap::kNone;
      const SpaceSaving& counts = ours ? mine : other.counts_;
      const NameArena& names = ours ? names_ : other.names_;
      const std::uint32_t before = counts.find(counts_.key(slot));
      kept.set(slot, names.view(before), names.shortened(before));
    }
    names_ = std::move(kept);
  }

  void archive(Archive& archive) {
    counts_.archive(archive);
    archive_names(archive, names_);
  }
  const SpaceSaving& counts() const { return counts_; }
  const NameArena& names() const { return names_; }
  std::size_t nbytes() const { return bytes_for(counts_.capacity(), names_.arena_bytes()); }
  static std::size_t bytes_for(std::uint32_t capacity, std::size_t name_bytes) {
    return SpaceSaving::bytes_for(capacity) + NameArena::bytes_for(capacity, name_bytes);
  }

 private:
  SpaceSaving counts_;
  NameArena names_;
};

}  // namespace wmsketch
