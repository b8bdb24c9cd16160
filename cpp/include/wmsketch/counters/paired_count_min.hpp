// Which keys differ most in frequency between streams a and b: two Count-Min sketches with the same hash functions.
// This is the paper's baseline for the differences of two streams (section 8.2).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "wmsketch/counters/count_min.hpp"
#include "wmsketch/data/error.hpp"
#include "wmsketch/data/sketch_shape.hpp"

namespace wmsketch {

class PairedCountMin {
 public:
  PairedCountMin() = default;
  // `smoothing` is added to every count. Without it, a key seen once in a and never in b would have the largest ratio.
  PairedCountMin(std::uint32_t depth, std::uint32_t width, std::uint64_t seed, double smoothing = 1.0,
                 HashFamily family = HashFamily::mixer)
      : smoothing_(smoothing), a_(depth, width, seed, family), b_(depth, width, seed, family) {
    if (!(smoothing >= 0) || std::isinf(smoothing))
      throw parameter_error("smoothing", "must be at least 0 and finite", smoothing);
  }

  double update(Key key, std::uint64_t amount_a, std::uint64_t amount_b) {  // returns the new estimate
    if (amount_a != 0) a_.update(key, amount_a);
    if (amount_b != 0) b_.update(key, amount_b);
    return estimate(key);
  }

  double estimate(Key key) const { return log_ratio(a_.estimate(key), b_.estimate(key)); }
  double log_ratio(double count_a, double count_b) const {
    const double above = count_a + smoothing_, below = count_b + smoothing_;
    return above == below ? 0.0 : std::log(above / below);  // also 0 / 0: a key seen in neither stream does not differ
  }

  struct Bounds {
    double log_ratio, low, high;
    std::uint64_t count_a, count_b;
  };
  Bounds bounds(Key key, double failure) const {  // both limits hold with probability 1 - failure
    const CountMin::Bounds a = a_.bounds(key, failure / 2), b = b_.bounds(key, failure / 2);
    const auto ratio = [&](std::uint64_t above, std::uint64_t below) {
      return log_ratio(static_cast<double>(above), static_cast<double>(below));
    };
    return {ratio(a.count, b.count), ratio(a.low, b.high), ratio(a.high, b.low), a.count, b.count};
  }

  void merge(const PairedCountMin& other) {
    require_same("smoothing", smoothing_, other.smoothing_);
    a_.merge(other.a_);  // throws before any change; b has the shape of a, so its merge cannot throw
    b_.merge(other.b_);
  }

  const CountMin& a() const { return a_; }
  const CountMin& b() const { return b_; }
  double smoothing() const { return smoothing_; }
  void archive(Archive& archive) {
    a_.archive(archive, "_a");
    b_.archive(archive, "_b");
  }
  std::size_t nbytes() const { return a_.nbytes() + b_.nbytes(); }

 private:
  double smoothing_ = 1.0;
  CountMin a_, b_;
};

}  // namespace wmsketch
