#include "wmsketch/stores/truncated.hpp"

namespace wmsketch {

template class TruncatedStore<FloatSlots, Priority::magnitude>;
template class TruncatedStore<FloatSlots, Priority::quotient>;
template class TruncatedStore<FloatSlots, Priority::product>;
template class TruncatedStore<FloatPairSlots, Priority::magnitude>;
template class TruncatedStore<FloatPairSlots, Priority::quotient>;
template class TruncatedStore<FloatPairSlots, Priority::product>;

}  // namespace wmsketch
