#include "wmsketch/data/aligned.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace wmsketch {

void use_large_pages([[maybe_unused]] void* at, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  madvise(at, bytes / kLargePage * kLargePage, MADV_HUGEPAGE);  // only a hint: failure does not change results
#endif
}

}  // namespace wmsketch
