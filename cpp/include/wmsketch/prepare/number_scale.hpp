// Mean and standard deviation of a column of numbers, updated value by value (Welford).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace wmsketch {

struct NumberScale {
  double count = 0, mean = 0, squares = 0;  // squares: the sum of squared distances from the mean

  void add(double value) {
    count += 1;
    const double distance = value - mean;
    mean += distance / count;
    squares += distance * (value - mean);
  }

  // As if the other's values had been added here.
  void add(const NumberScale& other) {
    if (other.count == 0) return;
    const double share = other.count / (count + other.count);
    const double distance = other.mean - mean;
    squares += other.squares + distance * distance * (count * share);
    mean += distance * share;
    count += other.count;
  }

  // Of the values that were added since it was `base`.
  NumberScale since(const NumberScale& base) const {
    NumberScale rest{std::max(count - base.count, 0.0)};
    if (!(rest.count > 0)) return {};
    rest.mean = mean + (mean - base.mean) * (base.count / rest.count);
    const double distance = rest.mean - base.mean;
    rest.squares = std::max(squares - base.squares - distance * distance * (base.count * rest.count / count), 0.0);
    return rest;
  }

  // Earlier values count less from now on.
  void fade(double kept) {
    count *= kept;
    squares *= kept;
  }

  double deviation() const { return count > 0 ? std::sqrt(squares / count) : 0; }

  // The value in standard deviations from the mean; 0 where there is no deviation yet. A column that has only ever been
  // 1 marks presence, like a word of a text, and stays 1.
  float scaled(double value) const {
    if (!(squares > 0)) return mean == 1 && value == 1 ? 1.0f : 0.0f;
    constexpr double kMost = 1e15;  // the largest value that a learner takes
    const double spread = deviation();
    return spread > 0 ? static_cast<float>(std::clamp((value - mean) / spread, -kMost, kMost)) : 0.0f;
  }
};

}  // namespace wmsketch
