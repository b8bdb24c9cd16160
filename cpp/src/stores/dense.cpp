#include "wmsketch/stores/dense.hpp"

namespace wmsketch {

template class DenseStore<FloatSlots>;
template class DenseStore<FloatPairSlots>;

}  // namespace wmsketch
