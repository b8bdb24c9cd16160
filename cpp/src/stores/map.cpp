#include "wmsketch/stores/map.hpp"

#include "wmsketch/stores/make_store.hpp"

namespace wmsketch {

StoreClass map_store(const StoreChoice& choice) {
  return choice.either<MapStore<FloatSlots>, MapStore<FloatPairSlots>>();
}

}  // namespace wmsketch
