// Which of two label values is the positive class.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace wmsketch {

struct LabelOptions {
  std::optional<double> positive = {};  // the label of the positive class; without it, labels above 0 are positive
  bool require_labels = true;           // off when only predicting: then all lines have a label, or none has
};

class LabelRule {
 public:
  explicit LabelRule(LabelOptions options) : options_(options) {}

  // The class of a label: +1, -1, or 0 when `problem` says why it has none. A third value is a problem, and so are two
  // values of one class.
  std::int8_t class_of(double label, std::string& problem) {
    if (label == first_) return first_class_;
    if (label == second_) return static_cast<std::int8_t>(-first_class_);
    return class_of_new(label, problem);
  }

  // Call for an example without a label; an empty string when that is fine.
  std::string why_label_must_be();
  // Call for a label whose class the caller knows; an empty string when that is fine.
  std::string why_label_must_not_be(const std::string& label);

 private:
  enum class Seen { nothing, labels, no_labels };
  std::int8_t class_of_new(double label, std::string& problem);

  LabelOptions options_;
  double first_ = std::numeric_limits<double>::quiet_NaN();
  double second_ = std::numeric_limits<double>::quiet_NaN();
  std::int8_t first_class_ = 0;
  Seen seen_ = Seen::nothing;
};

}  // namespace wmsketch
