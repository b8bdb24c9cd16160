// Fast learning of rows with one feature of value 1: logistic loss with plain steps, for several rows in parallel. A
// test checks that it gives the same bits as `learn`.
#include <algorithm>
#include <cmath>

#include "wmsketch/rule/online_linear.hpp"

namespace wmsketch {

struct OnlineLinear::KeyBlock {
  KeyRows rows;
  std::array<double, KeyRows::kPadded> label, weight, rate;
  std::array<double, KeyRows::kPadded + 1> scale;  // before each row, then after the last
  std::array<double, KeyRows::kPadded> tau, e;     // of each row when it was learned
};

// One row is a long chain of dependent operations: the place of its key, its margin, an exponential, two divisions.
// Rows of different keys are independent, so several are learned in parallel, in vectors.
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
    } else {  // the scale would be folded within the block, or the fast path does not apply
      for (std::size_t r = first; r < first + n; ++r)
        learn_one({&keys[r], &kOne, 1, names, r}, labels[r], 1.0, thread_scratch(), {});
    }
  }
}

// Computes everything that does not depend on the weights. A few padding rows make an extra loop for the last rows
// unnecessary.
void OnlineLinear::plan(const SparseRow& rows, const std::int8_t* labels, KeyBlock& block) const {
  const std::size_t padded = rows.size + kRowsAtOnce - 1;
  for (std::size_t r = 0; r < rows.size; ++r) block.label[r] = labels[r];
  std::fill_n(block.label.begin() + static_cast<std::ptrdiff_t>(rows.size), kRowsAtOnce - 1, 1.0);
  for (std::size_t r = 0; r < padded; ++r)
    block.weight[r] = block.label[r] > 0 ? config_.positive_weight : config_.negative_weight;
  const StepRule step = config_.step;
  step.rates(state_.recent.examples, static_cast<int>(padded), block.rate.data());
  block.scale[0] = state_.scale;
  for (std::size_t r = 0; r < padded; ++r) block.scale[r + 1] = block.scale[r] * (1.0 - block.rate[r] * step.l2);
}

// `learn_one` for kRowsAtOnce rows at a time. If a row changes the weight of a later one, the later one is learned
// again with the next rows.
void OnlineLinear::learn_block(const SparseRow& rows, KeyBlock& block) {
  static constexpr float kOne = 1.0f;
  const LogisticRows given{block.label.data(), block.weight.data(), block.rate.data(), block.scale.data()};
  KeyRows& at = block.rows;
  for (std::size_t first = 0; first < rows.size;) {
    store_->read_rows(at, first);
    kernels().step_logistic(given, first,
                            {at.raw_margin, block.tau.data() + first, block.e.data() + first, at.raw_step});
    bool enters = false;
    const std::size_t done = store_->step_rows(at, first, std::min(kRowsAtOnce, rows.size - first), enters);
    first += done;
    const std::size_t last = first - 1;
    if (enters) enter({rows.keys + last, &kOne, 1, rows.names, rows.first + last}, at.raw_step[done - 1]);
  }
  state_.scale = block.scale[rows.size];
  report(block, rows.size);
}

// Updates the reports, after all rows are learned: this does not depend on the weights.
void OnlineLinear::report(const KeyBlock& block, std::size_t n) {
  std::array<double, KeyRows::kMost> margin;
  for (std::size_t r = 0; r < n; ++r) margin[r] = block.label[r] * block.tau[r];
  Progress& progress = state_.progress;
  std::size_t n_positive = 0, mistakes = 0;
  for (std::size_t r = 0; r < n; ++r) {
    const bool positive = block.label[r] > 0;
    n_positive += positive;
    mistakes += positive != (margin[r] >= 0);
  }
  if (config_.reports) {
    std::array<double, KeyRows::kMost> probability;
    for (std::size_t r = 0; r < n; ++r) probability[r] = sigmoid_of(margin[r], block.e[r]);
    LogLossSum log_loss = progress.log_loss;
    for (std::size_t r = 0; r < n; ++r) {
      log_loss.add(block.tau[r], block.e[r]);
      outcomes_.add(margin[r], block.label[r] > 0, probability[r]);
    }
    progress.log_loss = log_loss;
  }
  progress.n_positive = add_saturating(progress.n_positive, n_positive);
  progress.mistakes = add_saturating(progress.mistakes, mistakes);
  progress.n_seen = add_saturating(progress.n_seen, n);
  progress.features_seen = add_saturating(progress.features_seen, n);
  state_.recent.count_all(progress.n_seen, progress.n_positive);
}

[[gnu::noinline]] void OnlineLinear::enter(const SparseRow& x, float raw_step) {
  Scratch& scratch = thread_scratch();
  store_->dot(x, 0.0f, scratch);
  store_->add(x, {.gradient = -raw_step}, scratch);
}

}  // namespace wmsketch
