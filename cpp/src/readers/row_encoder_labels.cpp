// The labels of rows with columns.
#include <utility>

#include "wmsketch/readers/row_encoder.hpp"
#include "wmsketch/readers/row_encoder_block.hpp"

namespace wmsketch {

void RowEncoder::set_label(const Column& column, std::string_view word, std::optional<double> number) {
  if (LabelRule::means_missing(word) && word != options_.positive) return;
  std::string problem;
  Fault fault = Fault::row;
  if (options_.numeric_label) {
    row_class_ = rule_.take_number(word, number, problem);
  } else if (options_.many_classes) {
    row_class_ = rule_.take(word, number, problem);
  } else if (options_.positive) {
    const bool same = word == *options_.positive || (number && positive_number_ && *number == *positive_number_);
    if (rule_.accepts_label())
      row_class_ = rule_.class_against_rest(same, word, number);
    else
      problem = LabelRule::unexpected_label(quoted(word));
  } else if (number) {
    row_class_ = rule_.class_of(*number, word, problem);
    fault = rule_.fault();
  } else {
    problem = "expected a number or true or false in the label column " + quoted(column.name) + ", found " +
              quoted(word) + ": say which value is positive";
    fault = Fault::which_positive;
  }
  if (!problem.empty()) throw BadValue{problem, fault};
}

std::optional<double> RowEncoder::label_number(std::string_view value) {
  for (const KnownLabel& known : known_labels_)
    if (known.text == value && !value.empty()) return known.number;
  std::optional<double> number = number_in(value);
  if (!number && !options_.many_classes)
    if (const auto truth = boolean_in(value)) number = *truth;
  std::swap(known_labels_[0], known_labels_[1]);
  known_labels_[1] = {std::string(value), number};
  return number;
}

}  // namespace wmsketch
