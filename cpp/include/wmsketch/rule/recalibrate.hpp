// Platt scaling of finished margins: the shift and the scale that fit labels best.
#pragma once

#include <cstdint>
#include <span>

namespace wmsketch {

// The log odds of a margin are scale * margin + shift. `gain` is the increase in the log likelihood of the rows over
// the old scale without a shift.
struct Recalibration {
  double shift = 0, scale = 1, gain = 0;
};

// Newton's method, starting at the old scale. The scale stays within [least, most].
Recalibration recalibrate(std::span<const double> margins, std::span<const std::int8_t> labels,
                          std::span<const float> weights, double scale_before, double least, double most);

}  // namespace wmsketch
