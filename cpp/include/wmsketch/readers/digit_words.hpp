// Many numbers of up to eight digits at once. Each is a word with its digits, the first in the lowest byte and zeros in
// front, as join_digits takes it.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "wmsketch/readers/numbers.hpp"

namespace wmsketch::detail {

// The word of the 1 to 8 digits at `at`. Eight bytes must be readable.
inline std::uint64_t digit_word(const char* at, std::uint32_t size) { return load_digits(at) << (64 - 8 * size); }

// The numbers of these words.
inline void join_words(const std::uint64_t* words, std::size_t n, std::uint32_t* numbers) {
  std::size_t i = 0;
#if defined(__SSE2__)
  const __m128i low = _mm_set1_epi16(0xff), ten = _mm_set1_epi16(10);
  const __m128i hundreds = _mm_set1_epi32(1 << 16 | 100), ten_thousands = _mm_set1_epi32(1 << 16 | 10000);
  const auto four_digits = [&](const std::uint64_t* two) {  // of each half of two words
    const __m128i digits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(two));
    const __m128i tens = _mm_mullo_epi16(_mm_and_si128(digits, low), ten);
    return _mm_madd_epi16(_mm_add_epi16(tens, _mm_srli_epi16(digits, 8)), hundreds);
  };
  for (; i + 4 <= n; i += 4) {
    const __m128i halves = _mm_packs_epi32(four_digits(words + i), four_digits(words + i + 2));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(numbers + i), _mm_madd_epi16(halves, ten_thousands));
  }
#endif
  for (; i < n; ++i) numbers[i] = join_digits(words[i]);
}

// Powers of ten as denominators; negative ones make the quotient negative.
inline constexpr float kPositive[] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f};
inline constexpr float kNegative[] = {-1e0f, -1e1f, -1e2f, -1e3f, -1e4f, -1e5f, -1e6f, -1e7f};

// The quotients of these numbers and denominators. They are those of read_number, rounded to a float: numerators with a
// point are below 10^7, so both parts are exact, and a double has more than twice the bits that would be needed to
// round it twice. A division takes as long as everything else together, so many are done at once.
inline void divide_words(const std::uint64_t* words, const float* denominators, std::size_t n, float* values) {
  constexpr std::size_t kAtOnce = 64;
  std::uint32_t numerators[kAtOnce];
  for (std::size_t begin = 0; begin < n; begin += kAtOnce) {
    const std::size_t size = std::min(kAtOnce, n - begin);
    join_words(words + begin, size, numerators);
    for (std::size_t i = 0; i < size; ++i)
      values[begin + i] = static_cast<float>(static_cast<std::int32_t>(numerators[i])) / denominators[begin + i];
  }
}

}  // namespace wmsketch::detail
