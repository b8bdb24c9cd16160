#include "wmsketch/rule/recalibrate.hpp"

#include <algorithm>
#include <cmath>

#include "wmsketch/rule/loss.hpp"

namespace wmsketch {
namespace {

constexpr double kFarMargin = 20;  // larger margins count as this one
constexpr double kPrior = 1e-6, kFurthest = 1, kNear = 1e-9;
constexpr int kMostSteps = 50;

}  // namespace

Recalibration recalibrate(std::span<const double> margins, std::span<const std::int8_t> labels,
                          std::span<const float> weights, double scale_before, double least, double most) {
  const auto margin = [&](std::size_t i) { return std::clamp(margins[i], -kFarMargin, kFarMargin); };
  const auto weight = [&](std::size_t i) { return weights.empty() ? 1.0 : static_cast<double>(weights[i]); };
  const auto log_likelihood = [&](double scale, double shift) {
    double sum = 0;
    for (std::size_t i = 0; i < margins.size(); ++i) {
      const double tau = labels[i] * (scale * margin(i) + shift);
      sum -= weight(i) * (std::max(-tau, 0.0) + std::log1p(exp_same_everywhere(-std::abs(tau))));
    }
    return sum;
  };
  Recalibration found{0, scale_before, 0};
  for (int step = 0; step < kMostSteps; ++step) {
    double g_scale = 0, g_shift = 0, mm = kPrior, m1 = 0, one = kPrior;
    for (std::size_t i = 0; i < margins.size(); ++i) {
      const double m = margin(i), p = sigmoid(found.scale * m + found.shift);
      const double miss = weight(i) * ((labels[i] > 0 ? 1 : 0) - p), spread = weight(i) * p * (1 - p);
      g_scale += miss * m;
      g_shift += miss;
      mm += spread * m * m;
      m1 += spread * m;
      one += spread;
    }
    const double det = mm * one - m1 * m1;
    double by_scale = det > 0 ? (one * g_scale - m1 * g_shift) / det : 0;
    by_scale = std::clamp(found.scale + std::clamp(by_scale, -kFurthest, kFurthest), least, most) - found.scale;
    // the best shift for this step of the scale, which a limit may have shortened
    const double by_shift = std::clamp((g_shift - m1 * by_scale) / one, -kFurthest, kFurthest);
    found.scale += by_scale;
    found.shift += by_shift;
    if (std::abs(by_scale) + std::abs(by_shift) < kNear) break;
  }
  found.gain = log_likelihood(found.scale, found.shift) - log_likelihood(scale_before, 0);
  return found;
}

}  // namespace wmsketch
