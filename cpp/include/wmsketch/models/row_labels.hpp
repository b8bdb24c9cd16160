// The labels of rows, for a binary or a multiclass model, or numbers to predict. All classes have the same methods:
//   size()                              number of labels
//   put_into(batch, first)              sets the labels of a batch whose first row is row `first` of the input
//   hold(rows, n)                       appends the labels of the first n rows to held rows
//   check(model, batch), learn(model, batch)
//   introduce(model, texts)             declares classes before their first rows
//   margins_per_row(model)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "wmsketch/models/multiclass.hpp"
#include "wmsketch/prepare/held_rows.hpp"
#include "wmsketch/rule/learner.hpp"

namespace wmsketch {

// -1 or +1 for each row.
class BinaryLabels {
 public:
  explicit BinaryLabels(std::span<const std::int8_t> labels) : labels_(labels) {}
  explicit BinaryLabels(const RowBlock& block) : labels_(block.labels) {}
  explicit BinaryLabels(int only) : only_(static_cast<std::int8_t>(only)) {}  // a single row

  std::size_t size() const { return only_ != 0 ? 1 : labels_.size(); }
  void put_into(RowBatch& batch, std::size_t first) const {
    batch.labels =
        only_ != 0 ? std::span(&only_, 1) : labels_.subspan(first, std::min(batch.size(), labels_.size() - first));
  }
  void hold(HeldRows& held, std::size_t n) const {
    for (std::size_t r = 0; r < n; ++r) held.labels.push_back(only_ != 0 ? only_ : labels_[r]);
  }
  void check(const Learner& learner, const RowBatch& batch) const { learner.check(batch, true); }
  void learn(Learner& learner, const RowBatch& batch) const { learner.learn(batch); }
  static void introduce(Learner&, std::span<const std::string>) {}
  static std::size_t margins_per_row(const Learner&) { return 1; }

 private:
  std::span<const std::int8_t> labels_;
  std::int8_t only_ = 0;  // 0: labels_ is used
};

// A number to predict for each row.
class Targets {
 public:
  explicit Targets(std::span<const double> targets) : targets_(targets) {}
  explicit Targets(const RowBlock& block) : targets_(block.targets) {}
  explicit Targets(double only) : only_(only), single_(true) {}  // a single row

  std::size_t size() const { return single_ ? 1 : targets_.size(); }
  void put_into(RowBatch& batch, std::size_t first) const {
    batch.labels = {};
    batch.targets =
        single_ ? std::span(&only_, 1) : targets_.subspan(first, std::min(batch.size(), targets_.size() - first));
  }
  void hold(HeldRows& held, std::size_t n) const {
    for (std::size_t r = 0; r < n; ++r) held.targets.push_back(single_ ? only_ : targets_[r]);
  }
  void check(const Learner& learner, const RowBatch& batch) const { learner.check(batch, true); }
  void learn(Learner& learner, const RowBatch& batch) const { learner.learn(batch); }
  static void introduce(Learner&, std::span<const std::string>) {}
  static std::size_t margins_per_row(const Learner&) { return 1; }

 private:
  std::span<const double> targets_;
  double only_ = 0;
  bool single_ = false;  // otherwise targets_ is used
};

// For each row, the index of its label in `texts`.
class ClassLabels {
 public:
  ClassLabels(std::vector<std::string> texts, std::span<const std::uint32_t> codes)
      : texts_(std::move(texts)), codes_(codes) {
    for (const std::uint32_t code : codes_)
      if (code >= texts_.size())
        throw std::invalid_argument("label codes must be below " + std::to_string(texts_.size()) + ", got " +
                                    std::to_string(code));
  }
  explicit ClassLabels(const RowBlock& block) : texts_(block.class_texts), codes_(block.classes) {}
  explicit ClassLabels(std::string only) : ClassLabels({std::move(only)}, kOnly) {}  // a single row

  std::size_t size() const { return codes_.size(); }
  void put_into(RowBatch& batch, std::size_t first) const {
    batch.classes = codes_.subspan(first, std::min(batch.size(), codes_.size() - first));
  }
  void hold(HeldRows& held, std::size_t n) const {
    for (std::size_t r = 0; r < n; ++r) held.add_class(texts_[codes_[r]]);
  }
  void check(const Multiclass& model, const RowBatch& batch) const {
    model.check(batch, true);
    model.require_room(texts_);
  }
  void learn(Multiclass& model, const RowBatch& batch) const { model.learn(batch, texts_); }
  static void introduce(Multiclass& model, std::span<const std::string> texts) { model.add_classes(texts); }
  static std::size_t margins_per_row(const Multiclass& model) { return model.classes().size(); }

 private:
  static constexpr std::uint32_t kOnly[] = {0};
  std::vector<std::string> texts_;
  std::span<const std::uint32_t> codes_;
};

}  // namespace wmsketch
