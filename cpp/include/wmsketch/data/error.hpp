// Errors about invalid input, as structured fields. The caller puts them into words: Python names the parameter, the
// command line names the option.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace wmsketch {

enum class ErrorCode : std::uint8_t {
  parameter,  // a parameter breaks its rule
  row,        // a row cannot be learned
  damaged,    // a saved state contradicts itself
  merge,      // models cannot be merged
};

using ErrorValue = std::variant<std::monostate, std::uint64_t, double, std::string>;  // monostate: no value

// A parameter, its rule such as "must be at least 1", and its value. In a rule, {name} stands for another parameter,
// {name=value} for a setting and {=value} for a value, because Python and the command line write them differently. Text
// after a colon suggests a remedy. A rule never contains text from the user.
struct ErrorFields {
  std::string parameter{}, rule{};
  ErrorValue value{};
  std::size_t row = 0;
};

class Error : public std::invalid_argument {
 public:
  Error(ErrorCode code, const std::string& text, ErrorFields fields = {})
      : std::invalid_argument(text), code_(code), fields_(std::move(fields)) {}
  ErrorCode code() const { return code_; }
  const ErrorFields& fields() const { return fields_; }

 private:
  ErrorCode code_;
  ErrorFields fields_;
};

// A row that cannot be learned. The message does not contain the row number.
class BadRow : public Error {
 public:
  BadRow(std::size_t row, const std::string& problem) : Error(ErrorCode::row, problem, {.row = row}), row(row) {}
  std::size_t row;
};

inline std::string text_of(const ErrorValue& value) {
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return std::to_string(*number);
  if (const auto* number = std::get_if<double>(&value)) return std::to_string(*number);
  const auto* text = std::get_if<std::string>(&value);
  return text ? *text : std::string();
}

// A rule without its braces, for callers that do not translate parameter names.
inline std::string plain_rule(std::string_view rule) {
  std::string plain;
  bool first = false;
  for (const char c : rule) {
    if (c != '{' && c != '}' && !(first && c == '=')) plain += c;
    first = c == '{';
  }
  return plain;
}

inline Error parameter_error(std::string parameter, std::string rule, ErrorValue value = {}) {
  std::string text = parameter + " " + plain_rule(rule);
  if (value.index() != 0) text.insert(std::min(text.find(": "), text.size()), ", got " + text_of(value));
  return {ErrorCode::parameter, text, {std::move(parameter), std::move(rule), std::move(value), 0}};
}

// An error for models that cannot be merged. `differs` names what differs: a parameter, "store", "rows" or "columns".
// It is "base" if the models could be merged without a base.
inline Error merge_error(std::string differs, const std::string& reason) {
  const char* const what = differs == "base" ? "cannot merge from a base: " : "cannot merge: ";
  return {ErrorCode::merge, what + reason, {.parameter = std::move(differs)}};
}

// Throws a parameter error unless `holds`.
template <class Value>
void require_parameter(bool holds, const char* parameter, const char* rule, const Value& value) {
  if (holds) return;
  if constexpr (std::is_integral_v<Value>) {
    throw parameter_error(parameter, rule, static_cast<std::uint64_t>(value));
  } else {
    throw parameter_error(parameter, rule, value);
  }
}

}  // namespace wmsketch
