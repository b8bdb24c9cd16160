// The lazy L1 threshold, applied where a raw weight is read.
#pragma once

#include <algorithm>
#include <cmath>

namespace wmsketch {

// v shrunk towards zero by the lazy L1 threshold.
inline float soften(float v, float threshold) { return std::copysign(std::max(std::abs(v) - threshold, 0.0f), v); }

}  // namespace wmsketch
