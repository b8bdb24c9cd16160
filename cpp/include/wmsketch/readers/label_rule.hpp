// Decides which of two label values is the positive class, or makes every label a class.
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
  std::optional<double> positive = {};  // label of the positive class; nullopt: labels above 0
  bool require_labels = true;           // off for prediction: then all lines have a label, or none has
  bool many_classes = false;            // every label is a class
  bool numeric = false;                 // the label is a number to predict
  bool may_lack = false;                // some rows have no label: then it is 0, the empty text or NaN
};

// The labels as written in the input, in the first spelling seen; nullopt: not seen yet.
struct LabelNames {
  std::optional<std::string> negative = {}, positive = {};
  bool several_negatives = false;  // one label against all others: `negative` is just the first of them
};

class LabelRule {
 public:
  explicit LabelRule(LabelOptions options) : options_(options) {}

  // The class of a label: +1, -1, or 0 with the reason in `problem`. A third value is a problem, and so are two values
  // of one class.
  std::int8_t class_of(double label, std::string_view written, std::string& problem) {
    if (label == state_.first) return state_.first_class;
    if (label == state_.second) return static_cast<std::int8_t>(-state_.first_class);
    return class_of_new(label, written, problem);
  }

  Fault fault() const { return fault_; }  // of the last problem

  // For many classes: takes a label as written. Returns 1 if it has one.
  std::int8_t take(std::string_view written, std::optional<double> number, std::string& problem);
  // For numeric labels: takes a number. Returns 1 if it is finite.
  std::int8_t take_number(std::string_view written, std::optional<double> number, std::string& problem);
  // Appends the label of the last query to the block. A class of 0 means no label.
  void put(std::int8_t its_class, RowBlock& block) {
    changed_ = false;
    if (options_.may_lack) return put_or_none(its_class, block);
    if (its_class == 0) return;
    if (options_.numeric) return block.targets.push_back(number_);
    if (options_.many_classes) return block.add_class(text_);
    block.labels.push_back(its_class);
  }

  // Whether a label is a word that means a missing value, like NA.
  static bool means_missing(std::string_view written);

  // Undoes the label of a row that was dropped.
  void drop() {
    if (std::exchange(changed_, false)) state_ = std::move(before_);
  }

  // The class of a label if one label is positive and all others are negative.
  std::int8_t class_against_rest(bool positive, std::string_view written, std::optional<double> number);

  const LabelNames& names() const { return state_.names; }
  // The first distinct labels seen while none was positive.
  const std::vector<std::string>& negatives() const { return state_.negatives; }

  // Call for an example without a label. Returns the problem, or an empty string if it is allowed.
  std::string missing_label_problem();
  // Call for a label whose class the caller knows. Returns whether it is allowed.
  bool accepts_label() {
    if (state_.seen == Seen::no_labels && !options_.may_lack) return false;
    see(Seen::labels);
    return true;
  }
  // The problem of a label that is not allowed.
  static std::string unexpected_label(const std::string& label) {
    return "expected no label, as in the lines before, found " + label;
  }

 private:
  enum class Seen { nothing, labels, no_labels };
  std::int8_t class_of_new(double label, std::string_view written, std::string& problem);

  void put_or_none(std::int8_t its_class, RowBlock& block) const;

  void see(Seen seen) {
    if (state_.seen != seen) changing().seen = seen;
  }

  struct State {
    double first = std::numeric_limits<double>::quiet_NaN();
    double second = std::numeric_limits<double>::quiet_NaN();
    std::int8_t first_class = 0;
    Seen seen = Seen::nothing;
    LabelNames names{};
    std::optional<double> negative_number{};  // value of names.negative, whose spelling may vary
    std::vector<std::string> negatives{};
  };
  State& changing() {
    if (!std::exchange(changed_, true)) before_ = state_;
    return state_;
  }

  LabelOptions options_;
  State state_, before_;  // before_: the state before the current row, if changed_
  bool changed_ = false;
  Fault fault_ = Fault::row;
  std::string text_;   // text of the last label (many classes)
  double number_ = 0;  // the last label (numeric)
};

}  // namespace wmsketch
