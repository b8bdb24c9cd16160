// THE update rule, written once, over any weight store and any step rule.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>

#include "wmsketch/rule/learner.hpp"
#include "wmsketch/rule/stepper.hpp"
#include "wmsketch/rule/target.hpp"
#include "wmsketch/stores/store.hpp"

namespace wmsketch {

class OnlineLinear final : public Learner {
 public:
  OnlineLinear(std::unique_ptr<WeightStore> store, const StoreConfig& shape, const LearnerConfig& config);
  OnlineLinear(const OnlineLinear& other);

  void learn(const RowBatch& batch) override;
  // Rows of one feature each, of value 1: to the same bits as `learn`, several times as fast (learn_keys.cpp).
  void learn_keys(std::span<const Key> keys, std::span<const std::int8_t> labels, const NameSource* names);
  void margins(const RowBatch& batch, std::span<double> out) const override;
  bool settle(std::span<const double> margins, std::span<const std::int8_t> labels,
              std::span<const float> weights) override;

  void check(const RowBatch& batch, bool for_learning) const override;
  bool may_overflow(const RowBatch& batch, double importance = 1) const override;
  double weight(Key key) const override { return weight_unit() * state_.scale * soften(store_->raw(key), threshold()); }
  double deviation(Key key) const override {
    return weight_unit() * state_.scale * raw_deviation(key, store_->noise());
  }
  double rows_error(Key key) const override;
  std::vector<HeavyFeature> top(std::size_t k) const override;
  double largest_missed(std::size_t k) const override;
  std::size_t owned_cells() const override { return store_->owned_cells(); }
  bool keeps_keys() const override { return store_->keeps_keys(); }
  bool keeps_names() const override {
    const NameArena* names = store().name_arena();
    return names == nullptr || names->entries() > 0;
  }
  double bias() const override { return shown(state_.bias); }
  double next_shift() const override { return streaming_ ? weight_unit() * stepper_.shift() : 0.0; }
  const Target* target() const override { return predicts_number(config_.loss) ? &target_ : nullptr; }
  double calibration() const override { return stepper_.calibration(); }
  const Outcomes& outcomes() const override { return outcomes_; }
  const Progress& progress() const override { return state_.progress; }
  std::size_t names_shortened() const override;
  const WeightStore& store() const { return *store_; }

  // The store, and all other numbers that change with the stream.
  std::size_t nbytes() const override {
    return store_->nbytes() + sizeof(State) + stepper_.nbytes() + (target() != nullptr ? sizeof(Target) : 0);
  }
  static std::size_t bytes_without_store(const StepRule& rule) { return sizeof(State) + Stepper::bytes_for(rule); }
  std::size_t paper_bytes() const override { return store_->paper_bytes(); }
  std::uint32_t hash(std::uint32_t row, Key key) const override;
  std::uint64_t random_state() const override { return store_->random_state(); }
  using Learner::merge;
  void merge(const Merging& merging) override;
  void take(const Learner& other) override;
  void rescale(Key key, double factor, double shift, std::optional<Key> constant) override;
  void fade(double kept, double squares_kept) override;
  void edit_names(const std::function<void(std::span<char>)>& edit) override;
  void archive(Archive& archive) override;
  std::unique_ptr<Learner> copy() const override { return std::make_unique<OnlineLinear>(*this); }

 private:
  struct State {
    double scale = 1;      // weights are scale * (raw softened by threshold): L2 and L1 for all of them at once
    double threshold = 0;  // raw
    double bias = 0;
    Recent recent;
    Progress progress;
  };
  // Fold early: a tiny scale would push raw weights out of their range, which is small where cells have few bits.
  static constexpr double kSmallestScale = 1e-6, kSmallestAdaptiveScale = 0x1p-4;
  static constexpr float kMostValue = 1e15f;  // squares and their sums must stay below what a float32 holds
  static constexpr double kMostMargin = 1e30, kFarFromMost = 1e9;
  static constexpr double kMostBalance = 1e5;  // upper limit of the weight of a rare class

  // What a larger model that contains this one adds to a row; see RowBatch.
  struct RowContext {
    double offset = 0;
    const LargerExample* example = nullptr;
    bool distinct = false;
  };
  void learn_one(const SparseRow& row, int label, double weight, Scratch& scratch, const RowContext& context);
  double margin(const SparseRow& x, Scratch& scratch) const {
    return state_.scale * store_->dot(x, threshold(), scratch) + state_.bias;
  }
  // What a margin predicts. Weights of a squared or absolute loss are in the units of the target.
  double shown(double margin) const {
    return config_.loss == Loss::squared || config_.loss == Loss::absolute ? target_.predicted(config_.loss, margin)
                                                                           : margin + log_of_mean();
  }
  double predicted(double margin) const { return target() ? target_.predicted(config_.loss, margin) : margin; }
  double weight_unit() const {
    return config_.loss == Loss::squared || config_.loss == Loss::absolute ? target_.unit_in_use() : 1.0;
  }
  double log_of_mean() const {
    return config_.loss == Loss::poisson && target_.centre() > 0 ? log_same_everywhere(target_.centre()) : 0.0;
  }
  void check_targets(const RowBatch& batch) const;
  void learn_targets(const RowBatch& batch, Scratch& scratch);
  void learn_target(const SparseRow& row, double target, const UsualRange& usual, double weight, Scratch& scratch,
                    bool distinct);
  void change_unit(double ratio);
  void measure_target_as(const Target& other);
  float threshold() const { return static_cast<float>(state_.threshold); }
  double raw_deviation(Key key, double noise) const;
  double class_weight(int label) const;
  void count(const SparseRow& row, int label, double before);
  void learn_curvature(const SparseRow& x, int label, double offset, double slope_before, double importance,
                       Scratch& scratch);
  void wait_until(double time) { fade_after(state_.recent.clock.pass(time, config_.half_life.seconds)); }
  void fade_after(double seconds);

  struct MergeSides;
  static MergePlan merge_plan(const MergeSides& sides);
  static double merged_bias(const MergeSides& sides, MergePlan plan);
  void take_over(const OnlineLinear& other);
  void take_all_but_weights(const OnlineLinear& other);

  void end_example();
  void fold_small_scales();
  void fold_scale();

  struct KeyBlock;
  void plan(const SparseRow& rows, const std::int8_t* labels, KeyBlock& block) const;
  void learn_block(const SparseRow& rows, KeyBlock& block);
  void report(const KeyBlock& block, std::size_t n);
  void enter(const SparseRow& x, float raw_step);

  LearnerConfig config_;
  double kept_by_example_, smallest_scale_;
  bool needs_unique_keys_, averaged_, wants_curvature_;
  bool streaming_ = false;  // the last row was learned by itself: a single row that is predicted is then the next one
  std::unique_ptr<WeightStore> store_;
  State state_;
  Outcomes outcomes_;          // a report, not part of the bytes of the model
  Target target_;              // of losses that predict a number
  std::uint8_t extreme_ = 0;   // rows were learned that may have made numbers large
  std::uint8_t weighted_ = 0;  // rows had weights other than 1: their squares are not those of plain rows
  Stepper stepper_;
};

// Working memory of this thread.
Scratch& thread_scratch();

}  // namespace wmsketch
