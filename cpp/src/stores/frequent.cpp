#include "wmsketch/stores/frequent.hpp"

namespace wmsketch {

template class FrequentStore<SpaceSavingCounter<false>, FloatSlots>;
template class FrequentStore<SpaceSavingCounter<false>, FloatPairSlots>;
template class FrequentStore<SpaceSavingCounter<true>, FloatSlots>;
template class FrequentStore<SpaceSavingCounter<true>, FloatPairSlots>;
template class FrequentStore<CountMinCounter, FloatSlots>;
template class FrequentStore<CountMinCounter, FloatPairSlots>;

}  // namespace wmsketch
