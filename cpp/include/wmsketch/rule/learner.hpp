// The interface of a learner, whatever its store.
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
#include "wmsketch/data/step.hpp"
#include "wmsketch/rule/forgetting.hpp"
#include "wmsketch/rule/loss.hpp"
#include "wmsketch/rule/outcomes.hpp"
#include "wmsketch/rule/target.hpp"
#include "wmsketch/stores/store.hpp"

namespace wmsketch {

struct LearnerConfig {
  Loss loss = Loss::logistic;
  StepRule step;
  double l1 = 0;
  HalfLife half_life;
  bool fit_intercept = true;
  bool balanced = false;                            // class weights from the class counts so far
  double negative_weight = 1, positive_weight = 1;  // class weights if not balanced
  std::uint64_t rounding_seed = 0;                  // for the stochastic rounding of adaptive steps
  double radius = 0;                                // project onto the l2 ball of this radius; 0: no projection
  bool reports = true;                              // keep the log loss and the Outcomes
};

// What a learner knows of its stream. Plain numbers, saved unchanged.
struct Progress {
  std::uint64_t n_seen = 0;  // examples with a weight above zero
  std::uint64_t n_positive = 0;
  std::uint64_t features_seen = 0;
  std::uint64_t mistakes = 0;  // wrong predictions, each made before its row was learned
  LogLossSum log_loss;

  // Adds what the other side has seen since the base.
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
  double weight, low, high;  // low, high: 95 % interval of the weight in a learner without a memory limit
  std::string name;          // empty for an integer feature
  bool shortened;            // the name was truncated to fit the budget
};

template <class Number>
std::string short_text(Number value) {  // shortest decimal that parses back to `value`
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

  // Throws BadRow if a row cannot be learned. `learn` trusts its batch. So call `check` first, and a batch is never
  // learned in part.
  virtual void check(const RowBatch& batch, bool for_learning) const = 0;
  // `learn` also throws BadRow if a number overflows; then the model has learned the rows before. This says whether
  // that can happen, so that the caller can keep a copy. Each row may count up to `importance` times its weight.
  virtual bool may_overflow(const RowBatch& batch, double importance = 1) const = 0;
  virtual void learn(const RowBatch& batch) = 0;
  // Margins of the rows, or the numbers that they predict. A single row marked `streamed` is predicted as the next row
  // of the stream, with `next_shift`.
  virtual void margins(const RowBatch& batch, std::span<double> out) const = 0;

  // For a finished model: fits intercept and calibration to the margins of rows of the whole stream, because its end
  // may differ from its average. Returns whether they changed, which they do only on clear evidence.
  virtual bool settle(std::span<const double> margins, std::span<const std::int8_t> labels,
                      std::span<const float> weights) = 0;

  virtual double weight(Key key) const = 0;
  // Standard deviation of `weight` from the weight in a learner without a memory limit.
  virtual double deviation(Key key) const = 0;
  // Half-width of the 95 % interval of a weight due to the finite number of rows, if it were the only feature. NaN:
  // unknown.
  virtual double rows_error(Key key) const = 0;
  virtual std::vector<HeavyFeature> top(std::size_t k) const = 0;  // heaviest first
  // Upper limit (95 %) on the |weight| of any feature outside `top(k)` in a learner without a memory limit. NaN:
  // unknown.
  virtual double largest_missed(std::size_t k) const = 0;
  virtual std::size_t owned_cells() const = 0;  // features that have a cell of their own; those of `top` have slots
  virtual bool keeps_keys() const = 0;          // false: `top` is unavailable
  virtual bool keeps_names() const = 0;         // false: features must be integers
  virtual double bias() const = 0;              // for rows in general
  virtual double next_shift() const = 0;        // added to the bias for the next row of the stream
  virtual double calibration() const = 0;       // the probability of a margin is sigmoid(calibration * margin)
  virtual const Outcomes& outcomes() const = 0;
  virtual const Target* target() const = 0;  // what is predicted, if it is a number; otherwise null
  virtual const Progress& progress() const = 0;
  virtual std::size_t names_shortened() const = 0;

  virtual std::size_t nbytes() const = 0;
  virtual std::size_t paper_bytes() const = 0;
  virtual std::uint32_t hash(std::uint32_t row, Key key) const = 0;
  virtual std::uint64_t random_state() const = 0;

  // Merges other learners of the same configuration into this one; see MergePlan. With a `base`, from which all
  // started, the knowledge of the base counts once. Swapping two learners does not change a bit of the result.
  struct Merging {
    std::vector<const Learner*> others;
    const Learner* base = nullptr;
    std::vector<double> examples = {};  // of this one, the others and the base; empty: their own counts
  };
  void merge(const Learner& other) { merge(Merging{{&other}}); }
  virtual void merge(const Merging& merging) = 0;
  // Becomes a copy of `other`, resized to this learner's own sizes. All other settings must agree.
  virtual void take(const Learner& other) = 0;
  // From now on the values x of a feature are given as x' = (x - shift) / factor. Adjusts its weight to match, and
  // moves the constant part to the intercept or to the feature `constant`. A weight without a slot of its own stays
  // unchanged.
  virtual void rescale(Key key, double factor, double shift, std::optional<Key> constant = {}) = 0;
  // For a larger model, which controls the forgetting: multiplies what was learned by `kept` and its squares by
  // `squares_kept`.
  virtual void fade(double kept, double squares_kept) = 0;
  virtual void edit_names(
      const std::function<void(std::span<char>)>& edit) = 0;  // calls `edit` on the bytes of each name
  virtual void archive(Archive& archive) = 0;
  virtual std::unique_ptr<Learner> copy() const = 0;
};

// exact_set: for wm and awm, the paper's heap instead of cache lines. config.step decides what a slot holds.
std::unique_ptr<Learner> make_learner(StoreKind kind, bool exact_set, const StoreConfig& store,
                                      const LearnerConfig& config);

// Throws std::invalid_argument with the name of the parameter if make_learner would.
void check_config(StoreKind kind, bool exact_set, const StoreConfig& store, const LearnerConfig& config);

// Bytes of a new learner. Only the map store grows beyond this.
std::size_t nbytes_of(StoreKind kind, bool exact_set, const StoreConfig& store, const StepRule& step);

}  // namespace wmsketch
