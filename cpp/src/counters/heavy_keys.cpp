#include "wmsketch/counters/heavy_keys.hpp"

#include <algorithm>
#include <cmath>

#include "wmsketch/data/archive_names.hpp"

namespace wmsketch {

void HeavyKeys::offer(Key key, double importance, std::string_view name, bool shortened) {
  const auto by_importance = [this](std::uint32_t slot) { return importances_[slot]; };
  std::uint32_t slot = heap_.find(key);
  if (slot != KeyedHeap::kNone) {
    importances_[slot] = importance;
    heap_.changed(slot, by_importance);
    return;
  }
  if (!heap_.full()) {
    importances_[heap_.size()] = importance;
    slot = heap_.insert(key, by_importance);
  } else {
    if (capacity() == 0 || !(importance > importances_[heap_.least()])) return;
    slot = heap_.least();
    heap_.rename(slot, key);
    importances_[slot] = importance;
    heap_.changed(slot, by_importance);
  }
  names_.set(slot, name, shortened);
}

void HeavyKeys::archive(Archive& archive) {
  std::vector<Key> keys(heap_.keys().begin(), heap_.keys().end());
  std::vector<double> importances(importances_.begin(), importances_.begin() + size());
  archive.growing("tracked_keys", keys, capacity());
  archive.growing("tracked_importances", importances, capacity());
  archive_names(archive, names_);
  if (!archive.loading()) return;
  require_state(importances.size() == keys.size(), "there must be one importance for each tracked key");
  for (const double importance : importances) require_state(std::isfinite(importance), "an importance is not finite");
  std::copy(importances.begin(), importances.end(), importances_.begin());
  heap_.rebuild(keys, [this](std::uint32_t slot) { return importances_[slot]; });
}

}  // namespace wmsketch
