// THE update rule, written once, over any weight store.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "wmsketch/learner.hpp"
#include "wmsketch/random.hpp"

namespace wmsketch {

inline Scratch& thread_scratch() {
  thread_local Scratch scratch;
  return scratch;
}

template <WeightStore Store>
class OnlineLinear final : public Learner {
 public:
  OnlineLinear(const StoreConfig& store, const LearnerConfig& config) : config_(config), store_(store) {}

  void learn(const RowBatch& batch) override {
    Scratch& scratch = thread_scratch();
    for (std::size_t r = 0; r < batch.size(); ++r) {
      const double weight = batch.weights.empty() ? 1.0 : batch.weights[r];
      const double offset = batch.offsets.empty() ? 0.0 : batch.offsets[r];
      learn_one(batch.row(r), batch.labels[r], weight, scratch, {offset, batch.part_of, batch.distinct});
    }
  }

  // Rows of one feature each, of value 1: to the same bits as `learn`, several times as fast.
  void learn_keys(std::span<const Key> keys, std::span<const std::int8_t> labels, const NameSource* names);
  std::uint32_t slot_of(Key key) const { return store_.slot_of(key); }

  void margins(const RowBatch& batch, std::span<double> out) const override {
    Scratch& scratch = thread_scratch();
    for (std::size_t r = 0; r < batch.size(); ++r)
      out[r] = margin(batch.distinct ? batch.row(r) : unique(batch.row(r), scratch), scratch);
  }

  void check(const RowBatch& batch, bool for_learning) const override;
  double weight(Key key) const override { return state_.scale * soften(store_.raw(key), threshold()); }
  double deviation(Key key) const override { return state_.scale * raw_deviation(key, store_.noise(true)); }
  std::vector<HeavyFeature> top(std::size_t k) const override;
  double largest_missed(std::size_t k) const override;
  bool keeps_keys() const override {
    return requires(const Store& s) { s.for_each_heavy([](const HeavyKey&) {}); };
  }
  bool keeps_names() const override {
    if constexpr (requires { store_.names().entries(); }) return store_.names().entries() > 0;
    return true;
  }
  double bias() const override { return state_.bias; }
  const Progress& progress() const override { return state_.progress; }
  std::size_t names_shortened() const override;

  // Store, and the numbers beside it that change with the stream.
  std::size_t nbytes() const override { return store_.nbytes() + kStateBytes; }
  static std::size_t bytes_for(const StoreConfig& store) { return Store::bytes_for(store) + kStateBytes; }
  std::size_t paper_bytes() const override { return store_.paper_bytes(); }
  std::uint32_t hash(std::uint32_t row, Key key) const override;
  std::uint64_t random_state() const override;
  void merge(const Learner& other, double my_examples, double their_examples) override;
  void edit_names(const std::function<void(std::span<char>)>& edit) override {
    if constexpr (requires { store_.names().edit(edit); }) store_.names().edit(edit);
  }
  void archive(Archive& archive) override;
  std::unique_ptr<Learner> copy() const override { return std::make_unique<OnlineLinear>(*this); }

 private:
  struct State {
    double scale = 1;      // weights are scale * (raw softened by threshold): L2 and L1 for all of them at once
    double threshold = 0;  // raw
    double bias = 0;
    Progress progress;
  };
  // What adaptive steps know of the stream as a whole.
  struct Squares {
    double features = 0, bias = 0;  // sums of squared gradients
    std::uint64_t n_values = 0;     // that were not zero: a feature of value 0 is as good as absent
  };
  struct Nothing {};
  static constexpr bool kAdaptive = TakesAdaptiveSteps<Store>;
  static constexpr std::size_t kStateBytes = sizeof(State) + (kAdaptive ? sizeof(Squares) : 0);
  // Fold early: cells are float32, and a tiny scale would push them out of their range.
  static constexpr double kSmallestScale = 1e-6;
  static constexpr float kOne = 1.0f;

  static constexpr double kDeviations = 1.959963984540054;  // 95 % of a normal distribution

  // Of a key's raw weight from the unlimited learner's, where the cells have this noise.
  double raw_deviation(Key key, double noise) const {
    if constexpr (kAdaptive && requires { store_.deviation(key, noise, 0.0); }) {
      const auto n_values = static_cast<double>(std::max<std::uint64_t>(squares_.n_values, 1));
      return store_.deviation(key, noise, AdaptiveStep::kPriorCount * squares_.features / n_values);
    } else if constexpr (requires { store_.deviation(key, noise); }) {
      return store_.deviation(key, noise);
    } else {
      return noise;
    }
  }

  float threshold() const { return static_cast<float>(state_.threshold); }

  static SparseRow unique(const SparseRow& row, Scratch& scratch) {
    if constexpr (Store::kNeedsUniqueKeys) return scratch.without_repeats(row);
    return row;
  }

  double margin(const SparseRow& x, Scratch& scratch) const {
    return state_.scale * store_.dot(x, threshold(), scratch) + state_.bias;
  }

  // What a larger model adds to a row; see RowBatch.
  struct Around {
    double offset = 0;
    const PartOf* part_of = nullptr;
    bool distinct = false;
  };

  void learn_one(const SparseRow& row, int label, double weight, Scratch& scratch, const Around& around = {}) {
    if (weight == 0.0) return;  // as if the row were not there
    const SparseRow x = around.distinct ? row : unique(row, scratch);
    const double before = margin(x, scratch) + around.offset;
    const double tau = label * before, e = exp_same_everywhere(-std::abs(tau));
    const double rate = config_.step.rate(around.part_of ? around.part_of->examples_before : state_.progress.n_seen);
    const double decay = rate * (around.part_of ? around.part_of->share : 1.0);
    count(row, label, before);
    state_.progress.log_loss.add(tau, e);
    const double gradient = label * slope_of(config_.loss, tau, e) * weight * class_weight(label);
    state_.scale *= 1.0 - decay * config_.step.l2;
    if (config_.l1 > 0) state_.threshold += decay * config_.l1 / state_.scale;
    if constexpr (kAdaptive) {
      step_adaptively(x, gradient, rate, scratch);
    } else {
      store_.add(x, static_cast<float>(-rate * gradient / state_.scale), scratch);
      if (config_.fit_intercept) state_.bias -= rate * gradient;
    }
    end_example();
  }

  void step_adaptively(const SparseRow& x, double gradient, double rate, Scratch& scratch) {
    constexpr double kAboveZero = 1e-12;  // so that a stream of zeros divides by something
    const Progress& progress = state_.progress;
    // divided before the gradient is known, so that the divisions need not wait for it
    for (std::size_t i = 0; i < x.size; ++i) squares_.n_values += x.values[i] != 0.0f;
    const double per_feature =
        AdaptiveStep::kPriorCount / static_cast<double>(std::max<std::uint64_t>(squares_.n_values, 1));
    const double per_example = AdaptiveStep::kPriorCount / static_cast<double>(progress.n_seen);
    squares_.features += gradient * gradient * kernels().dot(x.values, x.values, x.size);
    squares_.bias += gradient * gradient;
    const std::uint64_t seeds = Random(progress.n_seen ^ (config_.rounding_seed << 32)).next();
    const AdaptiveStep step{static_cast<float>(gradient),
                            static_cast<float>(rate),
                            static_cast<float>(AdaptiveStep::kSpeed * config_.step.eta0),
                            static_cast<float>(AdaptiveStep::kTailSpeed * config_.step.eta0),
                            static_cast<float>(squares_.features * per_feature + kAboveZero),
                            static_cast<float>(1 / state_.scale),
                            static_cast<std::uint32_t>(seeds),
                            static_cast<std::uint32_t>(seeds >> 32)};
    if (config_.fit_intercept) {
      const double with_prior = squares_.bias + squares_.bias * per_example + kAboveZero;
      state_.bias -= step.rate_with_prior(static_cast<float>(with_prior)) * gradient;
    }
    store_.add(x, step, scratch);
  }

  void count(const SparseRow& row, int label, double before) {
    Progress& progress = state_.progress;
    ++progress.n_seen;
    progress.n_positive += label > 0;
    progress.features_seen += row.size;
    progress.mistakes += (before >= 0) != (label > 0);
  }

  double class_weight(int label) const {
    if (!config_.balanced) return label > 0 ? config_.positive_weight : config_.negative_weight;
    const auto seen = static_cast<double>(state_.progress.n_seen);
    const auto positive = static_cast<double>(state_.progress.n_positive);
    return seen / (2.0 * (label > 0 ? positive : seen - positive));
  }

  // Only here may cells be rewritten: between `dot` and `add` the scratch remembers what stood in them.
  void end_example() {
    if constexpr (requires { store_.squared_norm(); }) {
      const double norm = state_.scale * std::sqrt(std::max(store_.squared_norm(), 0.0));
      if (config_.radius > 0 && norm > config_.radius) state_.scale *= config_.radius / norm;
    }
    if (state_.scale < kSmallestScale) fold_scale();
    if constexpr (requires { store_.end_example(1.0); }) store_.end_example(state_.scale);
  }

  [[gnu::noinline]] void learn_rows_of_one(std::span<const Key> keys, std::span<const std::int8_t> labels,
                                           const NameSource* names);
  [[gnu::noinline]] void enter(const SparseRow& x, float raw_step);

  [[gnu::noinline]] void fold_scale() {
    const auto factor = static_cast<float>(state_.scale);
    store_.multiply(factor);
    state_.threshold *= factor;
    state_.scale /= factor;  // 1 but for the rounding to float32
  }

  LearnerConfig config_;
  Store store_;
  State state_;
  [[no_unique_address]] std::conditional_t<kAdaptive, Squares, Nothing> squares_;
};

// `learn_one` with all that stays the same taken out of the loop, and no branch on what cannot be predicted.
template <WeightStore Store>
[[gnu::flatten]] void OnlineLinear<Store>::learn_keys(std::span<const Key> keys, std::span<const std::int8_t> labels,
                                                      const NameSource* names) {
  const bool plain = config_.loss == Loss::logistic && !config_.balanced && config_.l1 == 0 && config_.radius == 0;
  if (!plain || !store_.has_places()) return learn_rows_of_one(keys, labels, names);
  constexpr std::size_t kAhead = 8, kBlock = 256;
  std::array<std::uint32_t, kBlock> hash;
  State state = state_;
  for (std::size_t r = 0; r < keys.size(); ++r) {
    const std::size_t at = r % kBlock, n = std::min(kBlock, keys.size() - (r - at));
    if (at == 0) store_.hasher().hash_all(0, keys.data() + r, n, hash.data());
    for (std::size_t i = at == 0 ? 0 : at + kAhead; i < std::min(n, at + kAhead + 1); ++i) store_.prefetch(hash[i]);
    const auto place = store_.place_of(keys[r], hash[at]);
    const bool positive = labels[r] > 0;
    const double before = state.scale * (0.0f + place.raw * place.sign) + state.bias;
    const double tau = positive ? before : -before, e = exp_same_everywhere(-std::abs(tau));
    const double rate = config_.step.rate(state.progress.n_seen);
    ++state.progress.n_seen;
    state.progress.n_positive += positive;
    state.progress.mistakes += (before >= 0) != positive;
    state.progress.log_loss.linear += 0.5 * (std::abs(tau) - tau);  // max(-tau, 0)
    state.progress.log_loss.multiply(1.0 + e);
    const auto right = -static_cast<std::uint64_t>(tau >= 0);
    const auto share = std::bit_cast<double>((std::bit_cast<std::uint64_t>(e) & right) |
                                             (std::bit_cast<std::uint64_t>(1.0) & ~right));  // tau >= 0 ? e : 1
    const double size = rate * (share / (1.0 + e) * (positive ? config_.positive_weight : config_.negative_weight));
    const double step = positive ? size : -size;
    state.scale *= 1.0 - rate * config_.step.l2;
    if (config_.fit_intercept) state.bias += step;
    const auto raw_step = static_cast<float>(step / state.scale);
    if (!store_.step(place, raw_step)) enter({&keys[r], &kOne, 1, names, r}, raw_step);
    if (state.scale < kSmallestScale) {
      state_.scale = state.scale;
      fold_scale();
      state.scale = state_.scale;
    }
  }
  state.progress.features_seen += keys.size();
  state_ = state;
}

template <WeightStore Store>
void OnlineLinear<Store>::learn_rows_of_one(std::span<const Key> keys, std::span<const std::int8_t> labels,
                                            const NameSource* names) {
  Scratch& scratch = thread_scratch();
  for (std::size_t r = 0; r < keys.size(); ++r) learn_one({&keys[r], &kOne, 1, names, r}, labels[r], 1.0, scratch);
}

template <WeightStore Store>
void OnlineLinear<Store>::enter(const SparseRow& x, float raw_step) {
  Scratch& scratch = thread_scratch();
  store_.dot(x, 0.0f, scratch);
  store_.add(x, raw_step, scratch);
}

template <WeightStore Store>
void OnlineLinear<Store>::check(const RowBatch& batch, bool for_learning) const {
  const auto of_row = [&](std::size_t r, const std::string& problem) { throw BadRow(r, problem); };
  if (!kernels().all_finite(batch.values.data(), batch.values.size())) {
    for (std::size_t r = 0; r < batch.size(); ++r) {
      const SparseRow row = batch.row(r);
      for (std::size_t i = 0; i < row.size; ++i) {
        if (std::isfinite(row.values[i])) continue;
        const std::string name = row.name(i);
        of_row(r, "the value of feature " + (name.empty() ? std::to_string(row.keys[i]) : "'" + name + "'") +
                      " must be finite (not NaN or infinity), got " + (std::isnan(row.values[i]) ? "nan" : "inf"));
      }
    }
  }
  if constexpr (requires { store_.n_features(); }) {
    const bool inside = batch.key_limit <= store_.n_features() || batch.keys.empty() ||
                        kernels().largest(batch.keys.data(), batch.keys.size()) < store_.n_features();
    for (std::size_t r = 0; !inside && r < batch.size(); ++r) {
      const SparseRow row = batch.row(r);
      for (std::size_t i = 0; i < row.size; ++i)
        if (row.keys[i] >= store_.n_features())
          of_row(r, "feature " + std::to_string(row.keys[i]) +
                        " is outside n_features=" + std::to_string(store_.n_features()));
    }
  }
  if (!for_learning) return;
  for (std::size_t r = 0; r < batch.labels.size(); ++r)
    if (batch.labels[r] != 1 && batch.labels[r] != -1) of_row(r, "the label must be -1 or +1");
  for (std::size_t r = 0; r < batch.weights.size(); ++r)
    if (!(batch.weights[r] >= 0) || !std::isfinite(batch.weights[r]))
      of_row(r, "the example's weight must be finite and not negative, got " + std::to_string(batch.weights[r]));
}

template <WeightStore Store>
std::vector<HeavyFeature> OnlineLinear<Store>::top(std::size_t k) const {
  std::vector<HeavyFeature> rows;
  if constexpr (requires { store_.for_each_heavy([](const HeavyKey&) {}); }) {
    std::vector<HeavyKey> heavy;
    store_.for_each_heavy([&](const HeavyKey& one) { heavy.push_back(one); });
    const auto heavier = [](const HeavyKey& a, const HeavyKey& b) {
      return std::abs(a.raw) > std::abs(b.raw) || (std::abs(a.raw) == std::abs(b.raw) && a.key < b.key);
    };
    k = std::min(k, heavy.size());
    std::partial_sort(heavy.begin(), heavy.begin() + static_cast<std::ptrdiff_t>(k), heavy.end(), heavier);
    const double noise = store_.noise(true);
    for (std::size_t i = 0; i < k; ++i) {
      const double spread = kDeviations * state_.scale * raw_deviation(heavy[i].key, noise);
      const double weight = state_.scale * soften(heavy[i].raw, threshold());
      HeavyFeature row{heavy[i].key, weight, weight - spread, weight + spread, {}, false};
      if constexpr (requires { store_.names().shortened(0u); }) {
        if (store_.names().entries() > 0) {
          row.name = store_.names().get(heavy[i].slot);
          row.shortened = store_.names().shortened(heavy[i].slot);
        }
      } else if constexpr (requires { store_.names(); }) {
        if (!store_.names().empty()) row.name = store_.names()[heavy[i].slot];
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

template <WeightStore Store>
double OnlineLinear<Store>::largest_missed(std::size_t k) const {
  const double noise = store_.noise(true);
  double most = std::isnan(noise) ? noise : 0.0;
  if constexpr (requires { store_.largest_cell(); })
    most = state_.scale * (soften(store_.largest_cell(), threshold()) + kDeviations * noise);
  const std::vector<HeavyFeature> listed = top(k + 1);
  if (listed.size() > k) most = std::max({most, std::abs(listed[k].low), std::abs(listed[k].high)});
  return most;
}

template <WeightStore Store>
std::size_t OnlineLinear<Store>::names_shortened() const {
  if constexpr (requires { store_.names().n_shortened(); }) return store_.names().n_shortened();
  return 0;
}

template <WeightStore Store>
std::uint32_t OnlineLinear<Store>::hash(std::uint32_t row, Key key) const {
  if constexpr (requires { store_.hasher(); }) {
    if (row < store_.hasher().depth()) return store_.hasher().hash(row, key);
    throw std::out_of_range("the sketch has no such row");
  } else {
    throw std::invalid_argument("this learner does not hash its keys");
  }
}

template <WeightStore Store>
std::uint64_t OnlineLinear<Store>::random_state() const {
  if constexpr (requires { store_.random_state(); }) return store_.random_state();
  return 0;
}

// The lazy state is averaged as it stands, threshold included: for L1 that is what one run over both streams would have
// summed up, at the scale of the average. Softening first would let weights in again that both sides hold at zero.
template <WeightStore Store>
void OnlineLinear<Store>::merge(const Learner& other, double my_examples, double their_examples) {
  const auto* same = dynamic_cast<const OnlineLinear*>(&other);
  if (same == nullptr) throw std::invalid_argument("cannot merge: the weights are kept in different kinds of stores");
  if (same == this) return merge(*copy(), my_examples, their_examples);
  const State theirs = same->state_;
  if (theirs.progress.n_seen == 0) return;
  if (state_.progress.n_seen == 0) {
    store_ = same->store_;
    state_ = theirs;
    squares_ = same->squares_;
    return;
  }
  const double all = my_examples + their_examples;
  const double my_share = my_examples / all, their_share = their_examples / all;
  const MergeShares shares{my_share * state_.scale, their_share * theirs.scale};
  store_.merge(same->store_, shares);
  state_.threshold = shares.mine * state_.threshold + shares.theirs * theirs.threshold;
  state_.bias = my_share * state_.bias + their_share * theirs.bias;
  state_.scale = 1;
  state_.progress.merge(theirs.progress);
  if constexpr (kAdaptive) {
    squares_.features += same->squares_.features;
    squares_.bias += same->squares_.bias;
    squares_.n_values += same->squares_.n_values;
  }
}

template <WeightStore Store>
void OnlineLinear<Store>::archive(Archive& archive) {
  archive.value("scale", state_.scale);
  archive.value("threshold", state_.threshold);
  archive.value("bias", state_.bias);
  Progress& progress = state_.progress;
  archive.value("n_seen", progress.n_seen);
  archive.value("n_positive", progress.n_positive);
  archive.value("features_seen", progress.features_seen);
  archive.value("mistakes", progress.mistakes);
  archive.value("log_loss_linear", progress.log_loss.linear);
  archive.value("log_loss_product", progress.log_loss.product);
  archive.value("log_loss_log2_scale", progress.log_loss.log2_scale);
  if constexpr (kAdaptive) {
    archive.value("squares_of_features", squares_.features);
    archive.value("squares_of_bias", squares_.bias);
    archive.value("squares_n_values", squares_.n_values);
  }
  store_.archive(archive);
  if (!archive.loading()) return;
  if constexpr (kAdaptive)
    require_state(squares_.features >= 0 && squares_.bias >= 0 && std::isfinite(squares_.features + squares_.bias),
                  "a sum of squared gradients is negative or not finite");
  require_state(state_.scale > 0 && state_.scale <= 2, "the scale is not in (0, 2]");
  require_state(state_.threshold >= 0 && std::isfinite(state_.threshold), "the threshold is negative or not finite");
  require_state(std::isfinite(state_.bias), "the bias is not finite");
  require_state(std::isfinite(progress.log_loss.value()), "the sum of losses is not finite");
  require_state(progress.n_positive <= progress.n_seen && progress.mistakes <= progress.n_seen,
                "more positives or mistakes than examples");
}

}  // namespace wmsketch
