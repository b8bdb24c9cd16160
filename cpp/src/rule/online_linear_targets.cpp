// Learning to predict numbers.
#include <algorithm>
#include <cmath>
#include <vector>

#include "wmsketch/data/row_block.hpp"
#include "wmsketch/rule/online_linear.hpp"

namespace wmsketch {

void OnlineLinear::check_targets(const RowBatch& batch) const {
  for (std::size_t r = 0; r < batch.targets.size(); ++r) {
    const double target = batch.targets[r];
    if (!(std::abs(target) <= kMostTarget))
      throw BadRow(r, "the target must be a number between -1e15 and 1e15, got " + short_text(target));
    if (config_.loss == Loss::poisson && target < 0)
      throw BadRow(r, "the target must be at least 0 for poisson loss, got " + short_text(target));
  }
}

// The first rows have no scale yet, so absurd targets are recognised by the median.
void OnlineLinear::learn_targets(const RowBatch& batch, Scratch& scratch) {
  UsualRange usual;
  if (target_.scale.count == 0 && config_.loss != Loss::poisson) {
    constexpr std::size_t kFirst = 100;
    std::vector<double> first(batch.targets.begin(),
                              batch.targets.begin() + static_cast<std::ptrdiff_t>(std::min(batch.size(), kFirst)));
    usual = UsualRange::of_first(first);
  }
  for (std::size_t r = 0; r < batch.size(); ++r) {
    const double weight = batch.weights.empty() ? 1.0 : batch.weights[r];
    if (!batch.times.empty() && weight > 0) wait_until(batch.times[r]);
    try {
      const double target = batch.targets[r];
      learn_target(batch.row(r), target, target_.scale.count < NumberScale::kEnough ? usual : UsualRange{}, weight,
                   scratch, batch.distinct);
    } catch (const BadRow& bad) {
      throw BadRow(r, bad.what());
    }
  }
}

// Converts margins and weights to units that are smaller by this ratio.
void OnlineLinear::change_unit(double ratio) {
  if (ratio == 1) return;
  target_.unit = target_.unit_in_use() / ratio;
  state_.scale *= ratio;
  state_.bias *= ratio;
  fold_scale();
  stepper_.change_unit(ratio, *store_);
}

// Converts the model to the mean and unit of another target; see `merge`.
void OnlineLinear::measure_target_as(const Target& other) {
  if (config_.loss == Loss::poisson) {
    if (target_.centre() > 0 && other.centre() > 0 && config_.fit_intercept)
      state_.bias += log_same_everywhere(target_.centre()) - log_same_everywhere(other.centre());
    return;
  }
  const double apart = target_.centre() - other.centre();
  change_unit(target_.unit_in_use() / other.unit_in_use());
  if (config_.fit_intercept) state_.bias += apart / other.unit_in_use();
}

}  // namespace wmsketch
