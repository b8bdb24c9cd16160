// How far to step on example t.
#pragma once

#include <cmath>
#include <cstdint>

namespace wmsketch {

// optimal: eta0 / (1 + eta0 * l2 * t), the paper's. constant: eta0. invsqrt: eta0 / sqrt(t + 1).
enum class Schedule : std::uint8_t { optimal, constant, invsqrt };

struct StepRule {
  Schedule schedule = Schedule::optimal;
  double eta0 = 0.1;
  double l2 = 1e-6;

  double rate(std::uint64_t t) const {
    switch (schedule) {
      case Schedule::optimal:
        return eta0 / (1.0 + eta0 * l2 * static_cast<double>(t));
      case Schedule::invsqrt:
        return eta0 / std::sqrt(static_cast<double>(t) + 1.0);
      case Schedule::constant:
        break;
    }
    return eta0;
  }
};

// Steps for each feature by itself: AdaGrad with a prior, but never slower than the plain rule. AdaGrad alone stops
// learning about frequent features, and loses where the stream moves on; the plain rate as a floor keeps it awake.
struct AdaptiveStep {
  // Speeds in units of eta0; found on eight data sets: text, addresses, exercises of pupils, payments.
  static constexpr double kSpeed = 5, kTailSpeed = 3.5, kPriorCount = 10;

  float gradient;                     // of the loss in the margin, times the example's weight
  float rate;                         // of the plain rule: no feature steps more slowly
  float speed;                        // of AdaGrad
  float tail_speed;                   // of features without squares of their own
  float prior;                        // kPriorCount squared gradients of the stream's mean size
  float per_scale;                    // one over the lazy scale: steps are real, weights are raw
  std::uint32_t seed_low, seed_high;  // of this example's random roundings

  float rate_for(float squares) const { return rate_with_prior(squares + prior); }
  float rate_with_prior(float squares) const { return not_below_plain(speed / std::sqrt(squares)); }
  // The cells share one sum: the mean of what fell into them.
  float tail_step(float mean_squares) const {
    return -not_below_plain(tail_speed / std::sqrt(mean_squares + prior)) * gradient * per_scale;
  }
  float not_below_plain(float own) const { return own > rate ? own : rate; }
};

}  // namespace wmsketch
