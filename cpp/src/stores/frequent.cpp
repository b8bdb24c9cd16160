#include "wmsketch/stores/frequent.hpp"

#include "wmsketch/stores/make_store.hpp"

namespace wmsketch {

namespace {

template <class Counter>
StoreClass frequent(const StoreChoice& choice) {
  return choice.either<FrequentStore<Counter, FloatSlots>, FrequentStore<Counter, FloatPairSlots>>();
}

}  // namespace

StoreClass space_saving_store(const StoreChoice& choice) { return frequent<SpaceSavingCounter<false>>(choice); }
StoreClass space_saving_one_store(const StoreChoice& choice) { return frequent<SpaceSavingCounter<true>>(choice); }
StoreClass count_min_store(const StoreChoice& choice) { return frequent<CountMinCounter>(choice); }

}  // namespace wmsketch
