#include "wmsketch/readers/cell_marks.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <bit>

#include "wmsketch/readers/scan.hpp"
#include "wmsketch/simd/kernels.hpp"

namespace wmsketch {
namespace {

// One bit for each of 64 characters, the first is the lowest.
struct Marks {
  std::uint64_t delimiters, newlines, quotes;
};

struct FindPortable {
  char delimiter;
  Marks operator()(const char* at) const {
    return {marks_of_64(at, delimiter), marks_of_64(at, '\n'), marks_of_64(at, '"')};
  }
};

// Four ends are written at a time, whether there are so many or not: their number cannot be predicted.
template <class Find>
[[gnu::always_inline]] inline std::size_t find_cells(const char* at, const char* end, bool quotes_matter,
                                                     std::uint32_t* ends, std::uint32_t* last, const Find& find) {
  const char* const text = at;
  const std::uint64_t mattering = -std::uint64_t{quotes_matter};
  std::size_t n_ends = 0, n_rows = 0;
  for (; at < end && n_ends < CellMarks::kMost; at += 64) {
    auto [delimiters, newlines, quotes] = find(at);
    std::uint64_t stops = quotes & mattering;
    if (end - at < 64) stops |= std::uint64_t{1} << (end - at);
    const std::uint64_t before = ~stops & (stops - 1);  // all, if there is no stop
    newlines &= before;
    std::uint64_t marks = (delimiters & before) | newlines;
    for (; newlines != 0; newlines &= newlines - 1) {
      const std::uint64_t until = newlines ^ (newlines - 1);
      last[n_rows++] = static_cast<std::uint32_t>(n_ends) + static_cast<std::uint32_t>(std::popcount(marks & until));
    }
    const auto here = static_cast<std::uint32_t>(at - text);
    const std::size_t n = n_ends + static_cast<std::size_t>(std::popcount(marks));
    for (; n_ends < n; n_ends += 4)
      for (std::size_t i = 0; i < 4; ++i, marks &= marks - 1)
        ends[n_ends + i] = here + static_cast<std::uint32_t>(std::countr_zero(marks));
    n_ends = n;
    if (stops != 0) break;
  }
  return n_rows;
}

#if defined(__x86_64__)
struct FindAvx2 {
  char delimiter;
  [[gnu::target("avx2,bmi,popcnt")]] static std::uint64_t equal(__m256i low, __m256i high, char wanted) {
    const __m256i all = _mm256_set1_epi8(wanted);
    const auto first = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, all)));
    const auto second = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, all)));
    return first | std::uint64_t{second} << 32;
  }
  [[gnu::target("avx2,bmi,popcnt")]] Marks operator()(const char* at) const {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 32));
    return {equal(low, high, delimiter), equal(low, high, '\n'), equal(low, high, '"')};
  }
};
[[gnu::target("avx2,bmi,popcnt")]] std::size_t find_cells_avx2(const char* at, const char* end, bool quotes_matter,
                                                               std::uint32_t* ends, std::uint32_t* last,
                                                               char delimiter) {
  return find_cells(at, end, quotes_matter, ends, last, FindAvx2{delimiter});
}

bool has_avx2() { return uses_avx2() && __builtin_cpu_supports("popcnt"); }
#endif

}  // namespace

void CellMarks::find(const char* at, const char* end, char delimiter, bool quotes_matter) {
  from_ = next_ = at;
  row_ = 0;
#if defined(__x86_64__)
  if (has_avx2()) {
    n_rows_ = find_cells_avx2(at, end, quotes_matter, marks_.data() + 1, last_.data(), delimiter);
    return;
  }
#endif
  n_rows_ = find_cells(at, end, quotes_matter, marks_.data() + 1, last_.data(), FindPortable{delimiter});
}

}  // namespace wmsketch
