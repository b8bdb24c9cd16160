#include "wmsketch/stores/frequent.hpp"

namespace wmsketch {

template class FrequentStore<SpaceSavingCounter, FloatSlots>;
template class FrequentStore<SpaceSavingCounter, FloatPairSlots>;
template class FrequentStore<CountMinCounter, FloatSlots>;
template class FrequentStore<CountMinCounter, FloatPairSlots>;

}  // namespace wmsketch
