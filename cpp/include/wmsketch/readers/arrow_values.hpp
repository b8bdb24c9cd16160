// Reads single values from the buffers of Arrow arrays.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "wmsketch/readers/arrow_abi.hpp"

namespace wmsketch::arrow {

enum class Kind {
  null,
  boolean,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  float32,
  float64,
  decimal,
  text,
  large_text,
  text_view,
  date_days,
  date_ms,
  timestamp,
  duration,
  structure,
  list,
  large_list,
  fixed_list,
  unknown
};

inline Kind kind_of(std::string_view format) {
  static constexpr std::pair<std::string_view, Kind> kKinds[] = {
      {"n", Kind::null},       {"b", Kind::boolean},    {"c", Kind::int8},       {"C", Kind::uint8},
      {"s", Kind::int16},      {"S", Kind::uint16},     {"i", Kind::int32},      {"I", Kind::uint32},
      {"l", Kind::int64},      {"L", Kind::uint64},     {"e", Kind::float16},    {"f", Kind::float32},
      {"g", Kind::float64},    {"u", Kind::text},       {"z", Kind::text},       {"U", Kind::large_text},
      {"Z", Kind::large_text}, {"vu", Kind::text_view}, {"vz", Kind::text_view}, {"tdD", Kind::date_days},
      {"tdm", Kind::date_ms},  {"+s", Kind::structure}, {"+l", Kind::list},      {"+L", Kind::large_list}};
  for (const auto& [name, kind] : kKinds)
    if (format == name) return kind;
  if (format.starts_with("ts")) return Kind::timestamp;
  if (format.size() == 3 && format.starts_with("tD")) return Kind::duration;
  if (format.starts_with("d:") && (std::count(format.begin(), format.end(), ',') == 1 || format.ends_with(",128")))
    return Kind::decimal;
  if (format.starts_with("+w:")) return Kind::fixed_list;
  return Kind::unknown;
}

inline bool is_index(Kind kind) { return kind >= Kind::int8 && kind <= Kind::uint64; }

// Number of children of a type (-1: any), and least number of buffers of an array.
inline std::int64_t n_children_of(Kind kind) {
  if (kind == Kind::list || kind == Kind::large_list || kind == Kind::fixed_list) return 1;
  return kind == Kind::structure || kind == Kind::unknown ? -1 : 0;
}
inline std::int64_t n_buffers_of(Kind kind) {
  if (kind == Kind::structure || kind == Kind::fixed_list) return 1;
  return kind == Kind::text || kind == Kind::large_text || kind == Kind::text_view ? 3 : 2;
}

// Thrown if an Arrow array violates the specification.
struct Damaged : std::runtime_error {
  explicit Damaged(const std::string& what) : std::runtime_error("damaged Arrow data: " + what) {}
};

template <class Value>
Value at(const ArrowArray& array, int buffer, std::int64_t i) {
  return static_cast<const Value*>(array.buffers[buffer])[i];
}

inline bool bit(const void* bits, std::int64_t i) {
  return static_cast<const std::uint8_t*>(bits)[i / 8] >> (i % 8) & 1;
}

// The range of entry i of a text or list. Offsets come from the producer, so they are checked wherever they are used.
struct Range {
  std::int64_t begin, end;
};
template <class Offset>
Range range_at(const ArrowArray& array, std::int64_t i, std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  const auto begin = at<Offset>(array, 1, i), end = at<Offset>(array, 1, i + 1);
  if (begin < 0 || end < begin || end > most)
    throw Damaged("a value has the offsets " + std::to_string(begin) + " and " + std::to_string(end));
  return {begin, end};
}

template <class Offset>
std::string_view text_at(const ArrowArray& array, std::int64_t i) {
  const auto [begin, end] = range_at<Offset>(array, i);
  if (begin == end) return {};
  if (!array.buffers[2]) throw Damaged("a text has no buffer of bytes");
  return {static_cast<const char*>(array.buffers[2]) + begin, static_cast<std::size_t>(end - begin)};
}

// A view has 16 bytes: a size, then either up to 12 bytes of text, or 4 bytes of prefix, a buffer index and an offset.
inline std::string_view view_at(const ArrowArray& array, std::int64_t i) {
  const char* const view = static_cast<const char*>(array.buffers[1]) + 16 * i;
  std::int32_t size, buffer, offset;
  std::memcpy(&size, view, 4);
  if (size < 0) throw Damaged("a text has " + std::to_string(size) + " bytes");
  if (size <= 12) return {view + 4, static_cast<std::size_t>(size)};
  std::memcpy(&buffer, view + 8, 4);
  std::memcpy(&offset, view + 12, 4);
  const std::int64_t n_texts = array.n_buffers - 3;  // without validity, views and the last one, the sizes
  const auto* const sizes = static_cast<const std::int64_t*>(array.buffers[array.n_buffers - 1]);
  if (buffer < 0 || buffer >= n_texts || offset < 0 || !sizes || sizes[buffer] - offset < size)
    throw Damaged("a text lies outside its buffer");
  return {static_cast<const char*>(array.buffers[2 + buffer]) + offset, static_cast<std::size_t>(size)};
}

inline double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023;
  const double magnitude = exponent == 31  ? (fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                                                            : std::numeric_limits<double>::infinity())
                           : exponent == 0 ? std::ldexp(fraction, -24)
                                           : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

// A 128-bit decimal with `scale` digits after the point.
inline double decimal_at(const ArrowArray& array, std::int64_t i, int scale) {
  __extension__ using Wide = __int128;
  Wide value;
  std::memcpy(&value, static_cast<const char*>(array.buffers[1]) + 16 * i, 16);
  const double power = std::pow(10.0, std::abs(scale));
  return scale >= 0 ? static_cast<double>(value) / power : static_cast<double>(value) * power;
}

inline std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); }

struct TimeUnit {
  std::int64_t per_second;
  int digits;
};

inline TimeUnit unit_of(char letter) {
  switch (letter) {
    case 's':
      return {1, 0};
    case 'm':
      return {1'000, 3};
    case 'u':
      return {1'000'000, 6};
    default:
      return {1'000'000'000, 9};
  }
}

// `2024-01-31`, followed by ` 12:30:00[.fraction]` unless it is midnight; in UTC.
inline std::string text_of_time(std::int64_t count, TimeUnit unit, std::int64_t seconds_per_count = 1) {
  const std::int64_t per_day = 86400 / seconds_per_count * unit.per_second;
  const std::int64_t day = floor_divide(count, per_day), rest = count % per_day;
  const std::int64_t within = rest < 0 ? rest + per_day : rest;
  constexpr std::int64_t kMostDays = 11'000'000;  // std::chrono::year has 16 bits
  if (day > kMostDays || day < -kMostDays) throw Damaged("a time is more than 30,000 years from 1970");
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{day}}};
  char text[64];
  int size = std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()),
                           static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  const auto append = [&](const char* format, auto... numbers) {
    size += std::snprintf(text + size, sizeof text - static_cast<std::size_t>(size), format, numbers...);
  };
  const auto second = static_cast<int>(within / unit.per_second);
  if (within != 0) append(" %02d:%02d:%02d", second / 3600, second / 60 % 60, second % 60);
  if (within % unit.per_second != 0) {
    append(".%0*lld", unit.digits, static_cast<long long>(within % unit.per_second));
    while (text[size - 1] == '0') --size;  // so that the text does not depend on the unit
  }
  return {text, static_cast<std::size_t>(size)};
}

inline std::int64_t index_at(Kind kind, const ArrowArray& array, std::int64_t i) {
  switch (kind) {
    case Kind::int8:
      return at<std::int8_t>(array, 1, i);
    case Kind::uint8:
      return at<std::uint8_t>(array, 1, i);
    case Kind::int16:
      return at<std::int16_t>(array, 1, i);
    case Kind::uint16:
      return at<std::uint16_t>(array, 1, i);
    case Kind::int32:
      return at<std::int32_t>(array, 1, i);
    case Kind::uint32:
      return at<std::uint32_t>(array, 1, i);
    default:
      return at<std::int64_t>(array, 1, i);
  }
}

}  // namespace wmsketch::arrow
