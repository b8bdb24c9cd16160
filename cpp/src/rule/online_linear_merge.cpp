// Merging learners: which of them take part, and how the state outside the store is merged.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "wmsketch/rule/online_linear.hpp"

namespace wmsketch {

// The learners that have learned anything, the base last, all brought to the same time.
struct OnlineLinear::MergeSides {
  std::vector<const OnlineLinear*> learners;
  std::vector<double> examples;  // of each learner
  std::vector<std::unique_ptr<OnlineLinear>> faded;
  bool based = false;
  Target target;  // of all together

  // `mine` is a copy of `self`, which changes during the merge.
  MergeSides(const OnlineLinear& mine, const OnlineLinear& self, const Merging& merging) {
    const auto own = merging.examples.empty();
    const auto add = [&](const Learner* given, std::size_t i) {
      const auto* side = given == &self ? &mine : dynamic_cast<const OnlineLinear*>(given);
      if (side == nullptr) throw merge_error("store", "the weights are kept in different kinds of stores");
      if (side->state_.progress.n_seen == 0) return false;
      learners.push_back(side);
      examples.push_back(own ? side->state_.recent.examples : merging.examples[i]);
      return true;
    };
    add(&mine, 0);
    for (std::size_t i = 0; i < merging.others.size(); ++i) add(merging.others[i], i + 1);
    if (merging.base != nullptr) {
      const HalfLife& half_life = mine.config_.half_life;
      if (half_life.examples > 0 || half_life.seconds > 0)
        throw merge_error("base", "with a half_life it is unknown what is left of the base");
      based = add(merging.base, merging.others.size() + 1);
    }
    bring_to_one_time(own);
    if (mine.target() != nullptr && size() > 1) bring_to_one_target();
  }

  std::size_t size() const { return learners.size() - based; }  // without the base
  const OnlineLinear* base() const { return based ? learners.back() : nullptr; }

  void bring_to_one_time(bool own_examples) {
    double latest = Clock::kNone;
    for (const OnlineLinear* side : learners) latest = std::max(latest, side->state_.recent.clock.time);
    for (std::size_t i = 0; i < learners.size(); ++i) {
      if (!(learners[i]->state_.recent.clock.time < latest)) continue;
      auto older = std::make_unique<OnlineLinear>(*learners[i]);
      older->fade_after(older->state_.recent.clock.pass_to(latest));
      if (own_examples) examples[i] = older->state_.recent.examples;
      learners[i] = older.get();
      faded.push_back(std::move(older));
    }
  }

  void bring_to_one_target() {
    target = learners[0]->target_;
    for (std::size_t i = 1; i < size(); ++i) target.merge(learners[i]->target_, based ? base()->target_ : Target{});
    for (const OnlineLinear*& side : learners) {
      auto measured = std::make_unique<OnlineLinear>(*side);
      measured->measure_target_as(target);
      side = measured.get();
      faded.push_back(std::move(measured));
    }
  }
};

MergePlan OnlineLinear::merge_plan(const MergeSides& sides) {
  MergePlan plan;
  plan.based = sides.based;
  plan.adaptive = sides.learners[0]->stepper_.adaptive();
  const double before = sides.based ? sides.examples.back() : 0;
  double total = 0, features = 0, values = 0;
  const double squares_before = sides.based ? sides.base()->stepper_.squares().of_features : 0;
  const auto since = [&](std::size_t i) { return std::max(sides.examples[i] - before, 0.0); };
  for (std::size_t i = 0; i < sides.size(); ++i) total += since(i);
  for (std::size_t i = 0; i < sides.learners.size(); ++i) {
    const OnlineLinear& side = *sides.learners[i];
    plan.sides.push_back({.scale = side.state_.scale, .share = total > 0 ? since(i) / total : 1.0});
    plan.may_grow = plan.may_grow && side.state_.threshold == 0;
    const double times = sides.based && i == sides.size() ? 1.0 - static_cast<double>(sides.size()) : 1.0;
    const Squares& squares = side.stepper_.squares();
    plan.sides.back().squares_scale = squares.scale;
    if (squares_before > 0) plan.sides.back().since_base = std::max(squares.of_features / squares_before - 1, 0.0);
    features += times * squares.of_features;
    values += times * squares.values;
  }
  if (plan.adaptive) plan.prior = MergePlan::kPriorCount * std::max(features, 0.0) / std::max(values, 1.0);
  return plan;
}

// The bias is merged like a weight, with its own squares.
double OnlineLinear::merged_bias(const MergeSides& sides, MergePlan plan) {
  for (MergePlan::Side& side : plan.sides) side.scale = side.squares_scale = 1;
  plan.may_grow = true;
  if (plan.adaptive) plan.prior = InterceptStep::kPrior;
  const auto read = [&](std::size_t i) {
    const OnlineLinear& side = *sides.learners[i];
    return MergeReadingOf<double>{side.state_.bias, side.stepper_.squares().intercept.information};
  };
  return plan.merged(read).weight;
}

void OnlineLinear::rescale(Key key, double factor, double shift, std::optional<Key> constant) {
  const double before = weight(key);
  if (!store_->rescale(key, static_cast<float>(factor))) return;
  if (!constant)
    state_.bias += config_.fit_intercept ? shift * before / weight_unit() : 0;
  else
    store_->shift(*constant, static_cast<float>(shift * before / (state_.scale * weight_unit())));
}

void OnlineLinear::merge(const Merging& merging) {
  const OnlineLinear mine(*this);
  const MergeSides sides(mine, *this, merging);
  if (sides.size() == 0) return;
  const OnlineLinear& first = *sides.learners[0];
  if (sides.size() == 1) {
    take_over(first);
    return;
  }
  const MergePlan plan = merge_plan(sides);
  std::vector<const WeightStore*> stores;
  for (const OnlineLinear* side : sides.learners) stores.push_back(side->store_.get());
  store_->merge(stores, plan);
  state_ = first.state_;
  stepper_ = first.stepper_;
  outcomes_ = first.outcomes_;
  state_.bias = merged_bias(sides, plan);
  target_ = sides.target;
  state_.scale = 1;
  streaming_ = false;
  // The lazy threshold is averaged without applying it. For L1, one run over all streams would have summed to the same,
  // at the scale of the average. Applying it first would revive weights that are zero on all sides.
  state_.threshold = 0;
  const OnlineLinear* base = sides.base();
  const State before = base != nullptr ? base->state_ : State{};
  const Outcomes outcomes_before = base != nullptr ? base->outcomes_ : Outcomes{};
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const OnlineLinear& side = *sides.learners[i];
    state_.threshold += plan.sides[i].share * (side.state_.scale * side.state_.threshold);
    extreme_ |= side.extreme_;
    weighted_ |= side.weighted_;
    if (i == 0) continue;
    state_.progress.merge(side.state_.progress, before.progress);
    state_.recent.merge(side.state_.recent, before.recent, state_.progress.n_seen);
    outcomes_.merge(side.outcomes_, outcomes_before);
    stepper_.merge(side.stepper_, base != nullptr ? &base->stepper_ : nullptr);
  }
}

}  // namespace wmsketch
