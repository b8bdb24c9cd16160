// THE update rule, written once, over any weight store.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "wmsketch/data/random.hpp"
#include "wmsketch/models/learner.hpp"
#include "wmsketch/rule/stream_squares.hpp"

namespace wmsketch {

inline Scratch& thread_scratch() {
  thread_local Scratch scratch;
  return scratch;
}

template <WeightStore Store>
class OnlineLinear final : public Learner {
 public:
  OnlineLinear(const StoreConfig& store, const LearnerConfig& config)
      : config_(config),
        kept_by_example_(config.half_life.kept_by_example()),
        squares_kept_by_example_(config.half_life.squares_kept_by_example()),
        calibrates_(kAdaptive && !config.newton),
        follows_(kAdaptive && config.fit_intercept && !config.newton),
        store_(store) {}

  void learn(const RowBatch& batch) override {
    Scratch& scratch = thread_scratch();
    streaming_ = batch.streamed;
    if (may_overflow(batch)) extreme_ = 1;
    for (const float weight : batch.weights) weighted_ |= weight != 0 && weight != 1;
    for (std::size_t r = 0; r < batch.size(); ++r) {
      const double weight = batch.weights.empty() ? 1.0 : batch.weights[r];
      if (!batch.times.empty() && weight > 0) wait_until(batch.times[r]);
      const double offset = batch.offsets.empty() ? 0.0 : batch.offsets[r];
      try {
        learn_one(batch.row(r), batch.labels[r], weight, scratch, {offset, batch.part_of, batch.distinct});
      } catch (const BadRow& bad) {
        throw BadRow(r, bad.what());
      }
    }
  }
  bool may_overflow(const RowBatch& batch, double importance = 1) const override;

  // Rows of one feature each, of value 1: to the same bits as `learn`, several times as fast.
  void learn_keys(std::span<const Key> keys, std::span<const std::int8_t> labels, const NameSource* names);
  std::uint32_t slot_of(Key key) const { return store_.slot_of(key); }

  void margins(const RowBatch& batch, std::span<double> out) const override {
    Scratch& scratch = thread_scratch();
    const double shift = batch.streamed ? next_shift() : 0.0;
    for (std::size_t r = 0; r < batch.size(); ++r)
      out[r] = margin(batch.distinct ? batch.row(r) : unique(batch.row(r), scratch), scratch) + shift;
  }

  void check(const RowBatch& batch, bool for_learning) const override;
  double weight(Key key) const override { return state_.scale * soften(store_.raw(key), threshold()); }
  double deviation(Key key) const override { return state_.scale * raw_deviation(key, store_.noise()); }
  double rows_error(Key key) const override;
  std::vector<HeavyFeature> top(std::size_t k) const override;
  double largest_missed(std::size_t k) const override;
  bool keeps_keys() const override {
    return requires(const Store& s) { s.for_each_heavy([](const HeavyKey&) {}); };
  }
  bool keeps_names() const override {
    if constexpr (requires { store_.names().entries(); }) return store_.names().entries() > 0;
    return true;
  }
  double bias() const override { return state_.bias; }
  double next_shift() const override { return streaming_ ? intercept_shift() : 0.0; }
  double calibration() const override {
    if constexpr (kAdaptive) return squares_.calibration.scale;
    return 1;
  }
  const Outcomes& outcomes() const override { return outcomes_; }
  const Progress& progress() const override { return state_.progress; }
  std::size_t names_shortened() const override;

  // Store, and the numbers beside it that change with the stream.
  std::size_t nbytes() const override { return store_.nbytes() + kStateBytes; }
  static std::size_t bytes_for(const StoreConfig& store) { return Store::bytes_for(store) + kStateBytes; }
  std::size_t paper_bytes() const override { return store_.paper_bytes(); }
  std::uint32_t hash(std::uint32_t row, Key key) const override;
  std::uint64_t random_state() const override;
  using Learner::merge;
  void merge(const Learner& other, const Examples& examples) override;
  void fade(double kept, double squares_kept) override {
    state_.scale = std::max(state_.scale * kept, kNothingLeft);
    state_.recent.fade(kept);
    if constexpr (kAdaptive) squares_.fade(squares_kept);
    fold_small_scales();
  }
  void edit_names(const std::function<void(std::span<char>)>& edit) override {
    if constexpr (requires { store_.names().edit(edit); }) store_.names().edit(edit);
  }
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
  struct Nothing {};
  static constexpr bool kAdaptive = TakesAdaptiveSteps<Store>;
  static constexpr std::size_t kStateBytes = sizeof(State) + (kAdaptive ? sizeof(Squares) : 0);
  // Fold early: a tiny scale would push raw weights out of their range, which is small where cells have few bits.
  static constexpr double kSmallestScale = kAdaptive ? 0x1p-4 : 1e-6, kSmallestScaleOfSquares = 1e-6;
  static constexpr float kOne = 1.0f;
  static constexpr float kMostValue = 1e15f;  // squares and their sums must stay below what a float32 holds
  static constexpr double kMostMargin = 1e30, kMostStep = 1e15, kMostSquare = 1e31, kFarFromMost = 1e9;
  static constexpr double kMostBalance = 1e5;  // what balancing makes of the weight of a rare class

  static constexpr double kDeviations = 1.959963984540054;  // 95 % of a normal distribution

  // Of a key's raw weight from the unlimited learner's, where the cells have this noise.
  double raw_deviation(Key key, double noise) const {
    if constexpr (kAdaptive && requires { store_.deviation(key, noise, StepsTaken{}); }) {
      const double first =
          state_.progress.n_seen == 0 ? 0.0 : AdaptiveStep::first_step(config_.newton, config_.step.eta0);
      return store_.deviation(key, noise, {config_.newton, state_.scale, squares_.scale, first});
    } else if constexpr (requires { store_.deviation(key, noise); }) {
      return store_.deviation(key, noise);
    } else {
      return noise;
    }
  }

  double intercept_shift() const {
    if constexpr (kAdaptive) return squares_.intercept.shift;
    return 0;
  }

  float threshold() const { return static_cast<float>(state_.threshold); }

  static SparseRow unique(const SparseRow& row, Scratch& scratch) {
    if constexpr (Store::kNeedsUniqueKeys) return scratch.without_repeats(row);
    return row;
  }

  double margin(const SparseRow& x, Scratch& scratch) const {
    return state_.scale * store_.dot(x, threshold(), scratch) + state_.bias;
  }

  // What a larger model adds to a row; see RowBatch.
  struct Around {
    double offset = 0;
    const PartOf* part_of = nullptr;
    bool distinct = false;
  };

  void learn_one(const SparseRow& row, int label, double weight, Scratch& scratch, const Around& around = {}) {
    if (weight == 0.0) return;  // as if the row were not there
    const SparseRow x = around.distinct ? row : unique(row, scratch);
    const double settled = margin(x, scratch) + around.offset, before = settled + intercept_shift();
    const double tau = label * before, e = exp_same_everywhere(-std::abs(tau));
    if (!(std::abs(before) <= kMostMargin)) leave_range("the margin", before);
    const double rate = config_.step.rate(around.part_of ? around.part_of->examples_before : state_.recent.examples);
    const double decay = rate * (around.part_of ? around.part_of->share : 1.0);
    count(row, label, before);
    const double importance = weight * class_weight(label);
    if (calibrates_ && !around.part_of) {
      report_calibrated(before, label, importance);
    } else {
      state_.progress.log_loss.add(tau, e);
      if (!around.part_of) outcomes_.add(before, label > 0, (before >= 0 ? 1.0 : e) / (1.0 + e));
    }
    double gradient = label * slope_of(config_.loss, tau, e) * importance;
    state_.scale *= (1.0 - decay * config_.step.l2) * kept_by_example_;
    if (config_.l1 > 0) state_.threshold += decay * config_.l1 / state_.scale;
    if constexpr (kAdaptive) {
      const double settled_tau = label * settled;
      const double settled_e = follows_ ? exp_same_everywhere(-std::abs(settled_tau)) : e;
      const double of_settled = label * slope_of(config_.loss, settled_tau, settled_e) * importance;
      step_adaptively(x, {gradient, of_settled, importance}, rate, scratch);
    } else {
      if (config_.loss == Loss::squared_hinge) {
        const double squares = kernels().energy_of(x.values, x.size).squares + (config_.fit_intercept ? 1.0 : 0.0);
        gradient /= std::max(rate * importance * squares, 1.0);  // not beyond the margin it aims at
      }
      const double step = -rate * gradient / state_.scale;
      if (!(std::abs(step) <= kMostStep)) leave_range("the step", step);
      store_.add(x, static_cast<float>(step), scratch);
      if (config_.fit_intercept) state_.bias -= rate * gradient;
    }
    end_example();
  }

  Energy energy_of(const SparseRow& x, const Scratch& scratch) const {
    if constexpr (requires { Store::energy_of(scratch); }) return Store::energy_of(scratch);
    return kernels().energy_of(x.values, x.size);
  }

  // Of the loss in the margin, times the example's weight.
  struct Gradients {
    double of_next;     // with the shift, as the row was predicted
    double of_settled;  // without it
    double weight;
  };
  void step_adaptively(const SparseRow& x, const Gradients& gradients, double rate, Scratch& scratch) {
    double gradient = gradients.of_settled;
    const double weight = gradients.weight;
    const std::uint64_t seeds = Random(state_.progress.n_seen ^ (config_.rounding_seed << 32)).next();
    const auto seed_low = static_cast<std::uint32_t>(seeds), seed_high = static_cast<std::uint32_t>(seeds >> 32);
    const auto f = [](double value) { return static_cast<float>(value); };
    const Energy energy = energy_of(x, scratch);
    if (!(gradient * gradient * energy.squares <= kMostSquare * squares_.scale))
      leave_range("a squared gradient", gradient * gradient * energy.squares);
    if (config_.newton) {
      const AdaptiveStep step{f(gradient),         0,        1,         1,    f(AdaptiveStep::kNewtonPrior), 0,
                              f(1 / state_.scale), seed_low, seed_high, true, f(weight > 0 ? 1 / weight : 0)};
      store_.add(x, step, scratch);
      if (config_.fit_intercept) step_base_rate(gradient < 0 ? weight : -weight);
      return;
    }
    // What the gradient has no part in comes first, and what is divided by is that of the examples before this one: a
    // division takes long, and must not wait for the gradient.
    if (squares_kept_by_example_ != 1) squares_.fade(squares_kept_by_example_);
    const StreamMeans means = squares_.means_with(energy);
    const double per_length = std::sqrt(means.per_squared_length);
    const bool squared = config_.loss == Loss::squared_hinge;
    if (squared)  // the slowest steps are not beyond the margin they aim at
      gradient /= std::max(AdaptiveStep::kLeast * rate * means.per_squared_length * energy.squares * weight, 1.0);
    const bool faded = squares_.scale != 1;
    const double per_square = faded ? 1 / squares_.scale : 1;
    const double larger = faded ? std::sqrt(per_square) : 1;  // gradients whose squares are raw
    const double prior_per_square = AdaptiveStep::kPriorCount * per_square * means.per_value;
    const double prior_before =
        prior_per_square * squares_.of_features + AdaptiveStep::kPriorCount * Squares::kAboveZero;
    const double prior_of_this = prior_per_square * energy.squares, square = gradient * gradient;
    const double squares_of_bias_before = squares_.of_bias;
    squares_.add(square, energy);
    const AdaptiveStep step{f(larger * gradient),
                            f(AdaptiveStep::kLeast * rate * means.per_squared_length),
                            f(larger * (AdaptiveStep::kSpeed * config_.step.eta0 * per_length)),
                            f(larger * (AdaptiveStep::kTailSpeed * config_.step.eta0 * per_length)),
                            f(prior_before + square * prior_of_this),
                            f(means.per_square_of_features / AdaptiveStep::kSettledCount * squares_.scale),
                            f(1 / (larger * state_.scale)),
                            seed_low,
                            seed_high};
    if (config_.fit_intercept) {
      InterceptStep& intercept = squares_.intercept;
      // a file of an older version knows no information of its own
      if (intercept.information == 0) intercept.information = squares_of_bias_before;
      const double most = squared ? 1 / std::max(weight, 1.0) : std::numeric_limits<double>::infinity();
      state_.bias -= std::min(intercept.settle(gradient, weight, config_.step.eta0), most) * gradient;
      intercept.follow(gradients.of_next, means.per_square_of_bias, config_.step.eta0, most);
    }
    store_.add(x, step, scratch);
  }

  // Examples of one feature cannot tell its weight from an intercept: here that is the log odds of all examples,
  // learned by itself, and weights are what features add to it.
  void step_base_rate(double signed_weight) {
    const double gradient = -(1 - sigmoid(signed_weight > 0 ? state_.bias : -state_.bias));
    squares_.of_bias += gradient * gradient * std::abs(signed_weight);
    state_.bias -= gradient * signed_weight / (squares_.of_bias + AdaptiveStep::kNewtonPrior);
  }

  void report_calibrated(double margin, int label, double importance) {
    if constexpr (kAdaptive) {
      const double shown = squares_.calibration.scale * margin, e = exp_same_everywhere(-std::abs(shown));
      const double probability = (shown >= 0 ? 1.0 : e) / (1.0 + e);
      state_.progress.log_loss.add(label * shown, e);
      outcomes_.add(shown, label > 0, probability);
      if (state_.progress.n_seen > Calibration::kFirstRows)
        squares_.calibration.learn(margin, probability, label > 0, importance);
    }
  }

  void count(const SparseRow& row, int label, double before) {
    Progress& progress = state_.progress;
    count_one(progress.n_seen);
    count_one(progress.n_positive, label > 0);
    progress.features_seen = add_saturating(progress.features_seen, row.size);
    count_one(progress.mistakes, (before >= 0) != (label > 0));
    state_.recent.fade(kept_by_example_);
    state_.recent.count(label > 0);
  }

  void wait_until(double time) { fade_after(state_.recent.clock.pass(time, config_.half_life.seconds)); }
  void fade_after(double seconds) {
    if (seconds == 0) return;
    const double kept = config_.half_life.kept_after(seconds);
    fade(kept, kept);
  }

  double class_weight(int label) const {
    if (!config_.balanced) return label > 0 ? config_.positive_weight : config_.negative_weight;
    const Recent& recent = state_.recent;
    const double balance = recent.examples / (2.0 * (label > 0 ? recent.positive : recent.examples - recent.positive));
    return std::min(balance, kMostBalance);
  }

  [[noreturn, gnu::noinline]] static void leave_range(const char* number, double value) {
    throw BadRow(0, std::string("learning stops, because ") + number + " would be " + short_text(value) +
                        ": scale the values, or lower eta0, the example's weight or class_weight");
  }

  // Only here may cells be rewritten: between `dot` and `add` the scratch remembers what stood in them.
  void end_example() {
    if constexpr (requires { store_.squared_norm(); }) {
      const double norm = state_.scale * std::sqrt(std::max(store_.squared_norm(), 0.0));
      if (config_.radius > 0 && norm > config_.radius) state_.scale *= config_.radius / norm;
    }
    fold_small_scales();
    if constexpr (requires { store_.end_example(1.0); }) store_.end_example(state_.scale);
  }

  // For learn_keys.
  struct KeyBlock {
    static constexpr std::size_t kMost = 32, kPadded = kMost + kRowsAtOnce;
    typename Store::template Homes<kPadded> homes;
    std::array<double, kPadded> label, weight, rate;
    std::array<double, kPadded + 1> scale;  // before each row, and after the last
  };
  void plan(const SparseRow& rows, const std::int8_t* labels, KeyBlock& block) const;
  void learn_block(const SparseRow& rows, const KeyBlock& block);
  [[gnu::noinline]] void enter(const SparseRow& x, float raw_step);

  void fold_small_scales() {
    if (state_.scale < kSmallestScale) fold_scale();
    if constexpr (kAdaptive)
      if (squares_.scale < kSmallestScaleOfSquares) fold_scale_of_squares();
  }
  // By a factor that rounds nothing.
  static double power_of_two_below(double scale) { return std::exp2(std::floor(std::log2(scale))); }
  [[gnu::noinline]] void fold_scale_of_squares() {
    const double factor = power_of_two_below(squares_.scale);
    store_.multiply_squares(static_cast<float>(factor));
    squares_.scale /= factor;
  }
  [[gnu::noinline]] void fold_scale() {
    const double factor = power_of_two_below(state_.scale);
    store_.multiply(static_cast<float>(factor));
    state_.threshold *= factor;
    state_.scale /= factor;
  }

  LearnerConfig config_;
  double kept_by_example_, squares_kept_by_example_;
  bool calibrates_;         // probabilities
  bool follows_;            // the intercept of the next row is another than that of all
  bool streaming_ = false;  // the last row came by itself: a question about one row by itself is about the next
  Store store_;
  State state_;
  Outcomes outcomes_;          // a report beside the model
  std::uint8_t extreme_ = 0;   // rows were learned that may have made numbers large
  std::uint8_t weighted_ = 0;  // rows had weights, so that their squares are not those of rows
  [[no_unique_address]] std::conditional_t<kAdaptive, Squares, Nothing> squares_;
};

}  // namespace wmsketch

#include "wmsketch/rule/online_linear_keys.hpp"
#include "wmsketch/rule/online_linear_questions.hpp"
#include "wmsketch/rule/online_linear_state.hpp"
