// Losses of classes as functions of tau = label * margin: the slope for learning, and the logistic loss for reports.
// Those of numbers are in target.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "wmsketch/data/archive.hpp"

namespace wmsketch {

enum class Loss : std::uint8_t { logistic, smoothed_hinge, squared_hinge, squared, absolute, poisson };
inline constexpr const char* kLossNames[] = {"logistic", "smoothed_hinge", "squared_hinge",
                                             "squared",  "absolute",       "poisson"};
inline bool predicts_number(Loss loss) { return loss >= Loss::squared; }  // and not a class

// exp without the C library, whose last bit differs between machines. The same input must give the same bytes
// everywhere. Relative error below 1e-11. `x` is a number between -700 and 700, or several in a vector.
template <class Bits, class Number>
[[gnu::always_inline]] inline Number exp_within_limits(Number x) {
  constexpr double kRound = 0x1.8p52;  // adding and subtracting it rounds to an integer
  const Number rounded = x * 0x1.71547652b82fep0 + kRound, k = rounded - kRound;
  const Number r = (x - k * 0x1.62e42fefap-1) - k * 0x1.cf79abc9e3b3ap-40;  // ln 2 in two parts
  const Number r2 = r * r, r4 = r2 * r2;
  const Number low = (1.0 + r) + r2 * (1.0 / 2 + r * (1.0 / 6));
  const Number middle = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040));
  const Number high = 1.0 / 40320 + r * (1.0 / 362880);
  const Bits power = (std::bit_cast<Bits>(rounded) + 1023) << 52;  // the lowest bits of `rounded` are those of k
  return (low + r4 * (middle + r4 * high)) * std::bit_cast<Number>(power);
}
[[gnu::always_inline]] inline double exp_same_everywhere(double x) {
  return exp_within_limits<std::uint64_t>(std::clamp(x, -700.0, 700.0));
}

// The natural logarithm of a normal number above 0, without the C library for the same reason. Absolute error below
// 1e-12.
inline double log_same_everywhere(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023);
  double m = std::bit_cast<double>((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);  // in [1, 2)
  if (m > 0x1.6a09e667f3bcdp0) {  // sqrt(2): the series converges fast near 1
    m *= 0.5;
    exponent += 1.0;
  }
  const double s = (m - 1.0) / (m + 1.0), s2 = s * s;
  const double tail = 1.0 / 9 + s2 * (1.0 / 11 + s2 * (1.0 / 13 + s2 * (1.0 / 15)));
  const double sum = 1.0 + s2 * (1.0 / 3 + s2 * (1.0 / 5 + s2 * (1.0 / 7 + s2 * tail)));
  return exponent * 0x1.62e42fefa39efp-1 + 2.0 * s * sum;  // log m = 2 atanh s
}

// condition ? yes : no without a branch, for conditions that the CPU cannot predict.
[[gnu::always_inline]] inline double choose(bool condition, double yes, double no) {
  const std::uint64_t mask = -static_cast<std::uint64_t>(condition);
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(yes) & mask) | (std::bit_cast<std::uint64_t>(no) & ~mask));
}

// The sigmoid of a margin, given e = exp(-|margin|).
[[gnu::always_inline]] inline double sigmoid_of(double margin, double e) {
  return choose(margin >= 0, 1.0, e) / (1.0 + e);
}
inline double sigmoid(double margin) { return sigmoid_of(margin, exp_same_everywhere(-std::abs(margin))); }

// d loss / d tau, given e = exp(-|tau|), which the log loss needs too.
[[gnu::always_inline]] inline double slope_of(Loss loss, double tau, double e) {
  switch (loss) {
    case Loss::logistic:
      return -(tau >= 0 ? e : 1.0) / (1.0 + e);  // a branch, so that the step need not wait for tau
    case Loss::smoothed_hinge:
      return tau >= 1 ? 0.0 : std::max(tau - 1.0, -1.0);
    default:
      break;
  }
  return std::min(tau - 1.0, 0.0);
}

// Two margins at once, each to the bits of one by itself: their exponentials and divisions in one go.
typedef double TwoDoubles __attribute__((vector_size(16)));
struct LogisticParts {
  TwoDoubles e;      // exp(-|x|)
  TwoDoubles ratio;  // 1 / (1 + exp(x)): the logistic slope of x, negated, and the sigmoid of -x
};
[[gnu::always_inline]] inline LogisticParts logistic_parts(TwoDoubles x) {
  typedef std::uint64_t TwoBits __attribute__((vector_size(16)));
  const TwoDoubles least{-700, -700}, ones{1, 1}, negative = x < -x ? x : -x;
  const TwoDoubles e = exp_within_limits<TwoBits>(negative > least ? negative : least);
  return {e, (x >= 0.0 ? e : ones) / (1.0 + e)};
}

// The sum of log(1 + exp(-tau)) over a stream, at the cost of one multiplication per example. It stores the product and
// takes the logarithm only when the sum is read.
struct LogLossSum {
  double linear = 0;      // sum of max(-tau, 0)
  double product = 1;     // of 1 + exp(-|tau|), kept in [1, 2^512)
  double log2_scale = 0;  // log2 of the factors removed from the product

  void add(double tau, double e) {          // e = exp(-|tau|)
    linear += 0.5 * (std::abs(tau) - tau);  // max(-tau, 0) without a branch
    multiply(1.0 + e);
  }
  void merge(const LogLossSum& other, const LogLossSum& base) {  // adds the other's sum since the base
    linear = linear + other.linear - base.linear;  // this order makes the merge commutative to the last bit
    log2_scale += other.log2_scale - base.log2_scale;
    product *= other.product;
    product /= base.product;
    multiply(1.0);
    if (product < 1) {
      product *= 0x1p512;
      log2_scale -= 512;
    }
  }
  void multiply(double factor) {  // the factor must be below 2^512, like the product
    product *= factor;
    if (product >= 0x1p512) {
      product *= 0x1p-512;
      log2_scale += 512;
    }
  }
  void archive(Archive& archive, const std::string& prefix) {
    archive.value(prefix + "_linear", linear);
    archive.value(prefix + "_product", product);
    archive.value(prefix + "_log2_scale", log2_scale);
  }
  double value() const { return linear + std::log(product) + log2_scale * 0x1.62e42fefa39efp-1; }
};

}  // namespace wmsketch
