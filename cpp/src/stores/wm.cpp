#include "wmsketch/stores/wm.hpp"

namespace wmsketch {

template class WmStore<LineSet<FloatSlot>, FloatCell>;
template class WmStore<LineSet<FloatSlot>, BfloatCell>;
template class WmStore<ExactSet<FloatSlot>, FloatCell>;
template class WmStore<ExactSet<FloatSlot>, BfloatCell>;
template class WmStore<ExactSet<FloatSlot>, FloatCell, Predicts::from_set>;
template class WmStore<ExactSet<FloatSlot>, BfloatCell, Predicts::from_set>;

}  // namespace wmsketch
