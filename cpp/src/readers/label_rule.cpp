#include "wmsketch/readers/label_rule.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "wmsketch/readers/numbers.hpp"

namespace wmsketch {
namespace {

std::string text_of(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

}  // namespace

std::int8_t LabelRule::take(std::string_view written, std::optional<double> number, std::string& problem) {
  if (!accepts_label()) {
    problem = unexpected_label(std::string(written));
    return 0;
  }
  constexpr double kExact = 0x1p53;  // integers below this are exact
  const bool finite = number && std::isfinite(*number);
  const bool word = std::isalpha(static_cast<unsigned char>(written[0])) != 0;
  if (finite && word) {  // true and false
    text_.assign(1, 'b').push_back(*number != 0 ? '1' : '0');
  } else if (finite && std::abs(*number) < kExact && *number == std::floor(*number) && !has_zeros_in_front(written)) {
    text_.assign(1, 'i').append(std::to_string(static_cast<std::int64_t>(*number)));
  } else {
    text_.assign(1, 's').append(written);
  }
  return 1;
}

std::int8_t LabelRule::take_number(std::string_view written, std::optional<double> number, std::string& problem) {
  fault_ = Fault::row;
  if (!number || !(std::abs(*number) <= kMostTarget)) {
    problem = "expected a label that is a number between -1e15 and 1e15, found '" + std::string(written) + "'";
    return 0;
  }
  if (!accepts_label()) {
    problem = unexpected_label(std::string(written));
    return 0;
  }
  number_ = *number;
  return 1;
}

std::int8_t LabelRule::class_of_new(double label, std::string_view written, std::string& problem) {
  fault_ = Fault::row;
  if (options_.many_classes) return take(written, label, problem);
  if (options_.numeric) return take_number(written, label, problem);
  if (!accepts_label()) {
    problem = unexpected_label(text_of(label));
    return 0;
  }
  if (!std::isnan(state_.second)) {
    problem = "expected the label " + text_of(state_.first) + " or " + text_of(state_.second) +
              ", as in the lines before, found " + text_of(label) + " (a third label)";
    fault_ = Fault::third_label;
    return 0;
  }
  const bool positive = options_.positive ? label == *options_.positive : label > 0;
  const auto its_class = static_cast<std::int8_t>(positive ? 1 : -1);
  if (std::isnan(state_.first)) {
    changing().first = label;
    changing().first_class = its_class;
  } else if (its_class == state_.first_class) {
    problem = "the labels " + text_of(state_.first) + " and " + text_of(label) + " are both " +
              (options_.positive ? "other than the positive label " + text_of(*options_.positive)
                                 : std::string(positive ? "above 0" : "not above 0")) +
              ": say which one is positive";
    fault_ = Fault::which_positive;
    return 0;
  } else {
    changing().second = label;
  }
  LabelNames& names = changing().names;
  (positive ? names.positive : names.negative) = written;
  return its_class;
}

std::int8_t LabelRule::class_against_rest(bool positive, std::string_view written, std::optional<double> number) {
  const LabelNames& names = state_.names;
  if (positive) {
    if (!names.positive) changing().names.positive = written;
    return 1;
  }
  if (!names.negative) {
    changing().names.negative = written;
    changing().negative_number = number;
  } else if (!names.several_negatives && *names.negative != written) {
    if (!number || number != state_.negative_number) changing().names.several_negatives = true;
  }
  constexpr std::size_t kMost = 12;
  const auto& met = state_.negatives;
  if (!names.positive && met.size() < kMost && std::find(met.begin(), met.end(), written) == met.end())
    changing().negatives.emplace_back(written);
  return -1;
}

// The first label of a block follows rows that had none.
void LabelRule::put_or_none(std::int8_t its_class, RowBlock& block) const {
  if (options_.numeric) {
    if (its_class == 0 && block.targets.empty()) return;
    block.targets.resize(block.size(), std::numeric_limits<double>::quiet_NaN());
    block.targets.push_back(its_class == 0 ? std::numeric_limits<double>::quiet_NaN() : number_);
  } else if (options_.many_classes) {
    if (its_class == 0 && block.classes.empty()) return;
    while (block.classes.size() < block.size()) block.add_class("");
    block.add_class(its_class == 0 ? "" : text_);
  } else if (its_class != 0 || !block.labels.empty()) {
    block.labels.resize(block.size(), 0);
    block.labels.push_back(its_class);
  }
}

bool LabelRule::means_missing(std::string_view written) {
  constexpr std::array<std::string_view, 7> kWords = {"na", "n/a", "#n/a", "nan", "null", "none", "<na>"};
  constexpr std::string_view kFirst = "nN#<";
  if (written.empty() || kFirst.find(written[0]) == std::string_view::npos) return false;
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
    return std::equal(word.begin(), word.end(), written.begin(), written.end(),
                      [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
  });
}

std::string LabelRule::missing_label_problem() {
  if (options_.require_labels) return "expected a label";
  if (options_.may_lack) return {};
  if (state_.seen == Seen::labels) return "expected a label, as in the lines before";
  see(Seen::no_labels);
  return {};
}

}  // namespace wmsketch
