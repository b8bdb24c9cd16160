// Forgetting: after one half-life, in examples or in seconds, everything learned before counts half.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/sparse_row.hpp"
#include "wmsketch/rule/loss.hpp"

namespace wmsketch {

inline constexpr double kNothingLeft = 1e-30;  // lower limit of a fading scale, which must stay above zero

struct HalfLife {
  double examples = 0, seconds = 0;  // 0: no forgetting

  // The fraction of the past that remains after one example.
  double kept_by_example() const { return kept(1, examples); }
  // The same for the squared gradients of adaptive steps. On a drifting stream they must fade faster than the weights,
  // or the steps would become too small. Half-lives from 100 to 3000 examples work about equally well
  // (experiments/what_to_forget.py).
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

// The time of the latest example of a stream. It never runs backwards: a late example counts as current. One example
// far in the future may have a wrong date, so its time is adopted only if the next example is as far ahead.
struct Clock {
  static constexpr double kNone = -std::numeric_limits<double>::infinity();
  static constexpr double kFarHalfLives = 1000, kFarSeconds = 365.25 * 86400;  // a jump is far if it exceeds both
  // Times are in seconds. A larger number is probably a time in milliseconds (after 1973).
  static constexpr double kMostSeconds = 1e11;

  double time = kNone;   // kNone before the first example
  double ahead = kNone;  // time of the previous example, if it was far ahead

  // Advances the clock and returns the elapsed time.
  double pass(double next, double half_life) {
    const double now = time, passed = next - now;
    if (!(next > now)) {
      ahead = kNone;
      return 0;
    }
    const double far = std::max(kFarSeconds, kFarHalfLives * half_life);
    if (std::isfinite(now) && passed > far && !(std::isfinite(ahead) && std::abs(next - ahead) <= far)) {
      ahead = next;
      return 0;
    }
    ahead = kNone;
    time = next;
    return std::isfinite(now) ? passed : 0;
  }
  // For merging, which first brings both sides to the later time. Returns the elapsed time.
  double pass_to(double later) {
    const double now = time;
    ahead = kNone;
    time = std::max(time, later);
    return std::isfinite(now) && later > now ? later - now : 0;
  }
  void archive(Archive& archive, const std::string& name) {
    archive.value(name, time);
    archive.value(name + "_ahead", ahead);
  }
  void check() const {
    require_state(time < std::numeric_limits<double>::infinity(), "the time of the latest example is not a time");
    require_state(ahead < std::numeric_limits<double>::infinity(), "the time of a far example is not a time");
  }
};

// How many examples still count. Without a half-life, these are the counts of Progress.
struct Recent {
  double examples = 0, positive = 0;
  Clock clock;

  void fade(double kept) {
    examples *= kept;
    positive *= kept;
  }
  void count(bool is_positive) {
    examples += 1;
    positive += is_positive;
  }
  void count_all(std::uint64_t n_seen, std::uint64_t n_positive) {  // without forgetting
    examples = static_cast<double>(n_seen);
    positive = static_cast<double>(n_positive);
  }
  // Adds what the other side has seen since the base. Both clocks must agree. `n_seen` is the merged count, an upper
  // limit: it may have saturated.
  void merge(const Recent& other, const Recent& base, std::uint64_t n_seen) {
    examples = std::min(examples + std::max(other.examples - base.examples, 0.0), static_cast<double>(n_seen));
    positive = std::min(positive + std::max(other.positive - base.positive, 0.0), examples);
  }
  void archive(Archive& archive) {
    archive.value("recent_examples", examples);
    archive.value("recent_positive", positive);
    clock.archive(archive, "time");
  }
  void check(std::uint64_t n_seen) const {
    require_state(examples <= static_cast<double>(n_seen), "more recent examples than examples");
    require_state(positive >= 0 && positive <= examples, "the recent positives are negative or too many");
    clock.check();
  }
};

}  // namespace wmsketch
