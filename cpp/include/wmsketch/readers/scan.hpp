// Finds separators in 64 characters at once. The text must be readable for 64 bytes.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <bit>
#include <cstdint>
#include <cstring>

namespace wmsketch {

// One bit for each of 64 characters, set if it is one of these; the first is the lowest.
template <class... Chars>
inline std::uint64_t marks_of_64(const char* at, Chars... wanted) {
  std::uint64_t marks = 0;
#if defined(__SSE2__)
  for (int i = 0; i < 64; i += 16) {
    const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + i));
    __m128i found = _mm_setzero_si128();
    ((found = _mm_or_si128(found, _mm_cmpeq_epi8(text, _mm_set1_epi8(wanted)))), ...);
    marks |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(found))) << i;
  }
#else
  constexpr std::uint64_t kLow = 0x7f7f7f7f7f7f7f7fu;
  for (int i = 0; i < 64; i += 8) {
    std::uint64_t x;
    std::memcpy(&x, at + i, sizeof x);
    if constexpr (std::endian::native == std::endian::big) x = __builtin_bswap64(x);
    std::uint64_t others = ~std::uint64_t{0};  // the top bit of a byte is clear if it is one of these
    const auto see = [&](char c) {
      const std::uint64_t difference = x ^ (0x0101010101010101u * static_cast<unsigned char>(c));
      others &= ((difference & kLow) + kLow) | difference;
    };
    (see(wanted), ...);
    marks |= ((~others & ~kLow) >> 7) * 0x0102040810204080u >> 56 << i;
  }
#endif
  return marks;
}

// The first quote, backslash or control character of a text that has one.
inline const char* find_string_end(const char* at) {
#if defined(__SSE2__)
  for (;; at += 16) {
    const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(text, _mm_set1_epi8(0x1f)), text);
    const __m128i mark =
        _mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8('"')), _mm_cmpeq_epi8(text, _mm_set1_epi8('\\')));
    const auto found = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_or_si128(control, mark)));
    if (found != 0) return at + std::countr_zero(found);
  }
#else
  while (*at != '"' && *at != '\\' && static_cast<unsigned char>(*at) >= 0x20) ++at;
  return at;
#endif
}

// The position of the lowest mark, which is removed.
inline int take_mark(std::uint64_t& marks) {
  const int place = std::countr_zero(marks);
  marks &= marks - 1;
  return place;
}

}  // namespace wmsketch
