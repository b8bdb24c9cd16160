// The normal distribution.
#pragma once

namespace wmsketch {

inline constexpr double kDeviations95 = 1.959963984540054;  // on either side of the mean: 95 %

}  // namespace wmsketch
