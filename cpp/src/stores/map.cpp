#include "wmsketch/stores/map.hpp"

namespace wmsketch {

template class MapStore<FloatSlots>;
template class MapStore<FloatPairSlots>;

}  // namespace wmsketch
