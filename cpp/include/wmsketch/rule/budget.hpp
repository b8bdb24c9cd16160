// From a budget in bytes to the sizes of a learner.
#pragma once

#include <cstdint>
#include <optional>

#include "wmsketch/data/step.hpp"
#include "wmsketch/stores/store.hpp"

namespace wmsketch {

struct ShapeRequest {
  StoreKind kind = StoreKind::awm;
  bool exact_set = false;
  StepKind step = StepKind::plain;
  StoreConfig sizes{};                        // a width or an active set of 0 is chosen here; the names always are
  std::uint64_t budget = 0;                   // bytes of the learner and of what is reserved
  bool budget_is_default = false;             // then it does not count if all sizes are given
  std::uint64_t reserved = 0;                 // bytes of the budget that something else takes
  bool named = false;                         // whether features have names
  std::optional<std::uint32_t> name_bytes{};  // of all names; without it, 20 for each key of the set
  double set_share = 0.5;                     // of the budget, for the active set and its names; the cells get the rest
  std::uint32_t top_k = 0;                    // features that `top` will be asked for, which may need a larger set
};

// Returns the largest sizes within the budget; those that are given stay as they are. Throws a parameter error with the
// smallest budget that works.
StoreConfig choose_shape(const ShapeRequest& request);

}  // namespace wmsketch
