// How far to step on one example: the choice of a step rule, and the step itself as slots and cells apply it.
#pragma once

#include <cmath>
#include <cstdint>

namespace wmsketch {

// optimal: eta0 / (1 + eta0 * l2 * t), as in the paper. constant: eta0. invsqrt: eta0 / sqrt(t + 1).
enum class Schedule : std::uint8_t { optimal, constant, invsqrt };
inline constexpr const char* kScheduleNames[] = {"optimal", "constant", "invsqrt"};

// plain: one step size for all weights, given by the schedule.
//
// adaptive: a step size for each slot and each cell. It is AdaGrad with a prior. After about a thousand examples of a
// feature, the step size approaches one over their number, so that the weight converges. It never falls below a
// fraction of the plain step size, so that weights can follow a drifting stream. If Calibration finds margins too
// small, weights are too small as well; then all steps are larger and the prior is weaker.
enum class StepKind : std::uint8_t { plain, adaptive };
inline constexpr const char* kStepNames[] = {"plain", "adaptive"};

struct StepRule {
  Schedule schedule = Schedule::optimal;
  double eta0 = 0.1;
  double l2 = 1e-6;
  StepKind kind = StepKind::plain;

  bool adaptive() const { return kind == StepKind::adaptive; }  // slots hold sums of squared gradients
  double rate(double t) const {                                 // t: number of examples that still count
    switch (schedule) {
      case Schedule::optimal:
        return eta0 / (1.0 + eta0 * l2 * t);
      case Schedule::invsqrt:
        return eta0 / std::sqrt(t + 1.0);
      case Schedule::constant:
        break;
    }
    return eta0;
  }
  // The rates of `n` consecutive examples; `t` came before the first. The loop for the paper's schedule vectorises.
  void rates(double t, int n, double* out) const {
    if (schedule == Schedule::optimal)
      for (int i = 0; i < n; ++i) out[i] = eta0 / (1.0 + eta0 * l2 * (t + i));
    else
      for (int i = 0; i < n; ++i) out[i] = rate(t + i);
  }
};

// The step of one example. A plain step uses only `gradient`, which is then the step in the raw weights.
struct RowStep {
  // Speeds are in units of eta0. Tuned on nine data sets: text, addresses, exercises of pupils, payments, people.
  static constexpr double kSpeed = 10, kPriorCount = 10, kSettledCount = 1000, kLeast = 0.2;

  float gradient = 0;                         // d loss / d margin, times the weight of the example
  float least_rate = 0;                       // lower limit of the rate
  float speed = 0;                            // AdaGrad's learning rate
  float prior = 0;                            // up to kPriorCount squared gradients of average size
  float mean_square = 0;                      // a squared gradient of average size
  float per_settled = 0;                      // 1 / (kSettledCount * mean_square)
  float per_scale = 1;                        // 1 / lazy scale, converts a step to raw weights
  std::uint32_t seed_low = 0, seed_high = 0;  // for the stochastic rounding of this example

  float square_of(float feature_gradient) const { return feature_gradient * feature_gradient; }
  float rate_for(float squares) const {
    const float base = squares + prior;
    const float own = speed / std::sqrt(base + base * base * per_settled);
    return own > least_rate ? own : least_rate;
  }
  float unit() const { return mean_square; }  // of the sums in 16-bit cells

  // The first step of a feature, for a gradient of average size.
  static double first_step(const StepRule& rule, double stretch) {
    return stretch * kSpeed * rule.eta0 / std::sqrt(kPriorCount * prior_left(stretch) + 1);
  }
  // The fraction of the prior that remains if margins are stretched by this factor.
  static double prior_left(double stretch) {
    return stretch == 1 ? 1 : 1 / (stretch * stretch * (stretch * stretch));  // divisions are slow
  }
};

// What the error of a weight depends on, besides the store.
struct StepsTaken {
  double scale = 1;  // of stored weights
  double first = 0;  // RowStep::first_step
};

}  // namespace wmsketch
