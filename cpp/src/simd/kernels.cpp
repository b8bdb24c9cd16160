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

std::vector<const Kernels*> those_that_run() {
  std::vector<const Kernels*> found;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")) found.push_back(&avx2::table);
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

const SketchKernels& sketch_kernels() {
#if defined(__x86_64__)
  if (&kernels() == &avx2::table) return avx2::sketch_table;
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
