#include "wmsketch/counters/heavy_keys.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

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

void HeavyKeys::restore(std::span<const Key> keys, std::span<const double> importances) {
  if (keys.size() > capacity() || importances.size() != keys.size())
    throw std::invalid_argument("expected at most " + std::to_string(capacity()) + " keys and importances, got " +
                                std::to_string(keys.size()) + " and " + std::to_string(importances.size()));
  std::copy(importances.begin(), importances.end(), importances_.begin());
  heap_.rebuild(keys, [this](std::uint32_t slot) { return importances_[slot]; });
}

}  // namespace wmsketch
