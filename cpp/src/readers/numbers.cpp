#include "wmsketch/readers/numbers.hpp"

#include <fast_float/fast_float.h>

#include <algorithm>

namespace wmsketch {

bool is_long_code(std::string_view text) {
  text.remove_prefix(text.front() == '-');
  return text.size() > 15 && std::all_of(text.begin(), text.end(), is_digit);
}

}  // namespace wmsketch

namespace wmsketch::detail {
namespace {

const char* skip_digits(const char* at) {
  while (is_digit(*at)) ++at;
  return at;
}

const char* read_any_number(const char* at, double& value) {
  const bool negative = *at == '-';
  at += negative || *at == '+';
  const char* const begin = at;
  at = skip_digits(at);
  auto n_digits = at - begin;
  if (*at == '.') {
    const char* const fraction = at + 1;
    at = skip_digits(fraction);
    n_digits += at - fraction;
  }
  if (n_digits == 0) return nullptr;
  if ((*at | 0x20) == 'e') {
    const char* exponent = at + 1;
    exponent += *exponent == '-' || *exponent == '+';
    if (!is_digit(*exponent)) return nullptr;
    at = skip_digits(exponent);
  }
  double magnitude = 0;
  fast_float::from_chars(begin, at, magnitude);  // infinity if it is too large, 0 if it is too small
  value = negative ? -magnitude : magnitude;
  return at;
}

// Appends digits to `mantissa` while it cannot overflow.
const char* append_digits(const char* at, std::uint64_t& mantissa, int& n_digits) {
  constexpr std::uint64_t kPowersOfTen[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  for (;;) {
    const Digits digits = eight_digits(at);
    mantissa = mantissa * kPowersOfTen[digits.count] + digits.value;
    n_digits += digits.count;
    at += digits.count;
    if (digits.count < 8 || n_digits > 11) return at;
  }
}

}  // namespace

const char* read_longer_number(const char* start, double& value) {
  const bool negative = *start == '-';
  const char* at = start + (negative || *start == '+');
  std::uint64_t mantissa = 0;
  int n_digits = 0, n_whole = 0;
  at = append_digits(at, mantissa, n_digits);
  n_whole = n_digits;
  if (*at == '.') at = append_digits(at + 1, mantissa, n_digits);
  // numerator and denominator are exact doubles, so the quotient is correctly rounded
  const bool simple =
      n_digits > 0 && n_digits <= 19 && mantissa <= (std::uint64_t{1} << 53) && !is_digit(*at) && (*at | 0x20) != 'e';
  if (!simple) return read_any_number(start, value);
  const double magnitude = static_cast<double>(mantissa) / kPowers[n_digits - n_whole];
  value = negative ? -magnitude : magnitude;
  return at;
}

}  // namespace wmsketch::detail
