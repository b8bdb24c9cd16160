// How far to step on one example: the choice of a step rule, and the step that slots and cells take.
#pragma once

#include <cmath>
#include <cstdint>

namespace wmsketch {

// optimal: eta0 / (1 + eta0 * l2 * t), the paper's. constant: eta0. invsqrt: eta0 / sqrt(t + 1).
enum class Schedule : std::uint8_t { optimal, constant, invsqrt };
inline constexpr const char* kScheduleNames[] = {"optimal", "constant", "invsqrt"};

// plain: one step size for all weights, by the schedule.
//
// adaptive: a step size for each slot and each cell. It is AdaGrad with a prior. After a thousand examples of a feature
// it approaches one over their number, because by then the weight should settle. It never falls below a share of the
// plain step size, so that weights can follow a drifting stream. Where Calibration finds margins too small, so are the
// weights: then all steps are larger, and the prior holds young weights back
// less.
//
// newton: one over the sum of squares, without a floor. Where every example has one feature, each weight is a separate
// problem, and the sum of squares is its Fisher information. The weight is then the log odds of the examples, with one
// example of each class added (the prior). With several features in an example such steps would overshoot.
enum class StepKind : std::uint8_t { plain, adaptive, newton };
inline constexpr const char* kStepNames[] = {"plain", "adaptive", "newton"};

struct StepRule {
  Schedule schedule = Schedule::optimal;
  double eta0 = 0.1;
  double l2 = 1e-6;
  StepKind kind = StepKind::plain;

  bool adaptive() const { return kind != StepKind::plain; }  // slots have sums of squared gradients
  bool newton() const { return kind == StepKind::newton; }
  double rate(double t) const {  // t: examples that still count
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
  // The rates of `n` examples in a row, `t` before the first. The paper's have a loop that vectorises.
  void rates(double t, int n, double* out) const {
    if (schedule == Schedule::optimal)
      for (int i = 0; i < n; ++i) out[i] = eta0 / (1.0 + eta0 * l2 * (t + i));
    else
      for (int i = 0; i < n; ++i) out[i] = rate(t + i);
  }
};

// The step of one example. A plain step uses only `gradient`: that of the raw weights, times the step size.
struct RowStep {
  // Speeds in units of eta0; found on nine data sets: text, addresses, exercises of pupils, payments, people.
  static constexpr double kSpeed = 10, kTailSpeed = 5, kPriorCount = 10, kSettledCount = 1000, kLeast = 0.2;
  static constexpr double kNewtonPrior = 0.5;  // the information of two examples at even odds
  static constexpr float kNewtonUnit = 0x1p-4f;

  float gradient = 0;                         // of the loss in the margin, times the example's weight
  float least_rate = 0;                       // no feature steps more slowly; newton: unused
  float speed = 0;                            // of AdaGrad
  float tail_speed = 0;                       // of features that share a cell with others
  float prior = 0;                            // kPriorCount squared gradients of the stream's mean size, or fewer
  float mean_square = 0;                      // a squared gradient of about that size
  float per_settled = 0;                      // one over kSettledCount of them; newton: unused
  float per_scale = 1;                        // one over the lazy scale: steps are real, weights are raw
  std::uint32_t seed_low = 0, seed_high = 0;  // of this example's random roundings
  bool newton = false;
  float per_weight = 1;  // newton: one over the example's weight; without it the squares would count its square

  float square_of(float feature_gradient) const { return feature_gradient * feature_gradient * per_weight; }
  float rate_for(float squares) const { return rate_at(speed, squares); }
  float tail_rate_for(float squares) const { return rate_at(tail_speed, squares); }
  float unit() const { return newton ? kNewtonUnit : mean_square; }  // for sums in cells of few bits

  // How far a feature steps when it is first seen: by a gradient of the stream's mean size; newton: at even odds.
  static double first_step(const StepRule& rule, double stretch) {
    if (rule.newton()) return 0.5 / (0.25 + kNewtonPrior);
    return stretch * kSpeed * rule.eta0 / std::sqrt(kPriorCount * prior_left(stretch) + 1);
  }
  // Of the prior, where margins are stretched by so much.
  static double prior_left(double stretch) { return 1 / (stretch * stretch * (stretch * stretch)); }

 private:
  float rate_at(float full_speed, float squares) const {
    const float base = squares + prior;
    if (newton) return full_speed / base;
    const float own = full_speed / std::sqrt(base + base * base * per_settled);
    return own > least_rate ? own : least_rate;
  }
};

// What the error of a weight depends on, beside its store.
struct StepsTaken {
  bool newton = false;
  double scale = 1;  // of raw weights
  double squares_scale = 1;
  double first = 0;  // step of a feature
};

}  // namespace wmsketch
