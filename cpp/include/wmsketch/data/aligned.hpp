// A vector on cache-line boundaries, so that a line of the active set is one line of the cache.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace wmsketch {

template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};

  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>&) {}  // NOLINT: allocators convert
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
  void deallocate(T* at, std::size_t) { ::operator delete(at, kLine); }
  bool operator==(const LineAllocator&) const { return true; }
};

template <class T>
using LineVector = std::vector<T, LineAllocator<T>>;

}  // namespace wmsketch
