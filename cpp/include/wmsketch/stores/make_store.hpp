// The list of all stores: which class a kind is, with slots for which steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "wmsketch/stores/store.hpp"

namespace wmsketch {

// exact_set: the paper's heap in place of cache lines, for wm and awm. The shape must have been checked.
std::unique_ptr<WeightStore> make_store(StoreKind kind, bool exact_set, const StoreConfig& config,
                                        const StepRule& step);
std::size_t store_bytes(StoreKind kind, bool exact_set, const StoreConfig& config, const StepRule& step);

}  // namespace wmsketch
