// A weight and the sum of its squared gradients in 32 bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "wmsketch/data/archive.hpp"

namespace wmsketch {

// The upper 20 bits are those of the weight's float32, the lower 12 the upper ones of the sum's, without its sign.
struct PackedSlot {
  static constexpr bool kAdaptive = true;
  static constexpr std::uint32_t kWeightBits = 0xfffff000u, kSumShift = 19;
  static constexpr const char* kArchived = "active_slots";
  using Archived = std::uint32_t;

  static float weight(std::uint32_t slot) { return std::bit_cast<float>(slot & kWeightBits); }
  static float squares(std::uint32_t slot) { return std::bit_cast<float>((slot & ~kWeightBits) << kSumShift); }
  static std::uint32_t nearest(float weight, float squares) {
    return ((std::bit_cast<std::uint32_t>(weight) + 0x800u) & kWeightBits) |
           ((std::bit_cast<std::uint32_t>(squares) + (1u << (kSumShift - 1))) >> kSumShift);
  }
  static std::uint32_t rounded_at_random(float weight, float squares, std::uint32_t random) {
    return ((std::bit_cast<std::uint32_t>(weight) + (random & ~kWeightBits)) & kWeightBits) |
           ((std::bit_cast<std::uint32_t>(squares) + (random >> (32 - kSumShift))) >> kSumShift);
  }
  static void require_finite(std::uint32_t slot) {
    require_state(std::isfinite(weight(slot)) && std::isfinite(squares(slot)),
                  "a weight or its squares are not finite");
  }
};

}  // namespace wmsketch
