// A weight and the sum of its squared gradients in 16 bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/slots/packed_bits.hpp"

namespace wmsketch {

// Layout from the highest bit: a sign bit, 11 bits of weight, 4 bits of sum. The weight bits are 0 for a weight of
// zero, otherwise the middle bits of its float32 (5 of the exponent, 6 of the mantissa: 2^-20 to 2^12). The sum bits n
// mean 2^n - 1 units; the sketch stores the size of the unit.
struct PackedCell {
  static constexpr bool kAdaptive = true;
  using Stored = std::uint16_t;

  static float weight(std::uint16_t cell) { return one_lane::cell_weights(in_word(cell)); }
  static float squares(std::uint16_t cell) { return one_lane::cell_sums(in_word(cell)); }  // in units
  static std::uint16_t nearest(float weight, float units) {
    return from_word(one_lane::pack_cells(weight, units, 1u << 16, 1u << 22));
  }
  static std::uint16_t rounded_at_random(float weight, float units, std::uint32_t random) {
    return from_word(one_lane::pack_cells_at_random(weight, units, random));
  }

  static void archive(Archive& archive, std::uint16_t* cells, std::size_t n) { archive.fixed("cells", cells, n); }

 private:
  static std::uint32_t in_word(std::uint16_t cell) { return static_cast<std::uint32_t>(cell) << 16; }
  static std::uint16_t from_word(std::uint32_t word) { return static_cast<std::uint16_t>(word >> 16); }
};

}  // namespace wmsketch
