// Regression: the number to predict, in units of its own scale, and how well it was predicted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/number_scale.hpp"
#include "wmsketch/rule/loss.hpp"

namespace wmsketch {

// The slope of a loss in the margin, and its curvature.
struct NumberSlope {
  double slope, curvature;
};

// `target` is in the units of Target below. A residual of more than kMost counts as kMost: one absurd target must not
// decide a step. Poisson: the slope is damped where the curvature is large, so that a step does not overshoot.
inline constexpr double kMostNumberSlope = NumberScale::kMost * NumberScale::kMost;
inline NumberSlope slope_of_number(Loss loss, double margin, double target) {
  constexpr double kMost = NumberScale::kMost, kSmooth = 0.1, kMostExponent = 20;
  if (loss == Loss::poisson) {
    const double mean = exp_same_everywhere(std::clamp(margin, -kMostExponent, kMostExponent));
    const double damping = std::max(mean, 1.0);
    return {std::clamp((mean - target) / damping, -kMostNumberSlope, kMost), mean / damping};
  }
  const double residual = margin - target;
  if (loss == Loss::absolute) return {std::clamp(residual / kSmooth, -1.0, 1.0), 1};
  return {std::clamp(residual, -kMost, kMost), 1};
}

// Errors of predictions made before each row was learned, and those of a baseline without features.
struct NumberErrors {
  double scored = 0, absolute = 0, squared = 0, baseline_absolute = 0, baseline_squared = 0;

  void add(double error, double error_of_mean, double error_of_baseline) {
    scored += 1;
    absolute += std::abs(error);
    squared += error * error;
    baseline_absolute += std::abs(error_of_baseline);
    baseline_squared += error_of_mean * error_of_mean;
  }
  void merge(const NumberErrors& other, const NumberErrors& base) {
    const auto add = [](double& sum, double now, double then) { sum = std::max(sum + now - then, 0.0); };
    add(scored, other.scored, base.scored);
    add(absolute, other.absolute, base.absolute);
    add(squared, other.squared, base.squared);
    add(baseline_absolute, other.baseline_absolute, base.baseline_absolute);
    add(baseline_squared, other.baseline_squared, base.baseline_squared);
  }
};

// A target is learned as (target - mean) / unit, where the unit is about its standard deviation. So a target of any
// scale and offset is learned alike. For Poisson loss the unit is the mean, and the margin is the logarithm of a ratio
// to it.
struct Target {
  NumberScale scale;
  double unit = 0;    // of the margins; 0: all targets so far were equal
  double median = 0;  // an estimate, the baseline of absolute loss
  NumberErrors errors;

  double centre() const { return scale.mean; }
  double unit_in_use() const { return unit > 0 ? unit : 1; }
  double predicted(Loss loss, double margin) const {
    constexpr double kMostExponent = 20;
    if (loss != Loss::poisson) return centre() + unit_in_use() * margin;
    return centre() * exp_same_everywhere(std::clamp(margin, -kMostExponent, kMostExponent));
  }
  double as_learned(Loss loss, double target) const {
    if (loss != Loss::poisson) return (target - centre()) / unit_in_use();
    return centre() > 0 ? target / centre() : 1;
  }
  double baseline(Loss loss) const { return loss == Loss::absolute ? median : centre(); }

  // The factor by which the unit must shrink to match the standard deviation; 1 if it is close enough.
  double wanted_change(Loss loss) const {
    constexpr double kNear = 1.1;
    const double wanted = scale.deviation();
    if (loss == Loss::poisson || !(wanted > 0)) return 1;
    const double ratio = unit_in_use() / wanted;
    return unit > 0 && ratio < kNear && ratio > 1 / kNear ? 1 : ratio;
  }
  // An absurd target is clipped to the end of the learned range. If more of them follow, the scale adapts.
  void add(double target, double kept) {
    scale.fade(kept);
    const double reach = NumberScale::kMost * scale.deviation();
    const bool absurd = scale.is_absurd(target);
    const double taken = absurd ? std::clamp(target, scale.mean - reach, scale.mean + reach) : target;
    if (scale.count == 0) median = taken;
    scale.add(taken);
    // Robbins and Monro: the median is where steps up and down are as frequent.
    constexpr double kGain = 2;
    if (taken != median) median += (taken > median ? kGain : -kGain) * scale.deviation() / std::max(scale.count, 1.0);
  }
  void merge(const Target& other, const Target& base) {
    const NumberScale theirs = other.scale.since(base.scale);
    const double all = scale.count + theirs.count;
    if (all > 0) median = (median * scale.count + other.median * theirs.count) / all;
    scale.add(theirs);
    errors.merge(other.errors, base.errors);
    unit = scale.deviation();
  }
  void archive(Archive& archive) {
    archive.value("target_count", scale.count);
    archive.value("target_mean", scale.mean);
    archive.value("target_squares", scale.squares);
    archive.value("target_unit", unit);
    archive.value("target_median", median);
    archive.fixed("target_errors", &errors.scored, sizeof(NumberErrors) / sizeof(double));
  }
  void check() const {
    for (const double number : {scale.count, scale.squares, unit, errors.scored, errors.absolute, errors.squared,
                                errors.baseline_absolute, errors.baseline_squared})
      require_state(number >= 0 && std::isfinite(number), "a number about the target is negative or not finite");
    require_state(std::isfinite(scale.mean) && std::isfinite(median), "the target's mean is not finite");
  }
};

}  // namespace wmsketch
