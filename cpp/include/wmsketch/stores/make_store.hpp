// The list of all stores: which class implements a kind, with which slots for which steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "wmsketch/stores/store.hpp"

namespace wmsketch {

// exact_set: for wm and awm, the paper's heap instead of cache lines. The configuration must have been checked.
std::unique_ptr<WeightStore> make_store(StoreKind kind, bool exact_set, const StoreConfig& config,
                                        const StepRule& step);
std::size_t store_bytes(StoreKind kind, bool exact_set, const StoreConfig& config, const StepRule& step);

}  // namespace wmsketch
