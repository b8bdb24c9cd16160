// Saving and loading a learner's state. The end of online_linear.hpp.
#pragma once

#include <cmath>

#include "wmsketch/rule/online_linear.hpp"

namespace wmsketch {

template <WeightStore Store>
void OnlineLinear<Store>::archive(Archive& archive) {
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
  archive.optional("extreme", extreme_, std::uint8_t{0});
  archive.optional("weighted", weighted_, std::uint8_t{0});
  if constexpr (kAdaptive) squares_.archive(archive);
  store_.archive(archive);
  if (!archive.loading()) return;
  streaming_ = false;
  state_.recent.check(progress.n_seen);
  outcomes_.check(progress.n_seen);
  if constexpr (kAdaptive) squares_.check();
  require_state(state_.scale > 0 && state_.scale <= 2, "the scale is not in (0, 2]");
  require_state(state_.threshold >= 0 && std::isfinite(state_.threshold), "the threshold is negative or not finite");
  require_state(std::isfinite(state_.bias), "the bias is not finite");
  require_state(std::isfinite(progress.log_loss.value()), "the sum of losses is not finite");
  require_state(progress.n_positive <= progress.n_seen && progress.mistakes <= progress.n_seen,
                "more positives or mistakes than examples");
}

}  // namespace wmsketch
