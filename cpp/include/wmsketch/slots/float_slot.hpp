// A weight in 32 bits, for plain steps.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "wmsketch/data/archive.hpp"

namespace wmsketch {

// It has no sum of squared gradients and ignores one that is given.
struct FloatSlot {
  static constexpr bool kAdaptive = false;
  static constexpr double kResolution = 0;
  static constexpr const char* kArchived = "active_weights";
  using Archived = float;

  static float weight(std::uint32_t slot) { return std::bit_cast<float>(slot); }
  static float squares(std::uint32_t) { return 0; }
  static std::uint32_t nearest(float weight, float) { return std::bit_cast<std::uint32_t>(weight); }
  static void require_finite(std::uint32_t slot) {
    require_state(std::isfinite(weight(slot)), "an active weight is not finite");
  }
};

}  // namespace wmsketch
