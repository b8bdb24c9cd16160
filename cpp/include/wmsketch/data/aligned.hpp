// An allocator for tables: aligned to cache lines, and large ones in large pages.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace wmsketch {

inline constexpr std::size_t kLargePage = std::size_t{1} << 21;
// Asks the operating system to use large pages here. It falls back to small pages if it has none.
void use_large_pages(void* at, std::size_t bytes);

// Aligns to 64 bytes, so that a line of the active set is one cache line. Tables of megabytes with random access are in
// large pages: with small ones, nearly every read would also miss the TLB.
template <class T>
struct TableAllocator {
  using value_type = T;

  TableAllocator() = default;
  template <class U>
  TableAllocator(const TableAllocator<U>&) {}  // NOLINT: allocators convert
  T* allocate(std::size_t n) {
    void* const at = ::operator new(n * sizeof(T), alignment_of(n));
    if (n * sizeof(T) >= kLargePage) use_large_pages(at, n * sizeof(T));
    return static_cast<T*>(at);
  }
  void deallocate(T* at, std::size_t n) { ::operator delete(at, alignment_of(n)); }
  bool operator==(const TableAllocator&) const { return true; }

 private:
  static std::align_val_t alignment_of(std::size_t n) {
    return std::align_val_t{n * sizeof(T) >= kLargePage ? kLargePage : 64};
  }
};

template <class T>
using TableVector = std::vector<T, TableAllocator<T>>;

}  // namespace wmsketch
