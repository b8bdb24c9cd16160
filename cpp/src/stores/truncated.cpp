#include "wmsketch/stores/truncated.hpp"

#include "wmsketch/stores/make_store.hpp"

namespace wmsketch {

namespace {

template <Priority kPriority>
StoreClass truncated(const StoreChoice& choice) {
  return choice.either<TruncatedStore<FloatSlots, kPriority>, TruncatedStore<FloatPairSlots, kPriority>>();
}

}  // namespace

StoreClass truncated_store(const StoreChoice& choice) { return truncated<Priority::magnitude>(choice); }
StoreClass probabilistic_store(const StoreChoice& choice) { return truncated<Priority::quotient>(choice); }
StoreClass probabilistic_product_store(const StoreChoice& choice) { return truncated<Priority::product>(choice); }

}  // namespace wmsketch
