// Running mean and standard deviation of a numeric column (Welford's algorithm), and the values that are left out of
// them because they are absurd.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace wmsketch {

struct NumberScale {
  double count = 0, mean = 0, squares = 0;  // squares: sum of squared distances from the mean

  void add(double value) {
    count += 1;
    const double distance = value - mean;
    mean += distance / count;
    squares = std::max(squares + distance * (value - mean), 0.0);  // may round below 0 if all values before have faded
  }

  // Adds all values of the other (the pairwise update of Chan, Golub and LeVeque). The one with more values takes the
  // other, so that both may be swapped to the last bit.
  void add(NumberScale other) {
    if (std::pair(other.count, other.mean) > std::pair(count, mean)) std::swap(*this, other);
    if (other.count == 0) return;
    const double share = other.count / (count + other.count);
    const double distance = other.mean - mean;
    squares = squares + other.squares + distance * distance * (count * share);
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

  // The value in standard deviations from the mean, at most kMost in size, or 0 if the deviation is 0. A column that
  // was always 1 marks presence, like a word of a text, and stays 1.
  float scaled(double value) const {
    if (!(squares > 0)) return mean == 1 && value == 1 ? 1.0f : 0.0f;
    return in_units_of(deviation(), value - mean);
  }
  // The value in units of the root mean square, without a shift: 0 stays 0, and a column of zeros and ones stays as it
  // is. For columns in which most rows have no value.
  float scaled_from_zero(double value) const { return in_units_of(root_mean_square(), value); }
  double root_mean_square() const { return count > 0 ? std::sqrt(squares / count + mean * mean) : 0; }

  // Whether a value is absurd: a wrong unit, a code for a missing value, an error of a sensor. It is left out of the
  // scale, which would otherwise be that of one value and make all others equal, and counts as missing.
  bool is_absurd(double value) const {
    const double distance = value - mean;
    return count >= kEnough && squares > 0 && distance * distance * count > kFar * kFar * squares;
  }

  static constexpr double kMost = 10;    // a larger value says no more, and must not decide a prediction alone
  static constexpr double kFar = 100;    // standard deviations from the mean, of an absurd value
  static constexpr double kEnough = 10;  // values, before a scale can tell

 private:
  static float in_units_of(double unit, double distance) {
    return unit > 0 ? static_cast<float>(std::clamp(distance / unit, -kMost, kMost)) : 0.0f;
  }
};

// The range of a column outside which a value of the first rows is absurd.
struct UsualRange {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();

  bool contains(double value) const { return value >= low && value <= high; }

  // By the median of the first values, and the median distance from it. `values` is reordered.
  static UsualRange of_first(std::vector<double>& values) {
    if (values.size() < 3) return {};
    const auto median = [&] {
      const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
      std::nth_element(values.begin(), middle, values.end());
      return *middle;
    };
    const double centre = median();
    for (double& value : values) value = std::abs(value - centre);
    const double reach = NumberScale::kFar * median();
    if (!(reach > 0)) return {};
    return {centre - reach, centre + reach};
  }
};

}  // namespace wmsketch
