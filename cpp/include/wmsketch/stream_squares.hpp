// The squared gradients of a stream as a whole, by which adaptive steps find their size.
#pragma once

#include <algorithm>
#include <cmath>

#include "wmsketch/archive.hpp"
#include "wmsketch/forgetting.hpp"
#include "wmsketch/kernels.hpp"

namespace wmsketch {

// The step size of the intercept, in units of eta0. It grows while gradients agree with those just before them, for
// then the base rate moves, and shrinks while they undo each other: one rule for streams that drift and those that do
// not.
struct InterceptStep {
  static constexpr double kGain = 0.02, kMemory = 0.8, kSlowest = 0.01, kFastest = 10;

  double speed = 1;
  double recent = 0;  // gradients, faded by kMemory an example

  // The speed for this gradient, which then changes that of the next: no step waits for it.
  [[gnu::always_inline]] double next(double gradient, double per_mean_square) {
    const double speed_now = speed, agreement = kGain * gradient * (recent * per_mean_square);
    speed = std::clamp(speed * std::clamp(1 + agreement, 2.0 / 3, 1.5), kSlowest, kFastest);
    recent = kMemory * recent + (1 - kMemory) * gradient;
    return speed_now;
  }
  void merge(const InterceptStep& other, double my_examples, double their_examples) {
    const double both = my_examples + their_examples;
    if (both > 0) speed = std::clamp((my_examples * speed + their_examples * other.speed) / both, kSlowest, kFastest);
    recent = 0;
  }
  void archive(Archive& archive) {
    archive.value("intercept_speed", speed);
    archive.value("intercept_recent", recent);
  }
  void check() const {
    require_state(speed >= kSlowest && speed <= kFastest, "the intercept's step size is out of its range");
    require_state(std::isfinite(recent), "the intercept's recent gradient is not finite");
  }
};

// What adaptive steps ask of the stream as a whole; each is one over a mean.
struct StreamMeans {
  double per_value, per_square_of_features, per_square_of_bias, per_squared_length;
};

// What adaptive steps know of it.
struct Squares {
  static constexpr double kAboveZero = 1e-24;  // so that a stream of zeros divides by something
  static constexpr double kLonger = 1.01;      // rows of one length are as long as their mean, but for rounding

  double of_features = 0, of_bias = 0;  // sums of squared gradients
  double examples = 0, values = 0;      // of how many; a value of 0 is as good as absent
  double scale = 1;                     // the sums that a store holds are scale * raw, so that all fade at once
  InterceptStep intercept;

  void fade(double kept) {
    of_features *= kept;
    of_bias *= kept;
    examples *= kept;
    values *= kept;
    scale = std::max(scale * kept, kNothingLeft);
  }
  // As of the examples before this one; the number of values with it.
  StreamMeans means_with(const Energy& energy) const {
    const double features = of_features + kAboveZero, bias = of_bias + kAboveZero;
    const double with_this = std::max(values + static_cast<double>(energy.n_values), 1.0);
    const double reciprocal = 1 / (features * bias * with_this);  // of all three: to divide takes long
    const double per_features = reciprocal * bias * with_this;
    // the rows' mean length, or that of this one if it is longer
    const bool longer = energy.squares * bias > kLonger * features;
    return {.per_value = reciprocal * features * bias,
            .per_square_of_features = values * per_features,
            .per_square_of_bias = examples * reciprocal * features * with_this,
            .per_squared_length = longer || of_bias == 0 ? 1 / (energy.squares + kAboveZero) : bias * per_features};
  }
  void add(double squared_gradient, const Energy& energy) {
    if (energy.n_values == 0) return;  // the base rate has no length
    of_features += squared_gradient * energy.squares;
    of_bias += squared_gradient;
    examples += 1;
    values += static_cast<double>(energy.n_values);
  }
  void merge(const Squares& other) {  // with the sums of the stores in their own units
    intercept.merge(other.intercept, examples, other.examples);
    of_features += other.of_features;
    of_bias += other.of_bias;
    examples += other.examples;
    values += other.values;
    scale = 1;
  }
  void archive(Archive& archive) {
    archive.value("squares_of_features", of_features);
    archive.value("squares_of_bias", of_bias);
    archive.value("squares_examples", examples);
    archive.value("squares_values", values);
    archive.value("squares_scale", scale);
    intercept.archive(archive);
  }
  void check() const {
    for (const double sum : {of_features, of_bias, examples, values})
      require_state(sum >= 0 && std::isfinite(sum), "a sum over squared gradients is negative or not finite");
    require_state(scale > 0 && scale <= 2, "the scale of the squares is not in (0, 2]");
    intercept.check();
  }
};

}  // namespace wmsketch
