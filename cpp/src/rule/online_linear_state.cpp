// What becomes of a learner's state: merging, saving, loading.
#include <algorithm>
#include <cmath>
#include <limits>

#include "wmsketch/rule/online_linear.hpp"

namespace wmsketch {

// The lazy state is averaged as it stands, threshold included: for L1 that is what one run over both streams would have
// summed up, at the scale of the average. Softening first would let weights in again that both sides hold at zero.
void OnlineLinear::merge(const Learner& other, const Examples& examples) {
  const auto* same = dynamic_cast<const OnlineLinear*>(&other);
  if (same == nullptr) throw std::invalid_argument("cannot merge: the learners differ in kind");
  if (same == this) return merge(*copy(), examples);
  const State theirs = same->state_;
  if (theirs.progress.n_seen == 0) return;
  if (state_.progress.n_seen == 0) {
    store_ = same->store_->copy();
    state_ = theirs;
    stepper_ = same->stepper_;
    outcomes_ = same->outcomes_;
    extreme_ = same->extreme_;
    weighted_ = same->weighted_;
    return;
  }
  if (theirs.recent.clock.time < state_.recent.clock.time) {
    OnlineLinear later(*same);
    later.fade_after(later.state_.recent.clock.pass_to(state_.recent.clock.time));
    return merge(later, examples);
  }
  fade_after(state_.recent.clock.pass_to(theirs.recent.clock.time));
  const auto [my_count, their_count] = examples.value_or(std::pair(state_.recent.examples, theirs.recent.examples));
  const double total = std::max(my_count + their_count, std::numeric_limits<double>::min());
  const double my_share = my_count / total, their_share = their_count / total;
  const MergeShares shares{.mine = my_share * state_.scale,
                           .theirs = their_share * theirs.scale,
                           .my_squares = stepper_.squares_scale(),
                           .their_squares = same->stepper_.squares_scale()};
  store_->merge(*same->store_, shares);
  state_.threshold = shares.mine * state_.threshold + shares.theirs * theirs.threshold;
  state_.bias = my_share * state_.bias + their_share * theirs.bias;
  state_.scale = 1;
  state_.progress.merge(theirs.progress);
  outcomes_.merge(same->outcomes_);
  extreme_ |= same->extreme_;
  weighted_ |= same->weighted_;
  streaming_ = false;
  state_.recent.merge(theirs.recent, state_.progress.n_seen);
  stepper_.merge(same->stepper_);
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
  archive.optional("extreme", extreme_, std::uint8_t{0});
  archive.optional("weighted", weighted_, std::uint8_t{0});
  stepper_.archive(archive);
  store_->archive(archive);
  if (!archive.loading()) return;
  streaming_ = false;
  state_.recent.check(progress.n_seen);
  outcomes_.check(progress.n_seen);
  stepper_.check();
  require_state(state_.scale > 0 && state_.scale <= 2, "the scale is not in (0, 2]");
  require_state(state_.threshold >= 0 && std::isfinite(state_.threshold), "the threshold is negative or not finite");
  require_state(std::isfinite(state_.bias), "the bias is not finite");
  require_state(std::isfinite(progress.log_loss.value()), "the sum of losses is not finite");
  require_state(progress.n_positive <= progress.n_seen && progress.mistakes <= progress.n_seen,
                "more positives or mistakes than examples");
}

}  // namespace wmsketch
