// A weight and the sum of its squared gradients in 16 bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "wmsketch/data/archive.hpp"

namespace wmsketch {

// From the top: a sign, 11 bits that are 0 for no weight and else the middle of its float32 (5 bits of exponent, 6 of
// mantissa: 2^-20 to 2^12), and 4 bits n: a sum of 2^n - 1 units. The sketch keeps the size of the unit.
struct PackedCell {
  static constexpr bool kAdaptive = true, kHasUnit = true;
  static constexpr std::uint32_t kBelowLeast = 107u << 23, kLeast = kBelowLeast + (1u << 17);
  static constexpr std::uint32_t kMost = kBelowLeast + (0x7ffu << 17), kWeightRandom = 0x1ffffu, kMostLevel = 15;
  using Stored = std::uint16_t;

  static float weight(std::uint16_t cell) {
    const std::uint32_t code = (cell >> 4) & 0x7ffu, sign = (cell & 0x8000u) << 16;
    return std::bit_cast<float>(code == 0 ? 0 : sign | (kBelowLeast + (code << 17)));
  }
  static float squares(std::uint16_t cell) { return std::bit_cast<float>((127u + (cell & 15u)) << 23) - 1.0f; }
  static std::uint16_t rounded_at_random(float weight, float squares, std::uint32_t random) {
    return static_cast<std::uint16_t>(weight_rounded(weight, random & kWeightRandom) |
                                      level_rounded(squares, random >> 17 << 8));
  }
  static std::uint16_t nearest(float weight, float squares) {
    return static_cast<std::uint16_t>(weight_rounded(weight, 0x10000u) | level_rounded(squares, 0x400000u));
  }

  static void archive(Archive& archive, std::uint16_t* cells, std::size_t n) { archive.fixed("cells", cells, n); }

 private:
  static std::uint32_t weight_rounded(float weight, std::uint32_t random) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(weight), size = bits & 0x7fffffffu;
    std::uint32_t rounded = size + random < kMost ? size + random : kMost;
    if (size < kLeast) {  // to the least weight or to none
      const auto least = std::bit_cast<float>(kLeast);
      const bool up = std::bit_cast<float>(size) + static_cast<float>(random) * (0x1p-17f * least) >= least;
      rounded = up ? kLeast : kBelowLeast;
    }
    return (bits >> 16 & 0x8000u) | ((rounded - kBelowLeast) >> 17 << 4);
  }
  static std::uint32_t level_rounded(float squares, std::uint32_t random) {
    const std::uint32_t level = ((std::bit_cast<std::uint32_t>(squares + 1.0f) + random) >> 23) - 127u;
    return level < kMostLevel ? level : kMostLevel;
  }
};

}  // namespace wmsketch
