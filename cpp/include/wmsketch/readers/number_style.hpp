// Numbers as people write them: with a decimal comma, with separated thousands, with the sign of a currency.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wmsketch {

// How a file writes numbers. `thousands` separates groups of three digits; 0: no separator.
struct NumberStyle {
  char decimal = '.', thousands = 0;
  bool usual() const { return decimal == '.' && thousands == 0; }
};

inline std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Converts a number from this style to the usual one: "1.234,50" becomes "1234.50" if the decimal sign is a comma.
// Returns an empty text for "3.5", which is not a number in that style.
std::string in_usual_style(std::string_view text, NumberStyle style);

// A number with the sign of a currency or of per cent, in front or behind: -$1,234.50 or 12 %.
struct Amount {
  std::string_view sign{};  // empty: a text is no amount
  std::string number{};     // in the usual style
};
// In the usual style, an amount may have commas between its thousands.
Amount amount_in(std::string_view text, NumberStyle style = {});

// A text as a number, which may be an amount in the usual style.
std::optional<double> number_or_amount_in(std::string_view text);

}  // namespace wmsketch
