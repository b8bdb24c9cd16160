// Forgetting: whatever was learned counts half after a half-life, in examples or in seconds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "wmsketch/archive.hpp"
#include "wmsketch/loss.hpp"
#include "wmsketch/sparse_row.hpp"

namespace wmsketch {

inline constexpr double kNothingLeft = 1e-30;  // the least that a scale fades to: it must stay above zero

struct HalfLife {
  double examples = 0, seconds = 0;  // 0: nothing fades with them

  // What is left of the past.
  double kept_by_example() const { return kept(1, examples); }
  // Of the squared gradients that adaptive steps are made of. On a stream that moves they fade sooner than the weights,
  // or steps would be too small when it does; 100 to 3000 serve about as well (experiments/what_to_forget.py).
  double squares_kept_by_example() const {
    constexpr double kOfSquares = 1000;
    return examples > 0 || seconds > 0 ? kept(1, examples > 0 ? std::min(examples, kOfSquares) : kOfSquares) : 1.0;
  }
  double kept_after(double elapsed) const { return kept(elapsed, seconds); }

 private:
  static double kept(double age, double half_life) {
    constexpr double kLog2 = 0x1.62e42fefa39efp-1;
    return half_life > 0 ? exp_same_everywhere(-kLog2 * (age / half_life)) : 1.0;
  }
};

// How much of the stream still counts. Without a half-life it is all of it, and these are the counts of Progress.
struct Recent {
  double examples = 0, positive = 0;
  double time = -std::numeric_limits<double>::infinity();  // of the latest example, in seconds; before the first: none

  void fade(double kept) {
    examples *= kept;
    positive *= kept;
  }
  void count(bool is_positive) {
    examples += 1;
    positive += is_positive;
  }
  void count_all(std::uint64_t n_seen, std::uint64_t n_positive) {  // nothing ever fades
    examples = static_cast<double>(n_seen);
    positive = static_cast<double>(n_positive);
  }
  void merge(const Recent& other) {  // of the same time
    examples += other.examples;
    positive += other.positive;
  }
  void archive(Archive& archive) {
    archive.value("recent_examples", examples);
    archive.value("recent_positive", positive);
    archive.value("time", time);
  }
  void check(std::uint64_t n_seen) const {
    require_state(examples <= static_cast<double>(n_seen), "more recent examples than examples");
    require_state(positive >= 0 && positive <= examples, "the recent positives are negative or too many");
    require_state(time < std::numeric_limits<double>::infinity(), "the time of the latest example is not a time");
  }
};

// The step size of the intercept, in units of eta0. It grows while gradients agree with those just before them, for
// then the base rate moves, and shrinks while they undo each other: one rule for streams that drift and those that do
// not.
struct InterceptStep {
  static constexpr double kGain = 0.02, kMemory = 0.8, kSlowest = 0.01, kFastest = 10;

  double speed = 1;
  double recent = 0;  // gradients, faded by kMemory an example

  [[gnu::always_inline]] double next(double gradient, double per_mean_square) {
    const double agreement = kGain * gradient * recent * per_mean_square;
    speed = std::clamp(speed * std::clamp(1 + agreement, 2.0 / 3, 1.5), kSlowest, kFastest);
    recent = kMemory * recent + (1 - kMemory) * gradient;
    return speed;
  }
  void merge(const InterceptStep& other, double my_examples, double their_examples) {
    const double both = my_examples + their_examples;
    if (both > 0) speed = std::clamp((my_examples * speed + their_examples * other.speed) / both, kSlowest, kFastest);
    recent = 0;
  }
  void archive(Archive& archive) {
    archive.value("intercept_speed", speed);
    archive.value("intercept_recent", recent);
  }
  void check() const {
    require_state(speed >= kSlowest && speed <= kFastest, "the intercept's step size is out of its range");
    require_state(std::isfinite(recent), "the intercept's recent gradient is not finite");
  }
};

// What adaptive steps know of the stream as a whole.
struct Squares {
  double of_features = 0, of_bias = 0;  // sums of squared gradients
  double examples = 0, values = 0;      // of how many; a value of 0 is as good as absent
  double scale = 1;                     // the sums that a store holds are scale * raw, so that all fade at once
  InterceptStep intercept;

  void fade(double kept) {
    of_features *= kept;
    of_bias *= kept;
    examples *= kept;
    values *= kept;
    scale = std::max(scale * kept, kNothingLeft);
  }
  void count(std::size_t n_values) {
    examples += 1;
    values += static_cast<double>(n_values);
  }
  void merge(const Squares& other) {  // with the sums of the stores in their own units
    intercept.merge(other.intercept, examples, other.examples);
    of_features += other.of_features;
    of_bias += other.of_bias;
    examples += other.examples;
    values += other.values;
    scale = 1;
  }
  void archive(Archive& archive) {
    archive.value("squares_of_features", of_features);
    archive.value("squares_of_bias", of_bias);
    archive.value("squares_examples", examples);
    archive.value("squares_values", values);
    archive.value("squares_scale", scale);
    intercept.archive(archive);
  }
  void check() const {
    for (const double sum : {of_features, of_bias, examples, values})
      require_state(sum >= 0 && std::isfinite(sum), "a sum over squared gradients is negative or not finite");
    require_state(scale > 0 && scale <= 2, "the scale of the squares is not in (0, 2]");
    intercept.check();
  }
};

}  // namespace wmsketch
