// bfloat16, the upper half of a float32: the conversion rules of all 16-bit weights, sums and cells.
#pragma once

#include <bit>
#include <cstdint>

namespace wmsketch {

inline float float_of_half(std::uint16_t half) { return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16); }

// To one of the two neighbours, away from zero with the probability that keeps the mean.
inline std::uint16_t half_rounded_at_random(float x, std::uint32_t random) {
  return static_cast<std::uint16_t>((std::bit_cast<std::uint32_t>(x) + (random & 0xffffu)) >> 16);
}
inline std::uint16_t nearest_half(float x) { return half_rounded_at_random(x, 0x8000u); }

}  // namespace wmsketch
