// Cell types of a sketch: a float32 weight, or a weight with its sum of squared gradients in 32 or 16 bits.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/slots/bfloat.hpp"
#include "wmsketch/slots/packed_cell.hpp"

namespace wmsketch {

// For plain steps, which need no sum of squares.
struct FloatCell {
  static constexpr bool kAdaptive = false;
  using Stored = float;

  static float weight(float cell) { return cell; }
  static float squares(float) { return 0; }
  static float nearest(float weight, float) { return weight; }

  static void archive(Archive& archive, float* cells, std::size_t n) {
    archive.fixed("cells", cells, n);
    if (!archive.loading()) return;
    for (std::size_t i = 0; i < n; ++i) require_state(std::isfinite(cells[i]), "a cell is not finite");
  }
};

// A bfloat16 weight in the upper half, a bfloat16 sum in the lower half.
struct BfloatCell {
  static constexpr bool kAdaptive = true;
  using Stored = std::uint32_t;

  static float weight(std::uint32_t cell) { return float_of_bfloat(static_cast<std::uint16_t>(cell >> 16)); }
  static float squares(std::uint32_t cell) { return float_of_bfloat(static_cast<std::uint16_t>(cell)); }
  static std::uint32_t nearest(float weight, float squares) {
    return joined(nearest_bfloat(weight), nearest_bfloat(squares));
  }
  static std::uint32_t rounded_at_random(float weight, float squares, std::uint32_t random) {
    return joined(bfloat_rounded_at_random(weight, random), bfloat_rounded_at_random(squares, random >> 16));
  }

  // Files store all weights, then all sums.
  static void archive(Archive& archive, std::uint32_t* cells, std::size_t n) {
    std::vector<std::uint16_t> weights(n), sums(n);
    for (std::size_t i = 0; i < n; ++i) {
      weights[i] = static_cast<std::uint16_t>(cells[i] >> 16);
      sums[i] = static_cast<std::uint16_t>(cells[i]);
    }
    archive.fixed("cells", weights.data(), n);
    archive.fixed("squares", sums.data(), n);
    if (!archive.loading()) return;
    for (std::size_t i = 0; i < n; ++i) {
      cells[i] = joined(weights[i], sums[i]);
      require_state(std::isfinite(weight(cells[i])), "a cell is not finite");
      require_state(std::isfinite(squares(cells[i])) && squares(cells[i]) >= 0,
                    "a sum of squares is negative or not finite");
    }
  }

 private:
  static std::uint32_t joined(std::uint16_t weight, std::uint16_t sum) {
    return static_cast<std::uint32_t>(weight) << 16 | sum;
  }
};

}  // namespace wmsketch
