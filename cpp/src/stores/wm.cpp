#include "wmsketch/stores/wm.hpp"

#include "wmsketch/stores/make_store.hpp"

namespace wmsketch {

StoreClass wm_store(const StoreChoice& choice) {
  if (choice.exact_set)
    return choice.either<WmStore<ExactSet<FloatSlot>, FloatCell>, WmStore<ExactSet<FloatSlot>, BfloatCell>>();
  return choice.either<WmStore<LineSet<FloatSlot>, FloatCell>, WmStore<LineSet<FloatSlot>, BfloatCell>>();
}

StoreClass mission_store(const StoreChoice& choice) {
  return choice.either<WmStore<ExactSet<FloatSlot>, FloatCell, Predicts::from_set>,
                       WmStore<ExactSet<FloatSlot>, BfloatCell, Predicts::from_set>>();
}

}  // namespace wmsketch
