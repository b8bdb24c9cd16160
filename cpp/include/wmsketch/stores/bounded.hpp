// What the stores share that keep exact weights for a bounded set of keys, and nothing for the rest.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "wmsketch/sets/keyed_heap.hpp"
#include "wmsketch/stores/store.hpp"

namespace wmsketch {

// The store has `held()`, which knows the keys: `find(key)` is the slot of a key or kNone, `key(slot)`, `size()`.
template <class Store, class Slots>
class BoundedStoreOf : public NamedStoreOf<Store> {
 public:
  explicit BoundedStoreOf(const StoreConfig& config) : NamedStoreOf<Store>(config), slots_(config.active_set_size) {}

  bool needs_unique_keys() const final { return true; }
  float dot(const SparseRow& x, float threshold, Scratch& s) const final {  // leaves the slots of the keys in `s.word`
    s.fit(x.size);
    for (std::size_t i = 0; i < x.size; ++i) {
      s.word[i] = store().held().find(x.keys[i]);
      s.raw[i] = s.word[i] == KeyedHeap::kNone ? 0.0f : soften(slots_.weight(s.word[i]), threshold);
    }
    return kernels().dot(s.raw.data(), x.values, x.size);
  }
  void multiply(float factor) final { slots_.multiply(factor); }
  void multiply_squares(float factor) final { slots_.multiply_squares(factor); }
  float raw(Key key) const final {
    const std::uint32_t slot = store().held().find(key);
    return slot == KeyedHeap::kNone ? 0.0f : slots_.weight(slot);
  }
  float own_squares(Key key) const final {
    const std::uint32_t slot = store().held().find(key);
    return slot == KeyedHeap::kNone ? 0.0f : slots_.squares(slot);
  }
  double noise() const final { return std::nan(""); }  // unknown: the weights of keys that are not held are lost
  std::vector<HeavyKey> heavy_keys() const final {
    const auto& held = store().held();
    std::vector<HeavyKey> heavy;
    for (std::uint32_t slot = 0; slot < held.size(); ++slot)
      heavy.push_back({held.key(slot), slots_.weight(slot), slot});
    return heavy;
  }

 protected:
  Slots slots_;

 private:
  const Store& store() const { return static_cast<const Store&>(*this); }
};

}  // namespace wmsketch
