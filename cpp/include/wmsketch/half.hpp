// Floats of fewer bits: the conversion rules of everything that is smaller than a float32.
#pragma once

#include <bit>
#include <cstdint>

namespace wmsketch {

// bfloat16: the upper half of a float32.
inline float float_of_half(std::uint16_t half) { return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16); }

// To one of the two neighbours, away from zero with the probability that keeps the mean.
inline std::uint16_t half_rounded_at_random(float x, std::uint32_t random) {
  return static_cast<std::uint16_t>((std::bit_cast<std::uint32_t>(x) + (random & 0xffffu)) >> 16);
}
inline std::uint16_t nearest_half(float x) { return half_rounded_at_random(x, 0x8000u); }

// An active weight and its sum of squared gradients in one word: the upper 20 bits of the weight's float32, and the
// upper 12 of the sum's without its sign.
struct PackedSlot {
  static constexpr std::uint32_t kWeightBits = 0xfffff000u, kSumShift = 19;

  static float weight(std::uint32_t slot) { return std::bit_cast<float>(slot & kWeightBits); }
  static float squares(std::uint32_t slot) { return std::bit_cast<float>((slot & ~kWeightBits) << kSumShift); }
  static std::uint32_t nearest(float weight, float squares) {
    return ((std::bit_cast<std::uint32_t>(weight) + 0x800u) & kWeightBits) |
           ((std::bit_cast<std::uint32_t>(squares) + (1u << (kSumShift - 1))) >> kSumShift);
  }
};

}  // namespace wmsketch
