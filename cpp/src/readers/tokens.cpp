#include "wmsketch/readers/tokens.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <bit>

#include "wmsketch/readers/digit_words.hpp"
#include "wmsketch/readers/scan.hpp"
#include "wmsketch/readers/tokens_avx512.hpp"
#include "wmsketch/simd/kernels.hpp"

namespace wmsketch {

namespace {

// One bit for each of 64 characters, the first is the lowest.
struct WordMarks {
  std::uint64_t colons, blanks, stops;
};
using FindMarks = WordMarks (*)(const char* at, char stop);

// Blanks, colons and stops are found for 64 characters at once, whatever is between them; then each word takes one
// step.
template <FindMarks find_marks>
const char* find_tokens_of(const char* at, const char* line_end, const char* text, char stop, Tokens& tokens) {
  auto here = static_cast<std::uint32_t>(at - text);
  constexpr std::uint32_t kNone = 0xffffffffu;
  std::uint32_t begin = here, name_end = kNone;  // none: still in the name
  std::size_t n = 0;
  std::uint64_t any_colon = 0;
  for (;; here += 64) {
    const char* const block = text + here;
    auto [colons, ends, stops] = find_marks(block, stop);
    const auto left = static_cast<std::size_t>(line_end - block);
    if (left < 64) stops |= std::uint64_t{1} << left;  // the end of the line
    if (stops != 0) {
      const std::uint64_t before = (stops & -stops) - 1;
      ends = (ends & before) | (before + 1);
      colons &= before;
    }
    any_colon |= colons;
    for (; ends != 0; ends &= ends - 1) {
      const std::uint64_t inside = colons & ((ends & -ends) - 1);
      const std::uint32_t end = here + static_cast<std::uint32_t>(std::countr_zero(ends));
      const std::uint32_t colon = inside != 0 ? here + static_cast<std::uint32_t>(std::countr_zero(inside)) : end;
      const std::uint32_t its_end = name_end != kNone ? name_end : colon;
      if (its_end == begin && end != begin) break;  // a colon without a name
      tokens.names[n] = {begin, its_end};
      tokens.numbers[n] = {std::min(its_end + 1, end), end};
      n += end != begin;
      begin = end + 1;
      name_end = kNone;
      colons ^= inside;
    }
    if (name_end == kNone && colons != 0) name_end = here + static_cast<std::uint32_t>(std::countr_zero(colons));
    const bool nameless = name_end == begin;
    if (stops == 0 && !nameless && n < Tokens::kBatch) continue;
    tokens.n = n;
    tokens.any_colon = any_colon != 0;
    return text + (stops != 0 && !nameless ? begin - 1 : begin);
  }
}

WordMarks find_marks(const char* at, char stop) {
  return {marks_of_64(at, ':'), marks_of_64(at, ' ', '\t'), marks_of_64(at, stop)};
}

template <bool joins>
void hash_each(const char* text, const TextSpan* names, std::size_t n, const PrefixedNames& prefixed, Key* keys) {
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = static_cast<Key>(prefixed.hash<joins>(text + names[i].begin, names[i].size()) >> 32);
}

void hash_names(const char* text, const TextSpan* names, std::size_t n, const PrefixedNames& prefixed, Key* keys) {
  return prefixed.joins() ? hash_each<true>(text, names, n, prefixed, keys)
                          : hash_each<false>(text, names, n, prefixed, keys);
}

std::size_t read_numbers(const char* text, const TextSpan* numbers, std::size_t n, float* values,
                         std::uint16_t* others) {
  std::uint64_t words[Tokens::kMost];
  float denominators[Tokens::kMost];
  std::size_t n_others = 0;
  for (std::size_t i = 0; i < n; ++i) {
    detail::ShortNumber number{};
    others[n_others] = static_cast<std::uint16_t>(i);
    n_others += numbers[i].size() > 8 || !detail::read_short(text + numbers[i].begin, numbers[i].size(), number);
    words[i] = number.word;
    denominators[i] = (number.negative ? detail::kNegative : detail::kPositive)[number.n_fraction];
  }
  detail::divide_words(words, denominators, n, values);
  return n_others;
}

std::size_t read_ids(const char* text, const TextSpan* ids, std::size_t n, Key* keys, std::uint16_t* others) {
  std::uint64_t words[Tokens::kMost];
  std::size_t n_others = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t size = ids[i].size();
    words[i] = detail::digit_word(text + ids[i].begin, std::clamp(size, 1u, 8u));
    others[n_others] = static_cast<std::uint16_t>(i);
    n_others += size - 1 > 7 || detail::non_digits(words[i]) != 0;
  }
  detail::join_words(words, n, keys);
  return n_others;
}

constexpr TokenKernels kPortable{&find_tokens_of<&find_marks>, &hash_names, &read_numbers, &read_ids};

#if defined(__x86_64__)
[[gnu::target("avx2,bmi")]] inline std::uint64_t bits_of(__m256i low, __m256i high) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(high))) << 32;
}
[[gnu::target("avx2,bmi")]] WordMarks find_marks_avx2(const char* at, char stop) {
  const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 32));
  const __m256i colon = _mm256_set1_epi8(':'), blank = _mm256_set1_epi8(' '), tab = _mm256_set1_epi8('\t');
  const __m256i its_stop = _mm256_set1_epi8(stop);
  return {bits_of(_mm256_cmpeq_epi8(low, colon), _mm256_cmpeq_epi8(high, colon)),
          bits_of(_mm256_or_si256(_mm256_cmpeq_epi8(low, blank), _mm256_cmpeq_epi8(low, tab)),
                  _mm256_or_si256(_mm256_cmpeq_epi8(high, blank), _mm256_cmpeq_epi8(high, tab))),
          bits_of(_mm256_cmpeq_epi8(low, its_stop), _mm256_cmpeq_epi8(high, its_stop))};
}

// Where the two words that finish_name takes of a name stand, by the number of bytes that are left of it.
struct WordsOfName {
  std::uint8_t from[17][16];
};
constexpr WordsOfName kWordsOfName = [] {
  constexpr std::uint8_t kZero = 0x80;
  WordsOfName words{};
  for (std::uint8_t left = 0; left <= 16; ++left) {
    std::uint8_t* const from = words.from[left];
    std::fill(from, from + 16, kZero);
    const std::uint8_t size = left < 8 ? 4 : 8;
    for (std::uint8_t i = 0; left >= 4 && i < size; ++i) {
      from[i] = i;
      from[8 + i] = static_cast<std::uint8_t>(left - size + i);
    }
    if (left == 0 || left >= 4) continue;
    from[0] = static_cast<std::uint8_t>(left - 1);
    from[1] = left / 2;
    from[2] = 0;
  }
  return words;
}();

template <bool joins>
[[gnu::target("avx2,bmi")]] void hash_each_avx2(const char* text, const TextSpan* names, std::size_t n,
                                                const PrefixedNames& prefixed, Key* keys) {
  // zeros, then the bytes in order: from a later place on, this moves a name up behind the end of the prefix
  alignas(16) static constexpr std::uint8_t kMove[32] = {
      0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
      0,    1,    2,    3,    4,    5,    6,    7,    8,    9,    10,   11,   12,   13,   14,   15};
  const std::size_t n_before = joins ? prefixed.n_joined() : 0;
  const detail::Wide end_of_prefix = prefixed.joined();
  const __m128i move = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kMove + 16 - n_before));
  const __m128i before = _mm_set_epi64x(static_cast<long long>(static_cast<std::uint64_t>(end_of_prefix >> 64)),
                                        static_cast<long long>(static_cast<std::uint64_t>(end_of_prefix)));
  for (std::size_t i = 0; i < n; ++i) {
    const TextSpan name = names[i];
    const std::size_t left = n_before + name.size();
    if (left > 16) [[unlikely]] {
      keys[i] = static_cast<Key>(prefixed.hash<joins>(text + name.begin, name.size()) >> 32);
      continue;
    }
    __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + name.begin));
    if (joins) bytes = _mm_or_si128(_mm_shuffle_epi8(bytes, move), before);
    const __m128i words =
        _mm_shuffle_epi8(bytes, _mm_loadu_si128(reinterpret_cast<const __m128i*>(kWordsOfName.from[left])));
    keys[i] = static_cast<Key>(prefixed.finish(static_cast<std::uint64_t>(_mm_cvtsi128_si64(words)),
                                               static_cast<std::uint64_t>(_mm_extract_epi64(words, 1)), name.size()) >>
                               32);
  }
}

void hash_names_avx2(const char* text, const TextSpan* names, std::size_t n, const PrefixedNames& prefixed, Key* keys) {
  return prefixed.joins() ? hash_each_avx2<true>(text, names, n, prefixed, keys)
                          : hash_each_avx2<false>(text, names, n, prefixed, keys);
}

// Four spans: their sizes, and their first eight bytes.
struct FourWords {
  __m256i size, bytes;
};
[[gnu::target("avx2,bmi")]] inline FourWords load_four(const char* text, const TextSpan* spans) {
  const __m256i places = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(spans));
  const __m256i begin = _mm256_and_si256(places, _mm256_set1_epi64x(0xffffffff));
  long long bytes[4];
  for (int i = 0; i < 4; ++i) std::memcpy(bytes + i, text + spans[i].begin, sizeof bytes[i]);
  return {_mm256_sub_epi64(_mm256_srli_epi64(places, 32), begin),
          _mm256_set_epi64x(bytes[3], bytes[2], bytes[1], bytes[0])};
}
// As digit_word: the digits of the first `size` bytes, with zeros in front. More than eight are all zeros.
[[gnu::target("avx2,bmi")]] inline __m256i digit_words_of(__m256i bytes, __m256i size) {
  const __m256i shift = _mm256_sub_epi64(_mm256_set1_epi64x(64), _mm256_slli_epi64(size, 3));
  return _mm256_sllv_epi64(_mm256_xor_si256(bytes, _mm256_set1_epi8('0')), shift);
}
// The numbers of four words.
[[gnu::target("avx2,bmi")]] inline __m128i join_four(__m256i words) {
  const __m256i pairs = _mm256_maddubs_epi16(words, _mm256_set1_epi16(1 << 8 | 10));
  const __m256i fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(1 << 16 | 100));
  const __m256i all = _mm256_madd_epi16(_mm256_packus_epi32(fours, fours), _mm256_set1_epi32(1 << 16 | 10000));
  return _mm_unpacklo_epi64(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
}
// One bit for each of four words, set if it is not 0.
[[gnu::target("avx2,bmi")]] inline unsigned not_zero(__m256i words) {
  const __m256i zero = _mm256_cmpeq_epi64(words, _mm256_setzero_si256());
  return 15u & ~static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(zero)));
}
[[gnu::target("avx2,bmi")]] inline __m256i beyond_nine(__m256i words) {
  return _mm256_subs_epu8(words, _mm256_set1_epi8(9));
}
// Not 0 unless 1 <= size <= 8.
[[gnu::target("avx2,bmi")]] inline __m256i beyond_eight(__m256i size) {
  const __m256i below = _mm256_cmpgt_epi64(_mm256_set1_epi64x(1), size);
  return _mm256_or_si256(below, _mm256_cmpgt_epi64(size, _mm256_set1_epi64x(8)));
}
// The low halves of four words.
[[gnu::target("avx2,bmi")]] inline __m128i low_halves(__m256i words) {
  const __m256i halves = _mm256_permutevar8x32_epi32(words, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
  return _mm256_castsi256_si128(halves);
}

// As read_short and divide_words.
[[gnu::target("avx2,bmi")]] inline unsigned read_four_numbers(const char* text, const TextSpan* spans, float* values) {
  const FourWords four = load_four(text, spans);
  const __m256i ones = _mm256_set1_epi8(1);
  const __m256i first = _mm256_and_si256(four.bytes, _mm256_set1_epi64x(0xff));
  const __m256i minus = _mm256_cmpeq_epi64(first, _mm256_set1_epi64x('-'));
  const __m256i size = _mm256_add_epi64(four.size, minus);
  const __m256i bytes = _mm256_srlv_epi64(four.bytes, _mm256_and_si256(minus, _mm256_set1_epi64x(8)));
  const __m256i digits = digit_words_of(bytes, size);
  const __m256i points = _mm256_cmpeq_epi8(digits, _mm256_set1_epi8('.' ^ '0'));
  const __m256i point = _mm256_and_si256(points, ones);  // its lowest bit
  const __m256i n_points = _mm256_sad_epu8(point, _mm256_setzero_si256());
  const __m256i before = _mm256_sub_epi64(point, _mm256_set1_epi64x(1));  // the bytes before it, or all
  const __m256i until = _mm256_or_si256(before, points);
  const __m256i moved = _mm256_sllv_epi64(_mm256_and_si256(digits, before), _mm256_slli_epi64(n_points, 3));
  const __m256i words = _mm256_or_si256(_mm256_andnot_si256(until, digits), moved);
  const __m256i n_fraction = _mm256_sad_epu8(_mm256_andnot_si256(until, ones), _mm256_setzero_si256());
  const __m256i bad =
      _mm256_or_si256(_mm256_or_si256(beyond_nine(words), _mm256_cmpgt_epi64(n_points, _mm256_set1_epi64x(1))),
                      _mm256_or_si256(beyond_eight(four.size), beyond_eight(_mm256_sub_epi64(size, n_points))));
  const __m256 powers = _mm256_loadu_ps(detail::kPositive);
  const __m128i places = low_halves(n_fraction);
  const __m128 power = _mm256_castps256_ps128(_mm256_permutevar8x32_ps(powers, _mm256_castsi128_si256(places)));
  const __m128i sign = _mm_slli_epi32(low_halves(minus), 31);
  const __m128 quotient = _mm_div_ps(_mm_cvtepi32_ps(join_four(words)), power);
  _mm_storeu_ps(values, _mm_xor_ps(quotient, _mm_castsi128_ps(sign)));
  return not_zero(bad);
}

[[gnu::target("avx2,bmi")]] inline unsigned read_four_ids(const char* text, const TextSpan* spans, Key* keys) {
  const FourWords four = load_four(text, spans);
  const __m256i digits = digit_words_of(four.bytes, four.size);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(keys), join_four(digits));
  return not_zero(_mm256_or_si256(beyond_nine(digits), beyond_eight(four.size)));
}

template <class Number>
using ReadFour = unsigned (*)(const char* text, const TextSpan* spans, Number* numbers);

template <class Number, ReadFour<Number> read_four>
[[gnu::target("avx2,bmi")]] std::size_t read_all_avx2(const char* text, const TextSpan* spans, std::size_t n,
                                                      Number* numbers, std::uint16_t* others) {
  std::size_t n_others = 0;
  for (std::size_t i = 0; i < n; i += 4) {
    unsigned bad;
    if (i + 4 <= n) {
      bad = read_four(text, spans + i, numbers + i);
    } else {
      TextSpan last[4] = {};
      Number read[4];
      std::copy(spans + i, spans + n, last);
      bad = read_four(text, last, read) & ((1u << (n - i)) - 1);
      std::copy(read, read + (n - i), numbers + i);
    }
    for (; bad != 0; bad &= bad - 1) others[n_others++] = static_cast<std::uint16_t>(i + std::countr_zero(bad));
  }
  return n_others;
}

constexpr TokenKernels kAvx2{&find_tokens_of<&find_marks_avx2>, &hash_names_avx2,
                             &read_all_avx2<float, &read_four_numbers>, &read_all_avx2<Key, &read_four_ids>};
constexpr TokenKernels kAvx512{&find_tokens_avx512, &hash_names_avx2, &read_numbers_avx512, &read_ids_avx512};
#endif

}  // namespace

const TokenKernels& token_kernels() {
#if defined(__x86_64__)
  if (uses_avx512()) return kAvx512;
  if (uses_avx2()) return kAvx2;
#endif
  return kPortable;
}

}  // namespace wmsketch
