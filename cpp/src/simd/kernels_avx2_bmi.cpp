#if defined(__AVX2__)
#include <immintrin.h>

#include "wmsketch/simd/kernels.hpp"

namespace wmsketch::avx2 {
#include "wmsketch/simd/lanes_avx2.inl"
// behind the lanes
#include "wmsketch/simd/kernels.inl"

extern const Kernels table;
const Kernels table = make_kernels("avx2");
}  // namespace wmsketch::avx2
#endif
