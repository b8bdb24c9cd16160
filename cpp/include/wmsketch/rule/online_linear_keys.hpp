// Learning rows of one feature of value 1, fast. The end of online_linear.hpp.
#pragma once

#include <algorithm>
#include <cmath>

#include "wmsketch/rule/online_linear.hpp"

namespace wmsketch {

// A row at a time is a long chain: its key's place, its margin, an exponential, two divisions. Rows of different keys
// do not wait for each other, so a few are learned side by side, in vectors.
template <WeightStore Store>
void OnlineLinear<Store>::learn_keys(std::span<const Key> keys, std::span<const std::int8_t> labels,
                                     const NameSource* names) {
  const bool plain = config_.loss == Loss::logistic && !config_.balanced && config_.l1 == 0 && config_.radius == 0 &&
                     config_.half_life.examples == 0 && config_.half_life.seconds == 0 && !config_.fit_intercept &&
                     state_.bias == 0 && store_.has_places();
  KeyBlock block;
  for (std::size_t first = 0; first < keys.size(); first += KeyBlock::kMost) {
    const std::size_t n = std::min(KeyBlock::kMost, keys.size() - first);
    const SparseRow rows{keys.data() + first, &kOne, n, names, first};
    if (plain) plan(rows, labels.data() + first, block);
    if (!plain || block.scale[n] < kSmallestScale) {  // the scale is folded on the way
      for (std::size_t r = first; r < first + n; ++r)
        learn_one({&keys[r], &kOne, 1, names, r}, labels[r], 1.0, thread_scratch());
    } else {
      learn_block(rows, block);
    }
  }
}

// What does not depend on the weights; also for a few rows more, so that the last ones need no loop of their own.
template <WeightStore Store>
void OnlineLinear<Store>::plan(const SparseRow& rows, const std::int8_t* labels, KeyBlock& block) const {
  store_.find_homes(rows.keys, rows.size, block.homes);
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

// `learn_one` of kRowsAtOnce rows, of which those before the first that meets the weight of another are kept.
template <WeightStore Store>
[[gnu::flatten]] void OnlineLinear<Store>::learn_block(const SparseRow& rows, const KeyBlock& block) {
  const LogisticRows given{block.label.data(), block.weight.data(), block.rate.data(), block.scale.data()};
  State state = state_;
  typename Store::Place place[kRowsAtOnce];
  double tau[kRowsAtOnce], e[kRowsAtOnce];
  float raw_margin[kRowsAtOnce], raw_step[kRowsAtOnce];
  for (std::size_t first = 0; first < rows.size;) {
    for (std::size_t l = 0; l < kRowsAtOnce; ++l) {
      place[l] = store_.place_of(block.homes, first + l);
      raw_margin[l] = 0.0f + place[l].raw * place[l].sign;
    }
    kernels().step_logistic(given, first, {raw_margin, tau, e, raw_step});
    const std::size_t most = std::min(kRowsAtOnce, rows.size - first);
    bool entered = false;
    std::size_t l = 0;
    do {
      const std::size_t r = first + l;
      const bool positive = block.label[r] > 0;
      count_one(state.progress.n_positive, positive);
      count_one(state.progress.mistakes,
                positive ? tau[l] < 0 : tau[l] <= 0);  // a margin of 0 is a guess that it is positive
      state.progress.log_loss.linear += 0.5 * (std::abs(tau[l]) - tau[l]);  // max(-tau, 0)
      state.progress.log_loss.multiply(1.0 + e[l]);
      outcomes_.add(block.label[r] * tau[l], positive, (positive == (tau[l] >= 0) ? 1.0 : e[l]) / (1.0 + e[l]));
      entered = !store_.step(place[l], raw_step[l]);
      if (entered) enter({rows.keys + r, &kOne, 1, rows.names, rows.first + r}, raw_step[l]);
    } while (++l < most && !entered && !Store::meets_earlier(place, l));
    first += l;
  }
  state.scale = block.scale[rows.size];
  state.progress.n_seen = add_saturating(state.progress.n_seen, rows.size);
  state.progress.features_seen = add_saturating(state.progress.features_seen, rows.size);
  state.recent.count_all(state.progress.n_seen, state.progress.n_positive);
  state_ = state;
}

template <WeightStore Store>
void OnlineLinear<Store>::enter(const SparseRow& x, float raw_step) {
  Scratch& scratch = thread_scratch();
  store_.dot(x, 0.0f, scratch);
  store_.add(x, raw_step, scratch);
}

}  // namespace wmsketch
