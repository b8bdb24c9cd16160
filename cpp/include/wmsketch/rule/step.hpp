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
//
// newton: one over the sum of squares, without a lower limit. If every example has one feature, each weight is a
// separate problem, and the sum of squares is its Fisher information. The weight is then the log odds of the examples,
// with one example of each class added (the prior). With several features per example, such steps would overshoot.
enum class StepKind : std::uint8_t { plain, adaptive, newton };
inline constexpr const char* kStepNames[] = {"plain", "adaptive", "newton"};

struct StepRule {
  Schedule schedule = Schedule::optimal;
  double eta0 = 0.1;
  double l2 = 1e-6;
  StepKind kind = StepKind::plain;

  bool adaptive() const { return kind != StepKind::plain; }  // slots hold sums of squared gradients
  bool newton() const { return kind == StepKind::newton; }
  double rate(double t) const {  // t: number of examples that still count
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
  static constexpr double kSpeed = 10, kTailSpeed = 5, kPriorCount = 10, kSettledCount = 1000, kLeast = 0.2;
  static constexpr double kNewtonPrior = 0.5;  // the information of two examples at even odds
  static constexpr float kNewtonUnit = 0x1p-4f;

  float gradient = 0;                         // d loss / d margin, times the weight of the example
  float least_rate = 0;                       // lower limit of the rate; unused by newton
  float speed = 0;                            // AdaGrad's learning rate
  float tail_speed = 0;                       // the same for features that share a cell
  float prior = 0;                            // up to kPriorCount squared gradients of average size
  float mean_square = 0;                      // a squared gradient of average size
  float per_settled = 0;                      // 1 / (kSettledCount * mean_square); unused by newton
  float per_scale = 1;                        // 1 / lazy scale, converts a step to raw weights
  std::uint32_t seed_low = 0, seed_high = 0;  // for the stochastic rounding of this example
  bool newton = false;
  float per_weight = 1;  // newton: 1 / weight of the example, so that squares count the weight once

  float square_of(float feature_gradient) const { return feature_gradient * feature_gradient * per_weight; }
  float rate_for(float squares) const { return rate_at(speed, squares); }
  float tail_rate_for(float squares) const { return rate_at(tail_speed, squares); }
  float unit() const { return newton ? kNewtonUnit : mean_square; }  // unit of the sums in 16-bit cells

  // The first step of a feature, for a gradient of average size. newton: at even odds.
  static double first_step(const StepRule& rule, double stretch) {
    if (rule.newton()) return 0.5 / (0.25 + kNewtonPrior);
    return stretch * kSpeed * rule.eta0 / std::sqrt(kPriorCount * prior_left(stretch) + 1);
  }
  // The fraction of the prior that remains if margins are stretched by this factor.
  static double prior_left(double stretch) {
    return stretch == 1 ? 1 : 1 / (stretch * stretch * (stretch * stretch));  // divisions are slow
  }

 private:
  float rate_at(float full_speed, float squares) const {
    const float base = squares + prior;
    if (newton) return full_speed / base;
    const float own = full_speed / std::sqrt(base + base * base * per_settled);
    return own > least_rate ? own : least_rate;
  }
};

// What the error of a weight depends on, besides the store.
struct StepsTaken {
  bool newton = false;
  double scale = 1;  // of stored weights
  double squares_scale = 1;
  double first = 0;  // RowStep::first_step
};

}  // namespace wmsketch
