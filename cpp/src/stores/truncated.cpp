#include "wmsketch/stores/truncated.hpp"

namespace wmsketch {

template class TruncatedStore<FloatSlots, false>;
template class TruncatedStore<FloatSlots, true>;
template class TruncatedStore<FloatPairSlots, false>;
template class TruncatedStore<FloatPairSlots, true>;

}  // namespace wmsketch
