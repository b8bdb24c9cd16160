// Copying, saving and loading the state of a learner.
#include <algorithm>
#include <cmath>
#include <limits>

#include "wmsketch/rule/online_linear.hpp"

namespace wmsketch {

void OnlineLinear::take_over(const OnlineLinear& other) {
  store_ = other.store_->copy();
  take_all_but_weights(other);
}

void OnlineLinear::take(const Learner& other) {
  const auto& given = dynamic_cast<const OnlineLinear&>(other);
  store_->take(*given.store_);
  take_all_but_weights(given);
}

void OnlineLinear::take_all_but_weights(const OnlineLinear& other) {
  state_ = other.state_;
  stepper_ = other.stepper_;
  outcomes_ = other.outcomes_;
  target_ = other.target_;
  extreme_ = other.extreme_;
  weighted_ = other.weighted_;
  streaming_ = other.streaming_;
}

void OnlineLinear::edit_names(const std::function<void(std::span<char>)>& edit) {
  if (NameArena* names = store_->name_arena()) names->edit(edit);
}

void OnlineLinear::archive(Archive& archive) {
  archive.value("scale", state_.scale);
  archive.value("threshold", state_.threshold);
  archive.value("bias", state_.bias);
  Progress& progress = state_.progress;
  state_.recent.archive(archive);
  archive.value("n_seen", progress.n_seen);
  archive.value("n_positive", progress.n_positive);
  archive.value("features_seen", progress.features_seen);
  archive.value("mistakes", progress.mistakes);
  progress.log_loss.archive(archive, "log_loss");
  outcomes_.archive(archive);
  archive.value("extreme", extreme_);
  archive.value("weighted", weighted_);
  if (target() != nullptr) target_.archive(archive);
  stepper_.archive(archive);
  store_->archive(archive);
  if (!archive.loading()) return;
  streaming_ = false;
  state_.recent.check(progress.n_seen);
  outcomes_.check(progress.n_seen);
  stepper_.check();
  target_.check();
  require_state(state_.scale > 0 && state_.scale <= 2, "the scale is not in (0, 2]");
  require_state(state_.threshold >= 0 && std::isfinite(state_.threshold), "the threshold is negative or not finite");
  require_state(std::isfinite(state_.bias), "the bias is not finite");
  require_state(std::isfinite(progress.log_loss.value()), "the sum of log losses is not finite");
  require_state(progress.n_positive <= progress.n_seen && progress.mistakes <= progress.n_seen,
                "more positives or mistakes than examples");
}

}  // namespace wmsketch
