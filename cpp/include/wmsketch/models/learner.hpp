// A learner as the outside sees it, whichever store it learns into.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/error.hpp"
#include "wmsketch/data/saturating.hpp"
#include "wmsketch/data/sparse_row.hpp"
#include "wmsketch/rule/forgetting.hpp"
#include "wmsketch/rule/loss.hpp"
#include "wmsketch/rule/outcomes.hpp"
#include "wmsketch/rule/step.hpp"
#include "wmsketch/stores/store.hpp"

namespace wmsketch {

struct LearnerConfig {
  Loss loss = Loss::logistic;
  StepRule step;
  double l1 = 0;
  HalfLife half_life;
  bool fit_intercept = true;
  bool balanced = false;                            // class weights from the counts so far
  double negative_weight = 1, positive_weight = 1;  // else these
  std::uint64_t rounding_seed = 0;                  // of adaptive steps, whose numbers have few bits
  double radius = 0;                                // project onto the l2 ball of this radius; 0: do not
  bool reports = true;                              // keeps the log loss, and how predictions went with labels
};

// What a learner knows of its stream. Plain numbers, so that they are saved as they are.
struct Progress {
  std::uint64_t n_seen = 0;  // examples with a weight above zero
  std::uint64_t n_positive = 0;
  std::uint64_t features_seen = 0;
  std::uint64_t mistakes = 0;  // of the prediction made before learning
  LogLossSum log_loss;

  // What the other has seen since the base, which may be new.
  void merge(const Progress& other, const Progress& base) {
    add_since(n_seen, other.n_seen, base.n_seen);
    add_since(n_positive, other.n_positive, base.n_positive);
    add_since(features_seen, other.features_seen, base.features_seen);
    add_since(mistakes, other.mistakes, base.mistakes);
    log_loss.merge(other.log_loss, base.log_loss);
  }
};

struct HeavyFeature {
  Key key;
  double weight, low, high;  // 95 % range of the unlimited learner's weight
  std::string name;          // empty for an integer feature
  bool shortened;            // the name was cut to fit into the budget
};

template <class Number>
std::string short_text(Number value) {  // the shortest that reads back
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

inline void check_times(std::span<const double> times, const HalfLife& half_life, std::size_t n_rows) {
  if (times.empty() && n_rows > 0 && half_life.seconds > 0)
    throw parameter_error("half_life", "is a time, so every example needs one: give {time} or {times}");
  if (!times.empty() && half_life.seconds == 0)
    throw parameter_error("times", "need a {half_life} that is a time, like {=10min}");
  for (std::size_t r = 0; r < times.size(); ++r)
    if (!(std::abs(times[r]) <= Clock::kMostSeconds))
      throw BadRow(r, std::isfinite(times[r]) ? "the time must be in seconds, between -1e11 and 1e11, got " +
                                                    short_text(times[r]) + " (is it in milliseconds?)"
                                              : "the time must be finite, got " + std::to_string(times[r]));
}

class Learner {
 public:
  virtual ~Learner() = default;

  // Throws BadRow if any row could not be learned. `learn` trusts its batch, so that nothing is ever learned in part.
  virtual void check(const RowBatch& batch, bool for_learning) const = 0;
  // Numbers so large that they leave their range throw BadRow too: the model is then that of the rows before. This says
  // whether that may happen, so that a caller can keep a copy. Each row may weigh `importance` times its weight.
  virtual bool may_overflow(const RowBatch& batch, double importance = 1) const = 0;
  virtual void learn(const RowBatch& batch) = 0;
  // Of rows in general; of one row by itself (`streamed`) after another was learned by itself, as the stream's next.
  virtual void margins(const RowBatch& batch, std::span<double> out) const = 0;

  virtual double weight(Key key) const = 0;
  virtual double deviation(Key key) const = 0;  // of `weight` from the unlimited learner's
  // What the number of rows leaves open of a weight, at 95 %, were it the only one; NaN: not known.
  virtual double rows_error(Key key) const = 0;
  virtual std::vector<HeavyFeature> top(std::size_t k) const = 0;  // heaviest first
  // The most that any one feature beyond `top(k)` weighs in the unlimited learner, at 95 %; NaN: not known.
  virtual double largest_missed(std::size_t k) const = 0;
  virtual bool keeps_keys() const = 0;     // false: `top` cannot answer
  virtual bool keeps_names() const = 0;    // false: features must be integers
  virtual double bias() const = 0;         // of rows in general: predictions of the next row of a stream may shift it
  virtual double next_shift() const = 0;   // by how much, after a row that was learned by itself
  virtual double calibration() const = 0;  // the probability of a margin is sigmoid(calibration * margin)
  virtual const Outcomes& outcomes() const = 0;
  virtual const Progress& progress() const = 0;
  virtual std::size_t names_shortened() const = 0;

  virtual std::size_t nbytes() const = 0;
  virtual std::size_t paper_bytes() const = 0;
  virtual std::uint32_t hash(std::uint32_t row, Key key) const = 0;
  virtual std::uint64_t random_state() const = 0;

  // What this one and others of its configuration learned becomes one model; see MergePlan. With a `base`, which all
  // went out from, what it knew counts once. Two may change places, to the same bits.
  struct Merging {
    std::vector<const Learner*> others;
    const Learner* base = nullptr;
    std::vector<double> examples = {};  // of this one, the others and the base; none: their own counts
  };
  void merge(const Learner& other) { merge(Merging{{&other}}); }
  virtual void merge(const Merging& merging) = 0;
  // Becomes another of its configuration but for the sizes, in its own size.
  virtual void take(const Learner& other) = 0;
  // The feature's values x are from now on given as x' = x / factor - shift / factor: its weight follows, and what
  // that leaves over goes to the intercept, or to the feature `constant`. Where a weight has no place of its own it
  // stays as it is.
  virtual void rescale(Key key, double factor, double shift, std::optional<Key> constant = {}) = 0;
  // For a larger model, which knows when its examples begin: so much is left of what was learned, and of its squares.
  virtual void fade(double kept, double squares_kept) = 0;
  virtual void edit_names(const std::function<void(std::span<char>)>& edit) = 0;  // in place, one after the other
  virtual void archive(Archive& archive) = 0;
  virtual std::unique_ptr<Learner> copy() const = 0;
};

// exact_set: the paper's heap in place of cache lines, for wm and awm. config.step says what a slot must hold.
std::unique_ptr<Learner> make_learner(StoreKind kind, bool exact_set, const StoreConfig& store,
                                      const LearnerConfig& config);

// Throws std::invalid_argument with the parameter's name where make_learner would.
void check_config(StoreKind kind, bool exact_set, const StoreConfig& store, const LearnerConfig& config);

// True bytes of such a learner before it has seen anything; the unconstrained map alone grows beyond it.
std::size_t nbytes_of(StoreKind kind, bool exact_set, const StoreConfig& store, const StepRule& step);

}  // namespace wmsketch
