#include "wmsketch/stores/make_store.hpp"

#include <iterator>

namespace wmsketch {

// Each is in the source file of its kind.
using ClassOfKind = StoreClass(const StoreChoice&);
ClassOfKind wm_store, awm_store, hashed_store, dense_store, map_store, truncated_store, probabilistic_store,
    space_saving_store, count_min_store, probabilistic_product_store, space_saving_one_store, mission_store, bear_store;

namespace {

// In the order of StoreKind.
constexpr ClassOfKind* kClasses[] = {wm_store,
                                     awm_store,
                                     hashed_store,
                                     dense_store,
                                     map_store,
                                     truncated_store,
                                     probabilistic_store,
                                     space_saving_store,
                                     count_min_store,
                                     probabilistic_product_store,
                                     space_saving_one_store,
                                     mission_store,
                                     bear_store};
static_assert(std::size(kClasses) == std::size(kStoreNames));

StoreClass class_of(StoreKind kind, bool exact_set, const StepRule& step) {
  return kClasses[static_cast<std::size_t>(kind)]({exact_set, step.adaptive()});
}

}  // namespace

std::unique_ptr<WeightStore> make_store(StoreKind kind, bool exact_set, const StoreConfig& config,
                                        const StepRule& step) {
  return class_of(kind, exact_set, step).make(config);
}

std::size_t store_bytes(StoreKind kind, bool exact_set, const StoreConfig& config, const StepRule& step) {
  return class_of(kind, exact_set, step).bytes(config);
}

}  // namespace wmsketch
