// From the kind of a store to its class, with slots for the steps.
#pragma once

#include <cstddef>
#include <memory>

#include "wmsketch/stores/store.hpp"

namespace wmsketch {

// exact_set: for wm and awm, the paper's heap instead of cache lines. The configuration must have been checked.
std::unique_ptr<WeightStore> make_store(StoreKind kind, bool exact_set, const StoreConfig& config,
                                        const StepRule& step);
std::size_t store_bytes(StoreKind kind, bool exact_set, const StoreConfig& config, const StepRule& step);

// A class of store, as it is made and as its bytes are counted.
struct StoreClass {
  std::unique_ptr<WeightStore> (*make)(const StoreConfig&);
  std::size_t (*bytes)(const StoreConfig&);
};

template <class Store>
StoreClass store_class() {
  return {[](const StoreConfig& config) -> std::unique_ptr<WeightStore> { return std::make_unique<Store>(config); },
          [](const StoreConfig& config) { return std::size_t{Store::bytes_for(config)}; }};
}

// What decides which class of a kind is meant. A class is compiled only in the source file of its kind, whose function
// x_store(choice) chooses it.
struct StoreChoice {
  bool exact_set;
  bool adaptive;

  template <class Plain, class Adaptive>
  StoreClass either() const {
    return adaptive ? store_class<Adaptive>() : store_class<Plain>();
  }
};

}  // namespace wmsketch
