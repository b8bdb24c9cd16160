// Lazy L1 regularisation: soft thresholding when a weight is read.
#pragma once

#include <algorithm>
#include <cmath>

namespace wmsketch {

// The value v moved towards zero by `threshold`, or zero if it is smaller.
inline float soften(float v, float threshold) { return std::copysign(std::max(std::abs(v) - threshold, 0.0f), v); }

}  // namespace wmsketch
