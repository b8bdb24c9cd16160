#include "wmsketch/simd/kernels.hpp"

#include <atomic>
#include <string>
#include <vector>

#include "wmsketch/data/error.hpp"
#include "wmsketch/simd/sketch_kernels.hpp"

namespace wmsketch {
namespace portable {
#include "wmsketch/simd/lanes_portable.inl"
// behind the lanes
#include "wmsketch/simd/kernels.inl"
#include "wmsketch/simd/kernels_sketch.inl"
constexpr Kernels table = make_kernels("portable");
constexpr SketchKernels sketch_table = make_sketch_kernels();
}  // namespace portable

#if defined(__x86_64__)
namespace avx2 {
extern const Kernels table;
extern const SketchKernels sketch_table;
}  // namespace avx2
#endif

namespace {

#if defined(__x86_64__)
// Only the readers have code of their own for AVX-512 (readers/tokens_avx512.cpp).
const Kernels& avx512_table() {
  static const Kernels table = [] {
    Kernels same = avx2::table;
    same.name = "avx512";
    return same;
  }();
  return table;
}
#endif

std::vector<const Kernels*> those_that_run() {
  std::vector<const Kernels*> found;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")) {
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi2"))
      found.push_back(&avx512_table());
    found.push_back(&avx2::table);
  }
#endif
  found.push_back(&portable::table);
  return found;
}

}  // namespace

std::atomic<const Kernels*> simd::chosen{nullptr};

std::span<const Kernels* const> all_kernels() {
  static const std::vector<const Kernels*> all = those_that_run();
  return all;
}

const Kernels& simd::choose_fastest() {
  const Kernels* const fastest = all_kernels().front();
  chosen.store(fastest, std::memory_order_relaxed);
  return *fastest;
}

bool uses_avx2() { return &kernels() != &portable::table; }

bool uses_avx512() {
#if defined(__x86_64__)
  return &kernels() == &avx512_table();
#else
  return false;
#endif
}

const SketchKernels& sketch_kernels() {
#if defined(__x86_64__)
  if (uses_avx2()) return avx2::sketch_table;
#endif
  return portable::sketch_table;
}

const Kernels& portable_kernels() { return portable::table; }

void choose_kernels(std::string_view name) {
  for (const Kernels* table : all_kernels()) {
    if (!name.empty() && name != table->name) continue;
    simd::chosen.store(table, std::memory_order_relaxed);
    return;
  }
  throw parameter_error("name", "must be an instruction set of this CPU", std::string(name));
}

}  // namespace wmsketch
