#include "wmsketch/readers/times.hpp"

#include <chrono>
#include <cmath>
#include <limits>

#include "wmsketch/readers/arrow_values.hpp"
#include "wmsketch/readers/numbers.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch {
namespace {

// Consumes parts from the front of a text.
struct Rest {
  std::string_view text;

  bool take(std::string_view any_of) {
    if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
  }
  std::optional<int> number(std::size_t digits) {
    if (text.size() < digits) return std::nullopt;
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (text[i] < '0' || text[i] > '9') return std::nullopt;
      value = 10 * value + (text[i] - '0');
    }
    text.remove_prefix(digits);
    return value;
  }
};

std::optional<double> time_of_day(Rest& rest) {
  const auto hour = rest.number(2);
  if (!hour || !rest.take(":")) return std::nullopt;
  const auto minute = rest.number(2);
  if (!minute || *hour > 24 || *minute > 59) return std::nullopt;
  double seconds = 3600.0 * *hour + 60.0 * *minute;
  if (!rest.take(":")) return seconds;
  const auto second = rest.number(2);
  if (!second || *second > 60) return std::nullopt;
  seconds += *second;
  if (rest.take(".,"))
    for (double unit = 0.1; !rest.text.empty() && rest.text.front() >= '0' && rest.text.front() <= '9'; unit /= 10)
      seconds += unit * *rest.number(1);
  return seconds;
}

std::optional<double> offset(Rest& rest) {
  if (rest.take("Zz")) return 0.0;
  const bool west = rest.text.starts_with('-');
  if (!rest.take("+-")) return 0.0;
  const auto hours = rest.number(2);
  rest.take(":");
  const auto minutes = rest.text.empty() ? std::optional<int>(0) : rest.number(2);
  if (!hours || !minutes) return std::nullopt;
  return (west ? -60.0 : 60.0) * (60 * *hours + *minutes);
}

}  // namespace

std::optional<double> seconds_in(std::string_view text) {
  if (const auto number = number_in(text)) return std::isfinite(*number) ? number : std::nullopt;
  Rest rest{text};
  while (rest.take(" ")) {
  }
  const auto year = rest.number(4);
  if (!year || !rest.take("-/")) return std::nullopt;
  const auto month = rest.number(2);
  if (!month || !rest.take("-/")) return std::nullopt;
  const auto day = rest.number(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  double seconds = 86400.0 * std::chrono::sys_days(date).time_since_epoch().count();
  if (rest.take("Tt ") && !rest.text.empty()) {
    const auto clock = time_of_day(rest);
    while (rest.take(" ")) {
    }
    const auto east = offset(rest);
    if (!clock || !east) return std::nullopt;
    seconds += *clock - *east;
  }
  while (rest.take(" ")) {
  }
  return rest.text.empty() ? std::optional<double>(seconds) : std::nullopt;
}

bool append_time(std::string& to, std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00";
  constexpr std::size_t kLongest = 40, kBlank = 10, kSeconds = 19;
  if (text.size() < kForm.size() || text.size() > kLongest || (text[kBlank] != 'T' && text[kBlank] != ' '))
    return false;
  for (std::size_t i = 0; i < kForm.size(); ++i)
    if (i != kBlank && (kForm[i] == '0' ? !is_digit(text[i]) : text[i] != kForm[i])) return false;
  if (text.size() == kSeconds && text[kBlank] == ' ' && !text.ends_with("00:00:00")) {  // most are written so
    to += text;
    return true;
  }
  // whole seconds and the fraction apart: a double does not hold both
  std::string whole(text.substr(0, kSeconds)), fraction;
  if (text.size() > kSeconds && text[kSeconds] == '.') {
    std::size_t end = kSeconds + 1;
    while (end < text.size() && is_digit(text[end])) ++end;
    fraction = text.substr(kSeconds + 1, end - kSeconds - 1);
    text.remove_prefix(end);
  } else {
    text.remove_prefix(whole.size());
  }
  const auto seconds = seconds_in(whole.append(text));
  constexpr int kMostDigits = 9;
  if (!seconds || fraction.size() > kMostDigits) return false;
  const auto count = static_cast<std::int64_t>(*seconds);
  constexpr std::int64_t kNanoseconds = 1'000'000'000, kMost = std::numeric_limits<std::int64_t>::max() / kNanoseconds;
  if (fraction.find_first_not_of('0') == std::string::npos) {
    to += arrow::text_of_time(count, {1, 0});
  } else if (std::abs(count) < kMost) {
    fraction.resize(kMostDigits, '0');
    to += arrow::text_of_time(count * kNanoseconds + std::stoll(fraction), {kNanoseconds, kMostDigits});
  } else {
    return false;
  }
  return true;
}

}  // namespace wmsketch
