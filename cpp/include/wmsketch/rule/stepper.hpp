// Computes the step of each example by the chosen rule, and updates the intercept. Owns the statistics of the stream
// that the rule needs.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "wmsketch/data/random.hpp"
#include "wmsketch/rule/learner.hpp"
#include "wmsketch/rule/stream_squares.hpp"

namespace wmsketch {

[[noreturn, gnu::noinline]] inline void leave_range(const char* number, double value) {
  throw BadRow(0, std::string("learning stops, because ") + number + " would be " + short_text(value) +
                      ": scale the values, or lower eta0, the example's weight or class_weight");
}

class Stepper {
 public:
  // What a step depends on in one example.
  struct Example {
    double gradient;          // of the loss in the margin, times the weight; as the row was predicted
    double settled_gradient;  // the same without the intercept's shift
    double weight;
    double rate;    // by the schedule
    double scale;   // of raw weights
    Energy energy;  // of the values, where `needs_energy`
    std::uint64_t n_seen;
    double curvature = 0;  // of the loss, where it predicts a number
  };

  explicit Stepper(const LearnerConfig& config)
      : config_(config), squares_kept_(config.half_life.squares_kept_by_example()) {}

  bool adaptive() const { return config_.step.adaptive(); }
  bool needs_energy() const { return adaptive() || overshoots(); }
  // Whether the gradient grows with the margin, so that a step may go too far.
  bool overshoots() const { return config_.loss == Loss::squared_hinge || predicts_number(config_.loss); }
  // Whether the intercept of the next row of the stream differs from that of rows in general.
  bool follows() const { return adaptive() && config_.fit_intercept; }
  double shift() const { return squares_.intercept.shift; }
  // The probability of a margin is sigmoid(calibration * margin).
  double calibration() const { return squares_.calibration.scale; }
  // The ratio of log odds to margins for logistic loss, at least 1; 1 for other losses.
  double stretch() const { return config_.loss == Loss::logistic ? std::max(calibration(), 1.0) : 1.0; }
  bool calibrates() const { return adaptive(); }
  void calibrate(double margin, double probability, bool positive, double weight) {
    squares_.calibration.learn(margin, probability, positive, weight);
  }
  void set_calibration(double scale) { squares_.calibration.scale = scale; }
  double squares_scale() const { return squares_.scale; }
  std::size_t nbytes() const { return bytes_for(config_.step); }
  static std::size_t bytes_for(const StepRule& rule) { return rule.adaptive() ? sizeof(Squares) : 0; }

  [[gnu::always_inline]] RowStep next(const Example& example, double& bias) {
    return adaptive() ? adaptive_step(example, bias) : plain_step(example, bias);
  }

  void fade(double kept) { squares_.fade(kept); }
  template <class Store>
  void fold_small_scale(Store& store) {
    constexpr double kSmallest = 1e-6;
    if (squares_.scale >= kSmallest) return;
    const double factor = power_of_two_below(squares_.scale);
    store.multiply_squares(static_cast<float>(factor));
    squares_.scale /= factor;
  }
  // Converts all sums to gradients in other units; see OnlineLinear::change_unit.
  template <class Store>
  void change_unit(double ratio, Store& store) {
    if (!adaptive()) return;
    squares_.change_unit(ratio);
    const double factor = power_of_two_below(squares_.scale);
    store.multiply_squares(static_cast<float>(factor));
    squares_.scale /= factor;
  }
  void merge(const Stepper& other, const Stepper* base) {
    if (adaptive()) squares_.merge(other.squares_, base != nullptr ? base->squares_ : Squares{});
  }
  const Squares& squares() const { return squares_; }
  void archive(Archive& archive) {
    if (adaptive()) squares_.archive(archive);
  }
  void check() const { squares_.check(); }

  // A factor that causes no rounding.
  static double power_of_two_below(double scale) { return std::exp2(std::floor(std::log2(scale))); }

 private:
  static constexpr double kMostStep = 1e15, kMostSquare = 1e31;

  [[gnu::always_inline]] RowStep plain_step(const Example& example, double& bias) const {
    double gradient = example.gradient;
    if (overshoots()) {  // do not overshoot the target margin
      const double squares = example.energy.squares + (config_.fit_intercept ? 1.0 : 0.0);
      gradient /= std::max(example.rate * example.weight * squares, 1.0);
    }
    const double step = example.rate * gradient / example.scale;
    if (!(std::abs(step) <= kMostStep)) leave_range("the step", -step);
    if (config_.fit_intercept) bias -= example.rate * gradient;
    return {.gradient = static_cast<float>(step)};
  }

  [[gnu::always_inline]] RowStep adaptive_step(const Example& example, double& bias) {
    double gradient = example.settled_gradient;
    const Energy& energy = example.energy;
    require_range(gradient, energy);
    // Divisions are slow and must not wait for the gradient. So they come first, and divide by sums over the examples
    // before this one.
    if (squares_kept_ != 1) squares_.fade(squares_kept_);
    const StreamMeans means = squares_.means_with(energy);
    const double eta0 = config_.step.eta0, per_length = std::sqrt(means.per_squared_length);
    const bool squared = overshoots(), number = predicts_number(config_.loss);
    if (squared)  // the slowest steps do not overshoot the target margin
      gradient /=
          std::max(RowStep::kLeast * example.rate * means.per_squared_length * energy.squares * example.weight, 1.0);
    const bool faded = squares_.scale != 1;
    const double per_square = faded ? 1 / squares_.scale : 1;
    const double larger = faded ? std::sqrt(per_square) : 1;  // scales the gradient so that its square is raw
    const double prior_per_square = RowStep::kPriorCount * per_square * means.per_value;
    const double prior_before = prior_per_square * squares_.of_features + RowStep::kPriorCount * Squares::kAboveZero;
    const double prior_of_this = prior_per_square * energy.squares, square = gradient * gradient;
    squares_.add(square, energy);
    const double more = stretch(), mean_prior = prior_before + square * prior_of_this;
    RowStep step{.gradient = f(larger * gradient),
                 .least_rate = f(RowStep::kLeast * example.rate * means.per_squared_length),
                 .speed = f(larger * (RowStep::kSpeed * eta0 * per_length) * more),
                 .prior = f(mean_prior * RowStep::prior_left(more)),
                 .mean_square = f(mean_prior) * f(1 / RowStep::kPriorCount),
                 .per_settled = f(means.per_square_of_features / RowStep::kSettledCount * squares_.scale),
                 .per_scale = f(1 / (larger * example.scale))};
    // The gradient of a number has no bound. So a row of mean length never steps further than kMostOfResidual of it.
    if (number) {
      constexpr double kMostOfResidual = 0.5;
      const double fastest = step.speed / (kMostOfResidual * means.per_squared_length);
      step.prior = std::max(step.prior, f(fastest * fastest));
    }
    seed(step, example.n_seen);
    if (config_.fit_intercept) {
      InterceptStep& intercept = squares_.intercept;
      const double most = squared ? 1 / std::max(example.weight, 1.0) : std::numeric_limits<double>::infinity();
      const double rate = number ? intercept.settle_by(example.curvature * example.weight, eta0)
                                 : intercept.settle(gradient, example.weight, eta0);
      bias -= std::min(rate, most) * gradient;
      intercept.follow(example.gradient, means.per_square_of_bias, eta0, most);
    }
    return step;
  }

  void require_range(double gradient, const Energy& energy) const {
    if (!(gradient * gradient * energy.squares <= kMostSquare * squares_.scale))
      leave_range("a squared gradient", gradient * gradient * energy.squares);
  }
  void seed(RowStep& step, std::uint64_t n_seen) const {
    const std::uint64_t seeds = Random(n_seen ^ (config_.rounding_seed << 32)).next();
    step.seed_low = static_cast<std::uint32_t>(seeds);
    step.seed_high = static_cast<std::uint32_t>(seeds >> 32);
  }
  static float f(double value) { return static_cast<float>(value); }

  LearnerConfig config_;
  double squares_kept_;  // by each example
  Squares squares_;      // of adaptive steps
};

}  // namespace wmsketch
