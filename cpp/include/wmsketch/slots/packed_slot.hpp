// A weight and the sum of its squared gradients in 32 bits.
#pragma once

#include <cmath>
#include <cstdint>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/slots/packed_bits.hpp"

namespace wmsketch {

// The upper 20 bits are those of the weight as a float32. The lower 12 are the highest bits of the sum as a float32,
// without its sign.
struct PackedSlot {
  static constexpr bool kAdaptive = true;
  static constexpr double kResolution = 0.25;  // relative to a sum: a smaller change may be rounding
  static constexpr const char* kArchived = "active_slots";
  using Archived = std::uint32_t;

  static float weight(std::uint32_t slot) { return one_lane::slot_weights(slot); }
  static float squares(std::uint32_t slot) { return one_lane::slot_sums(slot); }
  static std::uint32_t nearest(float weight, float squares) {
    return one_lane::pack_slots(weight, squares, 1u << 11, 1u << 18);
  }
  static std::uint32_t rounded_at_random(float weight, float squares, std::uint32_t random) {
    return one_lane::pack_slots_at_random(weight, squares, random);
  }
  static void require_finite(std::uint32_t slot) {
    require_state(std::isfinite(weight(slot)) && std::isfinite(squares(slot)),
                  "a weight or its squares are not finite");
  }
};

}  // namespace wmsketch
