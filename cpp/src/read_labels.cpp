#include <cctype>
#include <charconv>
#include <cmath>

#include "wmsketch/readers/label_rule.hpp"

namespace wmsketch {
namespace {

std::string text_of(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

}  // namespace

std::int8_t LabelRule::take(std::string_view written, std::optional<double> number, std::string& problem) {
  problem = why_label_must_not_be(std::string(written));
  if (!problem.empty()) return 0;
  constexpr double kExact = 0x1p53;  // whole numbers below are what they seem
  const bool finite = number && std::isfinite(*number);
  const bool word = std::isalpha(static_cast<unsigned char>(written[0])) != 0;
  if (finite && word) {  // true and false
    text_.assign(1, 'b').push_back(*number != 0 ? '1' : '0');
  } else if (finite && std::abs(*number) < kExact && *number == std::floor(*number)) {
    text_.assign(1, 'i').append(std::to_string(static_cast<std::int64_t>(*number)));
  } else {
    text_.assign(1, 's').append(written);
  }
  return 1;
}

std::int8_t LabelRule::class_of_new(double label, std::string_view written, std::string& problem) {
  if (options_.many_classes) return take(written, label, problem);
  problem = why_label_must_not_be(text_of(label));
  if (!problem.empty()) return 0;
  if (!std::isnan(second_)) {
    problem = "expected the label " + text_of(first_) + " or " + text_of(second_) + ", as in the lines before, found " +
              text_of(label) + " (a third label)";
    return 0;
  }
  const bool positive = options_.positive ? label == *options_.positive : label > 0;
  const auto its_class = static_cast<std::int8_t>(positive ? 1 : -1);
  if (std::isnan(first_)) {
    first_ = label;
    first_class_ = its_class;
  } else if (its_class == first_class_) {
    problem = "the labels " + text_of(first_) + " and " + text_of(label) + " are both " +
              (options_.positive ? "other than the positive label " + text_of(*options_.positive)
                                 : std::string(positive ? "above 0" : "not above 0")) +
              ": say which one is positive";
    return 0;
  } else {
    second_ = label;
  }
  (positive ? names_.positive : names_.negative) = written;
  return its_class;
}

std::int8_t LabelRule::class_against_rest(bool positive, std::string_view written, std::optional<double> number) {
  std::optional<std::string>& name = positive ? names_.positive : names_.negative;
  if (!name) {
    name = written;
    if (!positive) negative_number_ = number;
  } else if (!positive && !names_.several_negatives && *name != written) {
    names_.several_negatives = !number || number != negative_number_;
  }
  return positive ? 1 : -1;
}

std::string LabelRule::why_label_must_not_be(const std::string& label) {
  if (seen_ == Seen::no_labels) return "expected no label, as in the lines before, found " + label;
  seen_ = Seen::labels;
  return {};
}

std::string LabelRule::why_label_must_be() {
  if (options_.require_labels) return "expected a label";
  if (seen_ == Seen::labels) return "expected a label, as in the lines before";
  seen_ = Seen::no_labels;
  return {};
}

}  // namespace wmsketch
