#include "wmsketch/stores/dense.hpp"

#include "wmsketch/stores/make_store.hpp"

namespace wmsketch {

StoreClass dense_store(const StoreChoice& choice) {
  return choice.either<DenseStore<FloatSlots>, DenseStore<FloatPairSlots>>();
}

}  // namespace wmsketch
