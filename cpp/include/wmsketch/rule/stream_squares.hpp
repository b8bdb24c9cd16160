// The squared gradients of a stream as a whole, by which adaptive steps find their size.
#pragma once

#include <algorithm>
#include <cmath>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/rule/calibration.hpp"
#include "wmsketch/rule/forgetting.hpp"
#include "wmsketch/simd/kernels.hpp"

namespace wmsketch {

// The steps of the intercept, which has two parts. The first settles: weights are learned with it, and rows in general
// are predicted with it. The second is a shift that follows the base rate of the last rows, for the next row of the
// stream; it fades from row to row. Its step size grows while successive gradients agree, because the base rate then
// moves, and shrinks while they cancel. So one rule serves streams with and without drift.
struct InterceptStep {
  static constexpr double kGain = 0.02, kMemory = 0.8, kSlowest = 0.01, kFastest = 10;  // of the shift
  static constexpr double kShiftKept = 0.98;
  // The first part takes Newton steps, with a prior of ten examples at even odds. Its step size never falls below this,
  // in units of eta0, so that it keeps learning.
  static constexpr double kPrior = 2.5, kLeast = 0.02;

  double speed = 1;   // of the shift, in units of eta0
  double recent = 0;  // gradients, faded by kMemory an example
  double shift = 0;
  double information = 0;  // the sum of squared gradients of the intercept that settles

  // The step size of the settling intercept for an example of this weight.
  double settle(double gradient, double weight, double eta0) {
    if (weight > 0) information += weight == 1 ? gradient * gradient : gradient * gradient / weight;
    return std::max(1 / (information + kPrior), kLeast * eta0);
  }
  // The same for a loss whose curvature is not its squared gradient.
  double settle_by(double curvature, double eta0) {
    information += curvature;
    return std::max(1 / (information + kPrior), kLeast * eta0);
  }
  // A gradient changes only the speed of the next step. So this step need not wait for it.
  [[gnu::always_inline]] void follow(double gradient, double per_mean_square, double eta0, double most) {
    shift = kShiftKept * (shift - std::min(eta0 * speed, most) * gradient);
    const double agreement = kGain * gradient * (recent * per_mean_square);
    speed = std::clamp(speed * std::clamp(1 + agreement, 2.0 / 3, 1.5), kSlowest, kFastest);
    recent = kMemory * recent + (1 - kMemory) * gradient;
  }
  void fade(double kept) {
    shift *= kept;
    information *= kept;
  }
  // A merge drops the shift, because two streams have no common next row. `examples` are the counts of this side, the
  // other side, and the base from which both started, which counts once.
  struct Examples {
    double mine, other, base;
  };
  void merge(const InterceptStep& other, const InterceptStep& base, const Examples& examples) {
    const double all = examples.mine + examples.other - examples.base;
    const double sum = examples.mine * speed + examples.other * other.speed - examples.base * base.speed;
    if (all > 0) speed = std::clamp(sum / all, kSlowest, kFastest);
    recent = shift = 0;
    information = std::max(information + other.information - base.information, 0.0);
  }
  void archive(Archive& archive) {
    archive.value("intercept_speed", speed);
    archive.value("intercept_recent", recent);
    archive.value("intercept_shift", shift);
    archive.value("intercept_information", information);
  }
  void check() const {
    require_state(speed >= kSlowest && speed <= kFastest, "the intercept's step size is out of its range");
    require_state(std::isfinite(recent), "the intercept's recent gradient is not finite");
    require_state(std::isfinite(shift), "the intercept's shift is not finite");
    require_state(information >= 0 && std::isfinite(information), "the intercept's information is negative");
  }
};

// Reciprocals of means over the stream, which adaptive steps need.
struct StreamMeans {
  double per_value, per_square_of_features, per_square_of_bias, per_squared_length;
};

// The sums behind these means.
struct Squares {
  static constexpr double kAboveZero = 1e-24;  // avoids a division by 0 in a stream of zeros
  static constexpr double kLonger = 1.01;      // tolerance: rounding may make a row seem longer than the mean

  double of_features = 0, of_bias = 0;  // sums of squared gradients
  double examples = 0, values = 0;      // number of examples and of nonzero values
  double scale = 1;                     // the sums that a store holds are scale * raw, so that all fade at once
  InterceptStep intercept;
  Calibration calibration;

  void fade(double kept) {
    of_features *= kept;
    of_bias *= kept;
    examples *= kept;
    values *= kept;
    scale = std::max(scale * kept, kNothingLeft);
    intercept.fade(kept);
    calibration.fade(kept);
  }
  void change_unit(double ratio) {  // of gradients; the information of the intercept has no unit
    of_features *= ratio * ratio;
    of_bias *= ratio * ratio;
    scale *= ratio * ratio;
    intercept.shift *= ratio;
    intercept.recent *= ratio;
  }
  // Means over the examples before this one; only the number of values includes this one.
  StreamMeans means_with(const Energy& energy) const {
    const double features = of_features + kAboveZero, bias = of_bias + kAboveZero;
    const double with_this = std::max(values + static_cast<double>(energy.n_values), 1.0);
    const double reciprocal = 1 / (features * bias * with_this);  // one division instead of three, which are slow
    const double per_features = reciprocal * bias * with_this;
    // the mean length of rows, or the length of this one if it is longer
    const bool longer = energy.squares * bias > kLonger * features;
    return {.per_value = reciprocal * features * bias,
            .per_square_of_features = values * per_features,
            .per_square_of_bias = examples * reciprocal * features * with_this,
            .per_squared_length = longer || of_bias == 0 ? 1 / (energy.squares + kAboveZero) : bias * per_features};
  }
  void add(double squared_gradient, const Energy& energy) {
    if (energy.n_values == 0) return;  // such a row only informs about the base rate
    of_features += squared_gradient * energy.squares;
    of_bias += squared_gradient;
    examples += 1;
    values += static_cast<double>(energy.n_values);
  }
  // Adds what the other side has summed since the base. A base of zeros is allowed. The scale becomes 1.
  void merge(const Squares& other, const Squares& base) {
    // adds both sides before subtracting, so that swapping them does not change a bit
    const auto add = [](double& sum, double now, double then) { sum = std::max(sum + now - then, 0.0); };
    intercept.merge(other.intercept, base.intercept, {examples, other.examples, base.examples});
    calibration.merge(other.calibration, base.calibration);
    add(of_features, other.of_features, base.of_features);
    add(of_bias, other.of_bias, base.of_bias);
    add(examples, other.examples, base.examples);
    add(values, other.values, base.values);
    scale = 1;
  }
  void archive(Archive& archive) {
    archive.value("squares_of_features", of_features);
    archive.value("squares_of_bias", of_bias);
    archive.value("squares_examples", examples);
    archive.value("squares_values", values);
    archive.value("squares_scale", scale);
    intercept.archive(archive);
    calibration.archive(archive);
  }
  void check() const {
    for (const double sum : {of_features, of_bias, examples, values})
      require_state(sum >= 0 && std::isfinite(sum), "a sum over squared gradients is negative or not finite");
    require_state(scale > 0 && scale <= 2, "the scale of the squares is not in (0, 2]");
    intercept.check();
    calibration.check();
  }
};

}  // namespace wmsketch
