#include "wmsketch/simd/kernels.hpp"

#include <atomic>

namespace wmsketch {
namespace portable {
#include "wmsketch/simd/lanes_portable.inl"
// behind the lanes
#include "wmsketch/simd/kernels.inl"
constexpr Kernels table = make_kernels("portable");
}  // namespace portable

#if defined(__x86_64__)
namespace avx2 {
extern const Kernels table;
}
#endif

namespace {

const Kernels& fastest() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")) return avx2::table;
#endif
  return portable::table;
}

std::atomic<const Kernels*> chosen{nullptr};

}  // namespace

const Kernels& kernels() {
  const Kernels* current = chosen.load(std::memory_order_relaxed);
  if (current == nullptr) {
    current = &fastest();
    chosen.store(current, std::memory_order_relaxed);
  }
  return *current;
}

const Kernels& portable_kernels() { return portable::table; }

void force_portable_kernels(bool on) { chosen.store(on ? &portable::table : &fastest(), std::memory_order_relaxed); }

}  // namespace wmsketch
