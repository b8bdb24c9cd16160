// Running mean and standard deviation of a numeric column (Welford's algorithm).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace wmsketch {

struct NumberScale {
  double count = 0, mean = 0, squares = 0;  // squares: sum of squared distances from the mean

  void add(double value) {
    count += 1;
    const double distance = value - mean;
    mean += distance / count;
    squares += distance * (value - mean);
  }

  // Adds all values of the other (the pairwise update of Chan, Golub and LeVeque).
  void add(const NumberScale& other) {
    if (other.count == 0) return;
    const double share = other.count / (count + other.count);
    const double distance = other.mean - mean;
    squares += other.squares + distance * distance * (count * share);
    mean += distance * share;
    count += other.count;
  }

  // Statistics of the values added since `base`.
  NumberScale since(const NumberScale& base) const {
    NumberScale rest{std::max(count - base.count, 0.0)};
    if (!(rest.count > 0)) return {};
    rest.mean = mean + (mean - base.mean) * (base.count / rest.count);
    const double distance = rest.mean - base.mean;
    rest.squares = std::max(squares - base.squares - distance * distance * (base.count * rest.count / count), 0.0);
    return rest;
  }

  // Reduces the influence of all values so far.
  void fade(double kept) {
    count *= kept;
    squares *= kept;
  }

  double deviation() const { return count > 0 ? std::sqrt(squares / count) : 0; }

  // The value in standard deviations from the mean, or 0 if the deviation is 0. A column that was always 1 marks
  // presence, like a word of a text, and stays 1.
  float scaled(double value) const {
    if (!(squares > 0)) return mean == 1 && value == 1 ? 1.0f : 0.0f;
    constexpr double kMost = 1e15;  // the largest value that a learner takes
    const double spread = deviation();
    return spread > 0 ? static_cast<float>(std::clamp((value - mean) / spread, -kMost, kMost)) : 0.0f;
  }
};

}  // namespace wmsketch
