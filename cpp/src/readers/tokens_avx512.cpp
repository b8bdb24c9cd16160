#if defined(__x86_64__)
#include "wmsketch/readers/tokens_avx512.hpp"

#if defined(__GNUC__) && !defined(__clang__)  // GCC 12 warns about its own header
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include <array>
#include <bit>

#include "wmsketch/readers/digit_words.hpp"

#define WITH_AVX512 [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,bmi,popcnt")]]

namespace wmsketch {
namespace {

// Positions in a text, in order. All 64 of a round have room behind the last.
struct Places {
  std::uint32_t at[Tokens::kMost + 64];
  std::size_t n = 0;

  // Adds the characters of these bits, the lowest of which is at `here`. There are at most 32: no two are neighbours.
  WITH_AVX512 void add(std::uint64_t bits, std::uint32_t here) {
    alignas(64) static constexpr auto kEach = [] {
      std::array<std::uint8_t, 64> each{};
      for (std::size_t i = 0; i < each.size(); ++i) each[i] = static_cast<std::uint8_t>(i);
      return each;
    }();
    const __m512i places = _mm512_maskz_compress_epi8(bits, _mm512_load_si512(kEach.data()));
    const __m512i begin = _mm512_set1_epi32(static_cast<int>(here));
    const __m128i first = _mm512_castsi512_si128(places);
    _mm512_storeu_si512(at + n, _mm512_add_epi32(begin, _mm512_cvtepu8_epi32(first)));
    const auto found = static_cast<std::size_t>(std::popcount(bits));
    if (found > 16) {
      const __m128i second = _mm512_extracti32x4_epi32(places, 1);
      _mm512_storeu_si512(at + n + 16, _mm512_add_epi32(begin, _mm512_cvtepu8_epi32(second)));
    }
    n += found;
  }
};

// Puts pairs together.
WITH_AVX512 void zip(__m512i begins, __m512i ends, TextSpan* spans) {
  const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
  _mm512_storeu_si512(spans, _mm512_permutex2var_epi32(begins, low, ends));
  _mm512_storeu_si512(spans + 8, _mm512_permutex2var_epi32(begins, high, ends));
}

// One bit for each of eight words, set if it is not 0.
WITH_AVX512 inline unsigned not_zero(__m512i words) { return _mm512_test_epi64_mask(words, words); }
// Set unless 1 <= size <= 8.
WITH_AVX512 inline unsigned beyond_eight(__m512i size) {
  return _mm512_cmpgt_epu64_mask(_mm512_sub_epi64(size, _mm512_set1_epi64(1)), _mm512_set1_epi64(7));
}
WITH_AVX512 inline __m512i beyond_nine(__m512i words) { return _mm512_subs_epu8(words, _mm512_set1_epi8(9)); }

// Eight spans: their sizes, and their first eight bytes.
struct EightWords {
  __m512i size, bytes;
};
WITH_AVX512 inline EightWords load_eight(const char* text, __m512i spans) {
  const __m512i begin = _mm512_and_si512(spans, _mm512_set1_epi64(0xffffffff));
  return {_mm512_sub_epi64(_mm512_srli_epi64(spans, 32), begin), _mm512_i64gather_epi64(begin, text, 1)};
}
// As digit_word: the digits of the first `size` bytes, with zeros in front. More than eight are all zeros.
WITH_AVX512 inline __m512i digit_words_of(__m512i bytes, __m512i size) {
  const __m512i shift = _mm512_sub_epi64(_mm512_set1_epi64(64), _mm512_slli_epi64(size, 3));
  return _mm512_sllv_epi64(_mm512_xor_si512(bytes, _mm512_set1_epi8('0')), shift);
}
// The numbers of eight words.
WITH_AVX512 inline __m256i join_eight(__m512i words) {
  const __m512i pairs = _mm512_maddubs_epi16(words, _mm512_set1_epi16(1 << 8 | 10));
  const __m512i fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(1 << 16 | 100));
  const __m512i high = _mm512_mul_epu32(fours, _mm512_set1_epi64(10000));
  return _mm512_cvtepi64_epi32(_mm512_add_epi64(high, _mm512_srli_epi64(fours, 32)));
}

// As read_short and divide_words.
struct ReadNumbers {
  using Number = float;
  WITH_AVX512 unsigned operator()(const char* text, __m512i spans, __mmask8 wanted, float* values) const {
    const EightWords eight = load_eight(text, spans);
    const __m512i ones = _mm512_set1_epi8(1), one = _mm512_set1_epi64(1);
    const __m512i first = _mm512_and_si512(eight.bytes, _mm512_set1_epi64(0xff));
    const __mmask8 minus = _mm512_cmpeq_epi64_mask(first, _mm512_set1_epi64('-'));
    const __m512i size = _mm512_mask_sub_epi64(eight.size, minus, eight.size, one);
    const __m512i bytes = _mm512_mask_srli_epi64(eight.bytes, minus, eight.bytes, 8);
    const __m512i digits = digit_words_of(bytes, size);
    const __m512i points = _mm512_movm_epi8(_mm512_cmpeq_epi8_mask(digits, _mm512_set1_epi8('.' ^ '0')));
    const __m512i point = _mm512_and_si512(points, ones);  // its lowest bit
    const __m512i n_points = _mm512_sad_epu8(point, _mm512_setzero_si512());
    const __m512i before = _mm512_sub_epi64(point, one);  // the bytes before it, or all
    const __m512i until = _mm512_or_si512(before, points);
    const __m512i moved = _mm512_sllv_epi64(_mm512_and_si512(digits, before), _mm512_slli_epi64(n_points, 3));
    const __m512i words = _mm512_or_si512(_mm512_andnot_si512(until, digits), moved);
    const __m512i n_fraction = _mm512_sad_epu8(_mm512_andnot_si512(until, ones), _mm512_setzero_si512());
    const unsigned bad = not_zero(beyond_nine(words)) | _mm512_cmpgt_epi64_mask(n_points, one) |
                         beyond_eight(eight.size) | beyond_eight(_mm512_sub_epi64(size, n_points));
    const __m256 power =
        _mm256_permutevar8x32_ps(_mm256_loadu_ps(detail::kPositive), _mm512_cvtepi64_epi32(n_fraction));
    const __m256 quotient = _mm256_div_ps(_mm256_cvtepi32_ps(join_eight(words)), power);
    const __m256 sign = _mm256_castsi256_ps(_mm256_maskz_set1_epi32(minus, static_cast<int>(0x80000000u)));
    _mm256_mask_storeu_ps(values, wanted, _mm256_xor_ps(quotient, sign));
    return bad;
  }
};

struct ReadIds {
  using Number = Key;
  WITH_AVX512 unsigned operator()(const char* text, __m512i spans, __mmask8 wanted, Key* keys) const {
    const EightWords eight = load_eight(text, spans);
    const __m512i digits = digit_words_of(eight.bytes, eight.size);
    _mm256_mask_storeu_epi32(keys, wanted, join_eight(digits));
    return not_zero(beyond_nine(digits)) | beyond_eight(eight.size);
  }
};

template <class Read>
WITH_AVX512 std::size_t read_all(const char* text, const TextSpan* spans, std::size_t n, typename Read::Number* numbers,
                                 std::uint16_t* others) {
  std::size_t n_others = 0;
  for (std::size_t i = 0; i < n; i += 8) {
    const auto wanted = static_cast<__mmask8>(n - i < 8 ? (1u << (n - i)) - 1 : 0xff);
    unsigned bad = Read()(text, _mm512_maskz_loadu_epi64(wanted, spans + i), wanted, numbers + i) & wanted;
    for (; bad != 0; bad &= bad - 1) others[n_others++] = static_cast<std::uint16_t>(i + std::countr_zero(bad));
  }
  return n_others;
}

}  // namespace

// A word begins at a character that is no end behind one that is, and ends at the next. An addition carries from its
// first colon to its end, so the sum tells first colons from later ones, and ends behind a colon from others.
WITH_AVX512 const char* find_tokens_avx512(const char* at, const char* line_end, const char* text, char stop,
                                           Tokens& tokens) {
  auto here = static_cast<std::uint32_t>(at - text);
  const __m512i colon = _mm512_set1_epi8(':'), blank = _mm512_set1_epi8(' '), tab = _mm512_set1_epi8('\t');
  const __m512i its_stop = _mm512_set1_epi8(stop);
  Places begins, name_ends, ends;
  std::uint64_t after_end = 1, after_colon = 0;  // of the character before these: is it an end, is it behind a colon?
  std::uint64_t any_colon = 0;
  std::uint64_t stops = 0;
  for (;; here += 64) {
    const char* const block = text + here;
    const __m512i bytes = _mm512_loadu_si512(block);
    std::uint64_t colons = _mm512_cmpeq_epi8_mask(bytes, colon);
    const std::uint64_t blanks = _mm512_cmpeq_epi8_mask(bytes, blank) | _mm512_cmpeq_epi8_mask(bytes, tab);
    stops = _mm512_cmpeq_epi8_mask(bytes, its_stop);
    const auto left = static_cast<std::size_t>(line_end - block);
    if (left < 64) stops |= std::uint64_t{1} << left;  // the end of the line
    const std::uint64_t all_ends = blanks | stops;
    stops |= colons & (all_ends << 1 | after_end) & ~all_ends;  // a colon without a name
    const std::uint64_t before = (stops & -stops) - 1;          // all if there is none
    const std::uint64_t end = all_ends & (before << 1 | 1), inside = ~end & before;
    const std::uint64_t behind_end = end << 1 | after_end;
    colons &= before;
    const std::uint64_t sum = inside + colons, carried = sum + after_colon;
    const std::uint64_t end_of_word = end & ~behind_end;
    begins.add(inside & behind_end, here);
    name_ends.add((colons & ~carried) | (end_of_word & ~carried), here);
    ends.add(end_of_word, here);
    any_colon |= colons;
    after_end = end >> 63;
    after_colon = static_cast<std::uint64_t>(sum < inside) | static_cast<std::uint64_t>(carried < sum);
    if (stops != 0 || ends.n >= Tokens::kBatch) break;
  }
  tokens.n = ends.n;
  tokens.any_colon = any_colon != 0;
  const __m512i one = _mm512_set1_epi32(1);
  for (std::size_t i = 0; i < ends.n; i += 16) {
    const __m512i begin = _mm512_loadu_si512(begins.at + i), name_end = _mm512_loadu_si512(name_ends.at + i);
    const __m512i its_end = _mm512_loadu_si512(ends.at + i);
    zip(begin, name_end, tokens.names.data() + i);
    zip(_mm512_min_epu32(_mm512_add_epi32(name_end, one), its_end), its_end, tokens.numbers.data() + i);
  }
  if (stops != 0) return text + here + std::countr_zero(stops);
  return text + (begins.n > ends.n ? begins.at[ends.n] : here + 64);
}

std::size_t read_numbers_avx512(const char* text, const TextSpan* numbers, std::size_t n, float* values,
                                std::uint16_t* others) {
  return read_all<ReadNumbers>(text, numbers, n, values, others);
}

std::size_t read_ids_avx512(const char* text, const TextSpan* ids, std::size_t n, Key* keys, std::uint16_t* others) {
  return read_all<ReadIds>(text, ids, n, keys, others);
}

}  // namespace wmsketch
#endif
