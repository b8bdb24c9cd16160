#include "wmsketch/readers/number_style.hpp"

#include <array>

#include "wmsketch/readers/numbers.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch {

std::string in_usual_style(std::string_view text, NumberStyle style) {
  std::string usual;
  std::size_t digits = 0;  // in the current group
  bool grouped = false, in_fraction = false;
  for (const char c : text) {
    const bool groups = c == style.thousands && style.thousands != 0;
    if (grouped && !in_fraction && !is_digit(c) && digits != 3) return "";
    if (groups && (in_fraction || digits == 0 || digits > 3)) return "";
    if (!groups && c != style.decimal && (c == '.' || c == ',')) return "";
    grouped |= groups;
    in_fraction |= c == style.decimal;
    digits = groups ? 0 : digits + is_digit(c);
    if (!groups) usual += c == style.decimal ? '.' : c;
  }
  double value;
  const bool whole = !grouped || in_fraction || digits == 3;
  return whole && read_number_in(usual, value) ? usual : "";
}

Amount amount_in(std::string_view text, NumberStyle style) {
  constexpr std::array<std::string_view, 5> kSigns = {"%", "$", "\u20ac", "\u00a3", "\u00a5"};
  text = without_blanks(text);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  for (const std::string_view sign : kSigns) {
    const bool in_front = sign != "%" && text.starts_with(sign);
    if (!in_front && !text.ends_with(sign)) continue;
    const std::size_t size = text.size() - sign.size();
    const std::string_view digits = without_blanks(in_front ? text.substr(sign.size()) : text.substr(0, size));
    const bool begins = !digits.empty() && (is_digit(digits.front()) || digits.front() == '.');
    const std::string number =
        begins ? in_usual_style(digits, style.usual() ? NumberStyle{'.', ','} : style) : std::string();
    return number.empty() ? Amount{} : Amount{sign, (negative ? "-" : "") + number};
  }
  return {};
}

std::optional<double> number_or_amount_in(std::string_view text) {
  if (const auto number = number_in(text)) return number;
  const Amount amount = amount_in(text);
  return number_in(amount.number);
}

}  // namespace wmsketch
