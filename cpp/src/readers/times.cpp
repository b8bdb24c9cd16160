#include "wmsketch/readers/times.hpp"

#include <cmath>
#include <limits>

#include "wmsketch/readers/arrow_values.hpp"
#include "wmsketch/readers/numbers.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch {
std::optional<double> seconds_in(std::string_view text) {
  if (const auto number = number_in(text)) return std::isfinite(*number) ? number : std::nullopt;
  return calendar_seconds(text);
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
