// Queries: which rows a learner rejects, its heaviest features, and the errors of weights.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "wmsketch/data/normal.hpp"
#include "wmsketch/rule/online_linear.hpp"

namespace wmsketch {
namespace {

float squares_of(const RowBatch& batch) {
  if (!batch.known_squares) {  // the values may have others around them, as of rows that were dropped
    const SparseRow rows = batch.all();
    batch.known_squares = kernels().dot(rows.values, rows.values, rows.size);
  }
  return *batch.known_squares;
}

}  // namespace

void OnlineLinear::check(const RowBatch& batch, bool for_learning) const {
  const auto of_row = [&](std::size_t r, const std::string& problem) { throw BadRow(r, problem); };
  if (for_learning)
    for (std::size_t r = 0; r < batch.weights.size(); ++r)
      if (!(batch.weights[r] >= 0) || !std::isfinite(batch.weights[r]))
        of_row(r, "the weight of the example must be finite and not negative, got " + std::to_string(batch.weights[r]));
  // The sum of squares is small unless a value is bad. Only then are values checked one by one.
  const double heaviest = for_learning ? heaviest_row(batch) : 1.0;
  if (!(heaviest * heaviest * squares_of(batch) < kMostValue * kMostValue)) {
    for (std::size_t r = 0; r < batch.size(); ++r) {
      const SparseRow row = batch.row(r);
      const float weight = for_learning && !batch.weights.empty() ? std::max(batch.weights[r], 1.0f) : 1.0f;
      for (std::size_t i = 0; i < row.size; ++i) {
        const float value = row.values[i];
        if (std::abs(double{value}) * weight <= kMostValue) continue;
        const std::string name = row.name(i), feature = name.empty() ? std::to_string(row.keys[i]) : "'" + name + "'";
        std::string rule = " must be finite (not NaN or infinity), got ", got = std::isnan(value) ? "nan" : "inf";
        if (std::isfinite(value)) {
          const bool by_itself = std::abs(value) > kMostValue;
          rule = std::string(by_itself ? "" : " times the example's weight") +
                 " must be between -1e15 and 1e15 (scale it), got ";
          got = short_text(value);
          if (!by_itself) got += " times " + short_text(weight);
        }
        of_row(r, "the value of feature " + feature + rule + got);
      }
    }
  }
  const std::uint64_t limit = store_->key_limit();
  const bool inside =
      batch.key_limit <= limit || batch.keys.empty() || kernels().largest(batch.keys.data(), batch.keys.size()) < limit;
  for (std::size_t r = 0; !inside && r < batch.size(); ++r) {
    const SparseRow row = batch.row(r);
    for (std::size_t i = 0; i < row.size; ++i)
      if (row.keys[i] >= limit)
        of_row(r, "feature " + std::to_string(row.keys[i]) + " is outside n_features=" + std::to_string(limit));
  }
  if (!for_learning) return;
  check_targets(batch);
  for (std::size_t r = 0; r < batch.labels.size(); ++r)
    if (batch.labels[r] != 1 && batch.labels[r] != -1) of_row(r, "the label must be -1 or +1");
  check_times(batch.times, config_.half_life, batch.size());
}

bool OnlineLinear::may_overflow(const RowBatch& batch, double importance) const {
  if (extreme_ != 0) return true;
  // Its gradient grows with the margin, so a sum of squares may overflow though no value is large. A copy of a large
  // store for each single row would take too long; there, only large values count.
  constexpr std::size_t kSmallStore = std::size_t{1} << 20;
  if (config_.loss == Loss::squared_hinge && (batch.size() > 1 || store_->nbytes() <= kSmallStore)) return true;
  if (predicts_number(config_.loss)) importance *= kMostNumberSlope;
  if (config_.balanced) importance *= kMostBalance;
  if (!config_.balanced) importance *= std::max({config_.positive_weight, config_.negative_weight, 1.0});
  constexpr double kFewSquares = 1e24;  // far below the largest sum that a float holds
  const double gradient = importance * heaviest_row(batch), step = config_.step.eta0 * gradient;
  const double squares = std::max<double>(squares_of(batch), 1.0);
  const bool far = step * step * squares < kFarFromMost * kFarFromMost && gradient * gradient * squares < kFewSquares;
  return !far;
}

// For logistic loss, the squared gradients sum to the Fisher information. This fails with a half-life, where they fade
// faster than the weight, and for weighted examples, whose gradients are larger.
double OnlineLinear::rows_error(Key key) const {
  const bool weighted = weighted_ || config_.balanced || config_.positive_weight != 1 || config_.negative_weight != 1;
  const bool forgets = config_.half_life.examples > 0 || config_.half_life.seconds > 0;
  const double information = stepper_.squares_scale() * store_->own_squares(key);
  if (!weighted && !forgets && config_.loss == Loss::logistic && information > 0)
    return kDeviations95 / std::sqrt(information);
  return std::numeric_limits<double>::quiet_NaN();
}

double OnlineLinear::raw_deviation(Key key, double noise) const {
  const double first = state_.progress.n_seen == 0 ? 0.0 : RowStep::first_step(config_.step, stepper_.stretch());
  return store_->deviation(key, noise, {state_.scale, first});
}

std::vector<HeavyFeature> OnlineLinear::top(std::size_t k) const {
  std::vector<HeavyKey> heavy = store_->heavy_keys();
  const auto heavier = [](const HeavyKey& a, const HeavyKey& b) {
    return std::abs(a.raw) > std::abs(b.raw) || (std::abs(a.raw) == std::abs(b.raw) && a.key < b.key);
  };
  k = std::min(k, heavy.size());
  std::partial_sort(heavy.begin(), heavy.begin() + static_cast<std::ptrdiff_t>(k), heavy.end(), heavier);
  const double noise = store_->noise();
  std::vector<HeavyFeature> rows;
  for (std::size_t i = 0; i < k; ++i) {
    const double spread = kDeviations95 * weight_unit() * state_.scale * raw_deviation(heavy[i].key, noise);
    const double weight = weight_unit() * state_.scale * soften(heavy[i].raw, threshold());
    auto [name, shortened] = store_->name_of(heavy[i].slot);
    rows.push_back({heavy[i].key, weight, weight - spread, weight + spread, std::move(name), shortened});
  }
  return rows;
}

double OnlineLinear::largest_missed(std::size_t k) const {
  const double noise = store_->noise();
  double most = std::isnan(noise) ? noise : 0.0;
  if (const std::optional<float> largest = store_->largest_cell())
    most = weight_unit() * state_.scale * (soften(*largest, threshold()) + kDeviations95 * noise);
  const std::vector<HeavyFeature> listed = top(k + 1);
  if (listed.size() > k) most = std::max({most, std::abs(listed[k].low), std::abs(listed[k].high)});
  return most;
}

std::size_t OnlineLinear::names_shortened() const {
  const NameArena* names = store().name_arena();
  return names == nullptr ? 0 : names->n_shortened();
}

std::uint32_t OnlineLinear::hash(std::uint32_t row, Key key) const {
  const Hasher* hasher = store_->hasher();
  if (hasher == nullptr) throw std::invalid_argument("this learner does not hash its keys");
  if (row < hasher->depth()) return hasher->hash(row, key);
  throw std::out_of_range("row must be below the depth " + std::to_string(hasher->depth()) + ", got " +
                          std::to_string(row));
}

}  // namespace wmsketch
