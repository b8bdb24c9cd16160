// Calibration: the probability of a prediction is sigmoid(scale * margin).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/rule/loss.hpp"

namespace wmsketch {

// Weights that have seen few examples, or that share a cell, are too small, and so are their margins. On a drifting
// stream, weights of common features are too large. One scale corrects this on average. It is Platt scaling without an
// intercept, so it never changes the sign of a prediction. The scale takes Newton steps on the log loss of each row
// before the row is learned. Gradients use unscaled margins. If the scale is above 1, steps are larger (step.hpp).
struct Calibration {
  static constexpr double kPrior = 30;                                // information of the prior, a scale of 1
  static constexpr std::uint64_t kFirstRows = 10;                     // their margins carry no information yet
  static constexpr double kLeast = 0.1, kMost = 10, kFurthest = 0.1;  // limits of the scale, and of one step
  static constexpr double kFarMargin = 20;                            // larger margins count as this one

  double scale = 1;
  double information = 0;

  // `p` is the probability predicted for the row: sigmoid(scale * margin).
  void learn(double margin, double p, bool positive, double weight) {
    const double m = std::clamp(margin, -kFarMargin, kFarMargin);
    information += weight * p * (1 - p) * m * m;
    const double step = weight * ((positive ? 1 : 0) - p) * m / (information + kPrior);
    scale = std::clamp(scale + std::clamp(step, -kFurthest, kFurthest), kLeast, kMost);
  }
  void fade(double kept) { information *= kept; }
  // Adds what the other side learned since `base`, from which both started.
  void merge(const Calibration& other, const Calibration& base) {
    const double all = std::max(information + other.information - base.information, 0.0);
    const double sum = information * scale + other.information * other.scale - base.information * base.scale;
    if (all > 0) scale = std::clamp(sum / all, kLeast, kMost);
    information = all;
  }
  void archive(Archive& archive) {
    archive.value("calibration_scale", scale);
    archive.value("calibration_information", information);
  }
  void check() const {
    require_state(scale >= kLeast && scale <= kMost, "the scale of probabilities is out of its range");
    require_state(information >= 0 && std::isfinite(information),
                  "the information of calibration is negative or not finite");
  }
};

}  // namespace wmsketch
