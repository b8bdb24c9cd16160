// bfloat16: the upper half of a float32.
#pragma once

#include <bit>
#include <cstdint>

namespace wmsketch {

inline float float_of_bfloat(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// Stochastic rounding to one of the two neighbours. The expected value is x.
inline std::uint16_t bfloat_rounded_at_random(float x, std::uint32_t random) {
  return static_cast<std::uint16_t>((std::bit_cast<std::uint32_t>(x) + (random & 0xffffu)) >> 16);
}
inline std::uint16_t nearest_bfloat(float x) { return bfloat_rounded_at_random(x, 0x8000u); }

}  // namespace wmsketch
