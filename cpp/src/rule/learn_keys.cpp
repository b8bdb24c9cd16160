// Learning rows of one feature of value 1, fast: the rule of logistic loss and plain steps for several rows side by
// side. A test holds it to the bits of `learn`.
#include <algorithm>
#include <cmath>

#include "wmsketch/rule/online_linear.hpp"

namespace wmsketch {

struct OnlineLinear::KeyBlock {
  KeyRows rows;
  std::array<double, KeyRows::kPadded> label, weight, rate;
  std::array<double, KeyRows::kPadded + 1> scale;  // before each row, and after the last
};

// A row at a time is a long chain: its key's place, its margin, an exponential, two divisions. Rows of different keys
// do not wait for each other, so a few are learned side by side, in vectors.
void OnlineLinear::learn_keys(std::span<const Key> keys, std::span<const std::int8_t> labels, const NameSource* names) {
  static constexpr float kOne = 1.0f;
  const bool fast = config_.loss == Loss::logistic && !config_.step.adaptive() && !config_.balanced &&
                    config_.l1 == 0 && config_.radius == 0 && config_.half_life.examples == 0 &&
                    config_.half_life.seconds == 0 && !config_.fit_intercept && state_.bias == 0;
  KeyBlock block;
  for (std::size_t first = 0; first < keys.size(); first += KeyRows::kMost) {
    const std::size_t n = std::min(KeyRows::kMost, keys.size() - first);
    const SparseRow rows{keys.data() + first, &kOne, n, names, first};
    const bool found = fast && store_->find_rows(rows.keys, n, block.rows);
    if (found) plan(rows, labels.data() + first, block);
    if (found && block.scale[n] >= smallest_scale_) {
      learn_block(rows, block);
    } else {  // the scale is folded on the way, or there is no fast way
      for (std::size_t r = first; r < first + n; ++r)
        learn_one({&keys[r], &kOne, 1, names, r}, labels[r], 1.0, thread_scratch(), {});
    }
  }
}

// What does not depend on the weights; also for a few rows more, so that the last ones need no loop of their own.
void OnlineLinear::plan(const SparseRow& rows, const std::int8_t* labels, KeyBlock& block) const {
  const std::size_t padded = rows.size + kRowsAtOnce - 1;
  for (std::size_t r = 0; r < rows.size; ++r) block.label[r] = labels[r];
  std::fill_n(block.label.begin() + static_cast<std::ptrdiff_t>(rows.size), kRowsAtOnce - 1, 1.0);
  for (std::size_t r = 0; r < padded; ++r)
    block.weight[r] = block.label[r] > 0 ? config_.positive_weight : config_.negative_weight;
  const StepRule step = config_.step;
  const double before = state_.recent.examples;
  for (std::size_t r = 0; r < padded; ++r) block.rate[r] = step.rate(before + static_cast<double>(r));
  block.scale[0] = state_.scale;
  for (std::size_t r = 0; r < padded; ++r) block.scale[r + 1] = block.scale[r] * (1.0 - block.rate[r] * step.l2);
}

// `learn_one` of kRowsAtOnce rows at a time. A row whose weight another row of them has stepped before is learned again
// with the next ones.
void OnlineLinear::learn_block(const SparseRow& rows, KeyBlock& block) {
  static constexpr float kOne = 1.0f;
  const LogisticRows given{block.label.data(), block.weight.data(), block.rate.data(), block.scale.data()};
  State state = state_;
  double tau[kRowsAtOnce], e[kRowsAtOnce];
  float raw_margin[kRowsAtOnce], raw_step[kRowsAtOnce];
  for (std::size_t first = 0; first < rows.size;) {
    store_->read_rows(block.rows, first);
    for (std::size_t l = 0; l < kRowsAtOnce; ++l) raw_margin[l] = 0.0f + block.rows.raw[l] * block.rows.sign[l];
    kernels().step_logistic(given, first, {raw_margin, tau, e, raw_step});
    bool enters = false;
    const std::size_t done = store_->step_rows(block.rows, raw_step, std::min(kRowsAtOnce, rows.size - first), enters);
    for (std::size_t l = 0; l < done; ++l) {
      const double label = block.label[first + l];
      const bool positive = label > 0;
      count_one(state.progress.n_positive, positive);
      count_one(state.progress.mistakes,
                positive ? tau[l] < 0 : tau[l] <= 0);  // a margin of 0 is a guess that it is positive
      state.progress.log_loss.linear += 0.5 * (std::abs(tau[l]) - tau[l]);  // max(-tau, 0)
      state.progress.log_loss.multiply(1.0 + e[l]);
      outcomes_.add(label * tau[l], positive, (positive == (tau[l] >= 0) ? 1.0 : e[l]) / (1.0 + e[l]));
    }
    first += done;
    const std::size_t last = first - 1;
    if (enters) enter({rows.keys + last, &kOne, 1, rows.names, rows.first + last}, raw_step[done - 1]);
  }
  state.scale = block.scale[rows.size];
  state.progress.n_seen = add_saturating(state.progress.n_seen, rows.size);
  state.progress.features_seen = add_saturating(state.progress.features_seen, rows.size);
  state.recent.count_all(state.progress.n_seen, state.progress.n_positive);
  state_ = state;
}

[[gnu::noinline]] void OnlineLinear::enter(const SparseRow& x, float raw_step) {
  Scratch& scratch = thread_scratch();
  store_->dot(x, 0.0f, scratch);
  store_->add(x, {.gradient = -raw_step}, scratch);
}

}  // namespace wmsketch
