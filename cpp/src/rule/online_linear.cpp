#include "wmsketch/rule/online_linear.hpp"

#include <algorithm>
#include <cmath>

#include "wmsketch/rule/recalibrate.hpp"

namespace wmsketch {

Scratch& thread_scratch() {
  thread_local Scratch scratch;
  return scratch;
}

OnlineLinear::OnlineLinear(std::unique_ptr<WeightStore> store, const StoreConfig& shape, const LearnerConfig& config)
    : config_(config),
      kept_by_example_(config.half_life.kept_by_example()),
      smallest_scale_(config.step.adaptive() ? kSmallestAdaptiveScale : kSmallestScale),
      needs_unique_keys_(store->needs_unique_keys()),
      averaged_(shape.averaged),
      wants_curvature_(store->wants_curvature()),
      store_(std::move(store)),
      stepper_(config) {
  if (config_.radius > 0) store_->squared_norm();  // so that the store keeps it up to date
}

OnlineLinear::OnlineLinear(const OnlineLinear& other)
    : config_(other.config_),
      kept_by_example_(other.kept_by_example_),
      smallest_scale_(other.smallest_scale_),
      needs_unique_keys_(other.needs_unique_keys_),
      averaged_(other.averaged_),
      wants_curvature_(other.wants_curvature_),
      streaming_(other.streaming_),
      store_(other.store_->copy()),
      state_(other.state_),
      outcomes_(other.outcomes_),
      target_(other.target_),
      extreme_(other.extreme_),
      weighted_(other.weighted_),
      stepper_(other.stepper_) {}

// Parts of `learn_one`, which inlines them.

inline void OnlineLinear::count(const SparseRow& row, int label, double before) {
  Progress& progress = state_.progress;
  count_one(progress.n_seen);
  count_one(progress.n_positive, label > 0);
  progress.features_seen = add_saturating(progress.features_seen, row.size);
  count_one(progress.mistakes, (before >= 0) != (label > 0));
  state_.recent.fade(kept_by_example_);
  state_.recent.count(label > 0);
}

inline double OnlineLinear::class_weight(int label) const {
  if (!config_.balanced) return choose(label > 0, config_.positive_weight, config_.negative_weight);
  const Recent& recent = state_.recent;
  const double balance = recent.examples / (2.0 * (label > 0 ? recent.positive : recent.examples - recent.positive));
  return std::min(balance, kMostBalance);
}

[[gnu::noinline]] void OnlineLinear::learn_curvature(const SparseRow& x, int label, double offset, double before,
                                                     double importance, Scratch& scratch) {
  const double tau = label * (margin(x, scratch) + offset);
  const double after = slope_of(config_.loss, tau, exp_same_everywhere(-std::abs(tau)));
  store_->add_curvature(x, label * (after - before) * importance, state_.scale, scratch);
}

[[gnu::noinline]] void OnlineLinear::fold_scale() {
  const double factor = Stepper::power_of_two_below(state_.scale);
  store_->multiply(static_cast<float>(factor));
  state_.threshold *= factor;
  state_.scale /= factor;
}

inline void OnlineLinear::fold_small_scales() {
  if (state_.scale < smallest_scale_) fold_scale();
  if (stepper_.adaptive()) stepper_.fold_small_scale(*store_);
}

// Only here may cells be rewritten: between `dot` and `add` the scratch remembers what stood in them.
inline void OnlineLinear::end_example() {
  if (config_.radius > 0) {
    const double norm = state_.scale * std::sqrt(std::max(store_->squared_norm(), 0.0));
    if (norm > config_.radius) state_.scale *= config_.radius / norm;
  }
  fold_small_scales();
  if (averaged_) store_->end_example(state_.scale);
}

void OnlineLinear::learn(const RowBatch& batch) {
  Scratch& scratch = thread_scratch();
  streaming_ = batch.streamed;
  if (may_overflow(batch)) extreme_ = 1;
  for (const float weight : batch.weights) weighted_ |= weight != 0 && weight != 1;
  if (target() != nullptr) return learn_targets(batch, scratch);
  for (std::size_t r = 0; r < batch.size(); ++r) {
    const double weight = batch.weights.empty() ? 1.0 : batch.weights[r];
    if (!batch.times.empty() && weight > 0) wait_until(batch.times[r]);
    const double offset = batch.offsets.empty() ? 0.0 : batch.offsets[r];
    try {
      learn_one(batch.row(r), batch.labels[r], weight, scratch, {offset, batch.example, batch.distinct});
    } catch (const BadRow& bad) {
      throw BadRow(r, bad.what());
    }
  }
}

void OnlineLinear::margins(const RowBatch& batch, std::span<double> out) const {
  Scratch& scratch = thread_scratch();
  const double shift = batch.streamed && streaming_ ? stepper_.shift() : 0.0;
  for (std::size_t r = 0; r < batch.size(); ++r)
    out[r] = predicted(
        margin(batch.distinct || !needs_unique_keys_ ? batch.row(r) : scratch.without_repeats(batch.row(r)), scratch) +
        shift);
}

void OnlineLinear::learn_one(const SparseRow& row, int label, double weight, Scratch& scratch,
                             const RowContext& context) {
  if (weight == 0.0) return;  // as if the row were not there
  SparseRow summed;           // filled only if keys repeat: copying the row would stall the CPU
  const bool distinct = context.distinct || !needs_unique_keys_ || Scratch::is_increasing(row);
  const SparseRow& x = distinct ? row : (summed = scratch.without_repeats(row));
  const double settled = margin(x, scratch) + context.offset, before = settled + stepper_.shift();
  const double tau = label * before, settled_tau = label * settled, shown = stepper_.calibration() * before;
  const bool adaptive = stepper_.adaptive();
  LogisticParts parts, calibrated;  // first as the row was predicted, then without the intercept's shift
  if (adaptive) {
    parts = logistic_parts(TwoDoubles{tau, settled_tau});
    calibrated = logistic_parts(TwoDoubles{-shown, -shown});
  }
  const double e = adaptive ? parts.e[0] : exp_same_everywhere(-std::abs(tau));
  if (!(std::abs(before) <= kMostMargin)) leave_range("the margin", before);
  const double rate = config_.step.rate(context.example ? context.example->examples_before : state_.recent.examples);
  const double decay = rate * (context.example ? context.example->share : 1.0);
  count(row, label, before);
  const double importance = weight * class_weight(label);
  if (!config_.reports) {
    // no report is kept of how the row was predicted
  } else if (stepper_.calibrates() && !context.example) {
    const double probability = calibrated.ratio[0];
    state_.progress.log_loss.add(label * shown, calibrated.e[0]);
    outcomes_.add(shown, label > 0, probability);
    if (state_.progress.n_seen > Calibration::kFirstRows)
      stepper_.calibrate(before, probability, label > 0, importance);
  } else {
    state_.progress.log_loss.add(tau, e);
    if (!context.example) outcomes_.add(before, label > 0, sigmoid_of(before, e));
  }
  const bool logistic = adaptive && config_.loss == Loss::logistic;
  const double slope = logistic ? -parts.ratio[0] : slope_of(config_.loss, tau, e);
  const double gradient = label * slope * importance;
  double settled_gradient = gradient;
  if (stepper_.follows()) {
    const double settled_slope = logistic ? -parts.ratio[1] : slope_of(config_.loss, settled_tau, parts.e[1]);
    settled_gradient = label * settled_slope * importance;
  }
  state_.scale *= (1.0 - decay * config_.step.l2) * kept_by_example_;
  if (config_.l1 > 0) state_.threshold += decay * config_.l1 / state_.scale;
  const RowStep step = stepper_.next({.gradient = gradient,
                                      .settled_gradient = settled_gradient,
                                      .weight = importance,
                                      .rate = rate,
                                      .scale = state_.scale,
                                      .energy = stepper_.needs_energy() ? store_->energy_of(x, scratch) : Energy{},
                                      .n_seen = state_.progress.n_seen},
                                     state_.bias);
  store_->add(x, step, scratch);
  if (wants_curvature_) learn_curvature(x, label, context.offset, slope, importance, scratch);
  end_example();
  if (extreme_ == 0) return;
  const double after = margin(x, scratch);  // with the weights that were just written
  if (!(std::abs(after) <= kMostMargin)) leave_range("the margin", after);
}

void OnlineLinear::learn_target(const SparseRow& row, double target, const UsualRange& usual, double weight,
                                Scratch& scratch, bool distinct) {
  if (weight == 0.0) return;
  const bool first = target_.scale.count == 0;
  const double centre = target_.centre(), baseline = target_.baseline(config_.loss);
  SparseRow summed;
  const SparseRow& x = distinct || !needs_unique_keys_ ? row : (summed = scratch.without_repeats(row));
  if (!first) {
    const double before = target_.predicted(config_.loss, margin(x, scratch) + stepper_.shift());
    if (!std::isfinite(before)) leave_range("the prediction", before);
    target_.errors.add(target - before, target - centre, target - baseline);
  }
  target_.add(std::clamp(target, usual.low, usual.high), kept_by_example_);
  change_unit(target_.wanted_change(config_.loss));
  const double settled = margin(x, scratch), shown = settled + stepper_.shift();
  if (!(std::abs(shown) <= kMostMargin)) leave_range("the margin", shown);
  const double wanted = target_.as_learned(config_.loss, target);
  const NumberSlope slope = slope_of_number(config_.loss, settled, wanted);
  const double rate = config_.step.rate(state_.recent.examples);
  count(row, 1, 0);
  state_.scale *= (1.0 - rate * config_.step.l2) * kept_by_example_;
  if (config_.l1 > 0) state_.threshold += rate * config_.l1 / state_.scale;
  const RowStep step = stepper_.next({.gradient = slope_of_number(config_.loss, shown, wanted).slope * weight,
                                      .settled_gradient = slope.slope * weight,
                                      .weight = weight,
                                      .rate = rate,
                                      .scale = state_.scale,
                                      .energy = stepper_.needs_energy() ? store_->energy_of(x, scratch) : Energy{},
                                      .n_seen = state_.progress.n_seen,
                                      .curvature = slope.curvature},
                                     state_.bias);
  store_->add(x, step, scratch);
  end_example();
}

bool OnlineLinear::settle(std::span<const double> margins, std::span<const std::int8_t> labels,
                          std::span<const float> weights) {
  constexpr double kCertain = 10;  // gain in log likelihood; two fitted numbers rarely gain more than 5 by chance
  const bool weighs = config_.balanced || config_.negative_weight != 1 || config_.positive_weight != 1;
  const bool forgets = config_.half_life.examples > 0 || config_.half_life.seconds > 0;
  if (!stepper_.follows() || config_.loss != Loss::logistic || weighs || forgets || labels.size() != margins.size())
    return false;
  // learned rows are predicted better than new ones, so they can show that margins are too large, but not too small
  const double scale = stepper_.calibration();
  const Recalibration found = recalibrate(margins, labels, weights, scale, Calibration::kLeast, std::max(scale, 1.0));
  if (!(found.gain > kCertain)) return false;
  state_.bias += found.shift / found.scale;
  stepper_.set_calibration(found.scale);
  return true;
}

void OnlineLinear::fade(double kept, double squares_kept) {
  state_.scale = std::max(state_.scale * kept, kNothingLeft);
  state_.recent.fade(kept);
  target_.scale.fade(kept);
  if (stepper_.adaptive()) stepper_.fade(squares_kept);
  fold_small_scales();
}

void OnlineLinear::fade_after(double seconds) {
  if (seconds == 0) return;
  const double kept = config_.half_life.kept_after(seconds);
  fade(kept, kept);
}

}  // namespace wmsketch
