// Which of two label values is the positive class; or every label a class of its own.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wmsketch/data/row_block.hpp"
#include "wmsketch/readers/rejected_rows.hpp"

namespace wmsketch {

struct LabelOptions {
  std::optional<double> positive = {};  // the label of the positive class; without it, labels above 0 are positive
  bool require_labels = true;           // off when only predicting: then all lines have a label, or none has
  bool many_classes = false;            // every label is a class
};

// The labels as the input writes them, in the spelling that came first; absent where none has come yet.
struct LabelNames {
  std::optional<std::string> negative = {}, positive = {};
  bool several_negatives = false;  // one label against all others: `negative` is only the first of them
};

class LabelRule {
 public:
  explicit LabelRule(LabelOptions options) : options_(options) {}

  // The class of a label: +1, -1, or 0 when `problem` says why it has none. A third value is a problem, and so are two
  // values of one class.
  std::int8_t class_of(double label, std::string_view written, std::string& problem) {
    if (label == state_.first) return state_.first_class;
    if (label == state_.second) return static_cast<std::int8_t>(-state_.first_class);
    return class_of_new(label, written, problem);
  }

  Fault fault() const { return fault_; }  // of the last problem

  // With many classes: takes a label as it is written. 1 stands for "it has one".
  std::int8_t take(std::string_view written, std::optional<double> number, std::string& problem);
  // Adds the label that was last asked about to the row that a block gets; a class of 0 is no label.
  void put(std::int8_t its_class, RowBlock& block) {
    changed_ = false;
    if (its_class != 0 && options_.many_classes) block.add_class(text_);
    if (its_class != 0 && !options_.many_classes) block.labels.push_back(its_class);
  }

  // Forgets the label of a row that was dropped.
  void drop() {
    if (std::exchange(changed_, false)) state_ = std::move(before_);
  }

  // The class of a label where one is positive and all others are negative.
  std::int8_t class_against_rest(bool positive, std::string_view written, std::optional<double> number);

  const LabelNames& names() const { return state_.names; }
  // The first labels that came while none was positive.
  const std::vector<std::string>& negatives() const { return state_.negatives; }

  // Call for an example without a label; an empty string when that is fine.
  std::string why_label_must_be();
  // Call for a label whose class the caller knows; an empty string when that is fine.
  std::string why_label_must_not_be(const std::string& label);

 private:
  enum class Seen { nothing, labels, no_labels };
  std::int8_t class_of_new(double label, std::string_view written, std::string& problem);

  void see(Seen seen) {
    if (state_.seen != seen) changing().seen = seen;
  }

  struct State {
    double first = std::numeric_limits<double>::quiet_NaN();
    double second = std::numeric_limits<double>::quiet_NaN();
    std::int8_t first_class = 0;
    Seen seen = Seen::nothing;
    LabelNames names{};
    std::optional<double> negative_number{};  // of names.negative, which may be spelled in other ways
    std::vector<std::string> negatives{};
  };
  State& changing() {
    if (!std::exchange(changed_, true)) before_ = state_;
    return state_;
  }

  LabelOptions options_;
  State state_, before_;  // before the current row, if that has changed it
  bool changed_ = false;
  Fault fault_ = Fault::row;
  std::string text_;  // of the last label, with many classes
};

}  // namespace wmsketch
