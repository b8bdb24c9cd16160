// Fast parsing of decimal numbers. The text must be readable for kPadding bytes beyond its end, and the character after
// a line must not be a digit (it is a newline or a zero byte).
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace wmsketch {

inline constexpr std::size_t kPadding = 64;  // bytes that must be readable beyond the text

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Whether a whole number is written like a code, which is a name and no measurement: with zeros in front, as 02139, or
// with more digits than a double surely keeps. As numbers, 02139 and 2139 would be one, and so would two long ids.
inline constexpr double kFirstLongCode = 1e15;  // has 16 digits
bool is_long_code(std::string_view text);
inline bool has_zeros_in_front(std::string_view text) {
  return text.size() > 1 && text[0] == '0' && is_digit(text[1]) && std::all_of(text.begin(), text.end(), is_digit);
}
inline bool is_code(std::string_view text) { return text.size() > 15 ? is_long_code(text) : has_zeros_in_front(text); }

namespace detail {

// Eight characters as one word, the first in the lowest byte. So a number is parsed without a loop, and without a
// mispredicted branch at its end. Digits become their value, other characters become more than 9.
inline std::uint64_t load_digits(const char* at) {
  std::uint64_t x;
  std::memcpy(&x, at, sizeof x);
  if constexpr (std::endian::native == std::endian::big) x = __builtin_bswap64(x);
  return x ^ 0x3030303030303030u;
}

// Sets the top bit of every byte that is not a digit. Exact up to the first byte that is not ASCII, whose carry may
// propagate.
inline std::uint64_t non_digits(std::uint64_t x) { return ((x + 0x7676767676767676u) | x) & 0x8080808080808080u; }

// The number with these eight digits.
inline std::uint32_t join_digits(std::uint64_t x) {
  x = x * 10 + (x >> 8);
  x = ((x & 0x000000ff000000ffu) * 0x000f424000000064u + ((x >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u) >> 32;
  return static_cast<std::uint32_t>(x);
}

// The number in the lowest `size` bytes (at most 8), with a decimal point after n_whole digits.
inline std::uint32_t join_around_point(std::uint64_t x, int n_whole, int size) {
  const std::uint64_t whole = (std::uint64_t{1} << (8 * n_whole)) - 1;  // the bytes before the point
  const std::uint64_t joined = (x & whole) << 8 | (x & ~(whole << 8 | 0xff));
  return join_digits(joined << (64 - 8 * size));
}

// The number with the 1 to 8 digits at `at`.
inline std::uint32_t join_few(const char* at, int count) { return join_digits(load_digits(at) << (64 - 8 * count)); }

}  // namespace detail

struct Digits {
  std::uint32_t value;
  int count;  // 0 to 8; after 8, more digits may follow
};

inline Digits eight_digits(const char* at) {
  const std::uint64_t x = detail::load_digits(at), others = detail::non_digits(x);
  const int count = others == 0 ? 8 : std::countr_zero(others) / 8;
  if (count == 0) return {0, 0};
  return {detail::join_digits(x << (64 - 8 * count)), count};  // leading zeros
}

// Parses an unsigned integer and returns its end. `value` exceeds `largest` if the number does.
inline const char* read_unsigned(const char* at, std::uint64_t largest, std::uint64_t& value) {
  Digits digits = eight_digits(at);
  at += digits.count;
  value = digits.value;
  if (digits.count < 8) return at;
  for (; is_digit(*at); ++at)
    if (value <= largest) value = value * 10 + static_cast<std::uint64_t>(*at - '0');
  return at;
}

namespace detail {

inline constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

const char* read_longer_number(const char* at, double& value);

}  // namespace detail

// Parses [+-]digits[.digits][e[+-]digits] and returns the end, or null if there is no number. Digits may be missing
// before or after the point, but not both. The value is the nearest double, or infinity on overflow.
inline const char* read_number(const char* start, double& value) {
  // most numbers have no sign and at most 7 characters: one load finds the end in a few instructions
  const std::uint64_t x = detail::load_digits(start), others = detail::non_digits(x);
  const int n_whole = std::countr_zero(others) / 8;
  const std::uint64_t later = others & (others - 1);
  if (others != 0 && start[n_whole] == '.' && later != 0) {
    const int size = std::countr_zero(later) / 8;
    if (size > 1 && (start[size] | 0x20) != 'e') {
      value = detail::join_around_point(x, n_whole, size) / detail::kPowers[size - 1 - n_whole];
      return start + size;
    }
  } else if (others != 0 && n_whole > 0 && start[n_whole] != '.' && (start[n_whole] | 0x20) != 'e') {
    value = detail::join_digits(x << (64 - 8 * n_whole));
    return start + n_whole;
  }
  return detail::read_longer_number(start, value);
}

namespace detail {

// The digits of a number of at most 8 characters as a word for join_digits, and how many of them are behind its point.
struct ShortNumber {
  std::uint64_t word;
  std::uint32_t n_fraction;
  bool negative;
};

// Parses a number whose size is known: 1 to 8 digits with at most one point among them, a minus in front. Returns false
// if it is anything else.
inline bool read_short(const char* at, std::size_t size, ShortNumber& number) {
  number.negative = *at == '-';
  at += number.negative;
  size -= number.negative;
  if (size - 1 > 7) return false;
  std::uint64_t x = load_digits(at) << (64 - 8 * size);  // as if zeros were in front
  const std::uint64_t others = non_digits(x);
  number.n_fraction = 0;
  if (others != 0) {  // the bytes before the point move up by one
    const std::uint64_t point = others >> 7;
    if ((others & (others - 1)) != 0 || (x & (point * 0xff)) != point * ('.' ^ '0') || size == 1) return false;
    x = (x & -(others << 1)) | (x & (point - 1)) << 8;
    number.n_fraction = 7 - static_cast<std::uint32_t>(std::countr_zero(others)) / 8;
  }
  number.word = x;
  return true;
}

}  // namespace detail

// Parses a short number (see read_short), to the double of read_number.
inline bool read_short_number(const char* at, std::size_t size, double& value) {
  detail::ShortNumber number;
  if (!detail::read_short(at, size, number)) return false;
  const double magnitude =
      static_cast<std::int32_t>(detail::join_digits(number.word)) / detail::kPowers[number.n_fraction];
  value = number.negative ? -magnitude : magnitude;
  return true;
}

// The position of a character in a padded text, or `end`. Table cells are short, so the first 16 bytes usually contain
// it.
inline const char* find_near(const char* at, const char* end, char wanted) {
#if defined(__SSE2__)
  const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  const auto found = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(text, _mm_set1_epi8(wanted))));
  if (found != 0) return at + std::countr_zero(found) < end ? at + std::countr_zero(found) : end;
#endif
  const auto* const far = static_cast<const char*>(std::memchr(at, wanted, static_cast<std::size_t>(end - at)));
  return far ? far : end;
}

inline bool fits_float(double value) {
  // larger numbers would round to infinity
  return value < 0x1.ffffffp127 && value > -0x1.ffffffp127;
}

}  // namespace wmsketch
