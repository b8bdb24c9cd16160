// Packing and unpacking of slots and cells, for one number at a time.
#pragma once

#include <bit>
#include <cstdint>

namespace wmsketch::one_lane {

#include "wmsketch/simd/lanes_scalar.inl"
#include "wmsketch/simd/packed_bits.inl"

}  // namespace wmsketch::one_lane
