#include "wmsketch/counters/space_saving.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "wmsketch/data/error.hpp"
#include "wmsketch/data/saturating.hpp"
#include "wmsketch/data/sketch_shape.hpp"

namespace wmsketch {

SpaceSaving::SpaceSaving(std::uint32_t capacity) : heap_(capacity), counts_(capacity), errors_(capacity) {
  require_parameter(capacity >= 1, "capacity", "must be at least 1", capacity);
}

SpaceSaving::Touched SpaceSaving::update(Key key, std::uint64_t amount) {
  const std::uint32_t found = heap_.find(key);
  if (amount == 0) return {found, false, false};
  total_ = add_saturating(total_, amount);
  if (found != KeyedHeap::kNone) {
    counts_[found] = add_saturating(counts_[found], amount);
    heap_.changed(found, by_count());
    return {found, false, false};
  }
  if (!full()) {
    counts_[size()] = amount;
    errors_[size()] = 0;
    return {heap_.insert(key, by_count()), true, false};
  }
  const std::uint32_t slot = heap_.least();
  errors_[slot] = counts_[slot];
  counts_[slot] = add_saturating(counts_[slot], amount);
  heap_.rename(slot, key);
  heap_.changed(slot, by_count());
  return {slot, true, true};
}

SpaceSaving::Estimate SpaceSaving::estimate(Key key) const {
  const std::uint32_t slot = find(key);
  if (slot == KeyedHeap::kNone) return {least_count(), least_count(), false};
  return {counts_[slot], errors_[slot], true};
}

std::vector<std::uint32_t> SpaceSaving::heaviest_slots() const {
  std::vector<std::uint32_t> slots(size());
  std::iota(slots.begin(), slots.end(), 0u);
  std::sort(slots.begin(), slots.end(), [&](std::uint32_t a, std::uint32_t b) {
    return counts_[a] != counts_[b] ? counts_[a] > counts_[b] : key(a) > key(b);
  });
  return slots;
}

void SpaceSaving::merge(const SpaceSaving& other) {
  require_same("capacity", capacity(), other.capacity());
  struct Entry {
    Key key;
    std::uint64_t count, error;
  };
  std::vector<Entry> entries;
  // a side that does not monitor a key may have seen it up to its least count
  const auto add = [&](Key key) {
    const Estimate a = estimate(key), b = other.estimate(key);
    entries.push_back({key, add_saturating(a.count, b.count), add_saturating(a.error, b.error)});
  };
  for (const Key key : keys()) add(key);
  for (const Key key : other.keys())
    if (find(key) == KeyedHeap::kNone) add(key);
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.count != b.count ? a.count > b.count : a.key > b.key; });
  entries.resize(std::min<std::size_t>(entries.size(), capacity()));
  std::vector<Key> kept;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    kept.push_back(entries[i].key);
    counts_[i] = entries[i].count;
    errors_[i] = entries[i].error;
  }
  heap_.rebuild(kept, by_count());
  total_ = add_saturating(total_, other.total_);
}

void SpaceSaving::restore(std::span<const Key> keys, std::span<const std::uint64_t> counts,
                          std::span<const std::uint64_t> errors, std::uint64_t total) {
  if (keys.size() > capacity() || counts.size() != keys.size() || errors.size() != keys.size())
    throw std::invalid_argument("expected at most " + std::to_string(capacity()) + " keys, counts and errors, got " +
                                std::to_string(keys.size()) + ", " + std::to_string(counts.size()) + " and " +
                                std::to_string(errors.size()));
  SpaceSaving restored(capacity());
  std::copy(counts.begin(), counts.end(), restored.counts_.begin());
  std::copy(errors.begin(), errors.end(), restored.errors_.begin());
  restored.heap_.rebuild(keys, restored.by_count());
  restored.total_ = total;
  *this = std::move(restored);
}

void SpaceSaving::archive(Archive& archive) {
  std::vector<Key> keys(heap_.keys().begin(), heap_.keys().end());
  std::vector<std::uint64_t> counts(counts_.begin(), counts_.begin() + size());
  std::vector<std::uint64_t> errors(errors_.begin(), errors_.begin() + size());
  std::uint64_t total = total_;
  archive.growing("keys", keys, capacity());
  archive.growing("counts", counts, capacity());
  archive.growing("count_errors", errors, capacity());
  archive.value("total", total);
  if (archive.loading()) restore(keys, counts, errors, total);
}

}  // namespace wmsketch
