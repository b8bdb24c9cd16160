#if defined(__AVX2__)
#include <immintrin.h>

#include "wmsketch/simd/kernels.hpp"
#include "wmsketch/simd/sketch_kernels.hpp"

namespace wmsketch::avx2 {
#include "wmsketch/simd/lanes_avx2.inl"
// behind the lanes
#include "wmsketch/simd/kernels.inl"
#include "wmsketch/simd/kernels_sketch.inl"

extern const Kernels table;
const Kernels table = make_kernels("avx2");
extern const SketchKernels sketch_table;
const SketchKernels sketch_table = make_sketch_kernels();
}  // namespace wmsketch::avx2
#endif
