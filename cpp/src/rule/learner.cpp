#include "wmsketch/rule/learner.hpp"

#include <cmath>
#include <string>
#include <string_view>

#include "wmsketch/rule/online_linear.hpp"
#include "wmsketch/sets/line_set.hpp"
#include "wmsketch/slots/float_slot.hpp"
#include "wmsketch/stores/make_store.hpp"

namespace wmsketch {
namespace {

void check_shape(StoreKind kind, bool exact_set, const StoreConfig& store, bool adaptive) {
  constexpr std::uint64_t kMostCells = std::uint64_t{1} << 31;  // word indices are 32 bits
  if (has_rows(kind))
    require_parameter(store.depth >= 1 && store.depth <= kMaxDepth, "depth", "must be between 1 and 64", store.depth);
  if (has_cells(kind)) {
    require_parameter(store.width >= 1, "width", "must be at least 1", store.width);
    require_parameter(std::uint64_t{store.depth} * store.width <= kMostCells, "width", "must be at most 2^31 / depth",
                      store.width);
  }
  if (has_set(kind)) {
    require_parameter(store.active_set_size >= 1 && store.active_set_size <= (1u << 28), "active_set_size",
                      "must be between 1 and 2^28", store.active_set_size);
    if (has_lines(kind, exact_set) &&
        store.active_set_size != LineSet<FloatSlot>::round_capacity(store.active_set_size))
      require_parameter(false, "active_set_size", "must be a multiple of 8 and at least 16 for an associative set",
                        store.active_set_size);
  }
  if (owns_cells(kind, adaptive)) {
    require_parameter(store.depth == 1, "depth",
                      "must be 1 for adaptive steps, because a cell then has one owner: set {step=plain}", store.depth);
    require_parameter(store.width % kWays == 0, "width", "must be a multiple of 8 for adaptive steps", store.width);
  }
  if (kind == StoreKind::bear)
    require_parameter(!adaptive, "step", "must be {=plain}, because the steps of BEAR have a size of their own",
                      "adaptive");
  if (kind == StoreKind::dense)
    require_parameter(store.n_features >= 1 && store.n_features <= (std::uint64_t{1} << 32), "n_features",
                      "must be between 1 and 2^32", store.n_features);
}

constexpr double kLargestSetting = 1e6;  // larger values would overflow the numbers of the model

void check_rule(const LearnerConfig& config) {
  const StepRule& step = config.step;
  require_parameter(step.eta0 > 0 && step.eta0 <= kLargestSetting, "eta0", "must be above 0 and at most 1e6",
                    step.eta0);
  require_parameter(std::isfinite(step.l2) && step.l2 >= 0, "l2", "must be at least 0 and finite", step.l2);
  require_parameter(step.eta0 * step.l2 < 1, "eta0 * l2",
                    "must be below 1, or the decay would flip the sign of weights", step.eta0 * step.l2);
  require_parameter(config.l1 >= 0 && config.l1 <= kLargestSetting, "l1", "must be at least 0 and at most 1e6",
                    config.l1);
  require_parameter(std::isfinite(config.radius) && config.radius >= 0, "project", "must be at least 0 and finite",
                    config.radius);
  const auto [examples, seconds] = config.half_life;
  require_parameter(examples == 0 || (examples >= 1 && std::isfinite(examples)), "half_life",
                    "must be at least 1 example and finite", examples);
  require_parameter(seconds >= 0 && std::isfinite(seconds), "half_life", "must be at least 0 seconds and finite",
                    seconds);
  for (const double weight : {config.negative_weight, config.positive_weight})
    require_parameter(weight >= 0 && weight <= kLargestSetting, "class_weight", "must be at least 0 and at most 1e6",
                      weight);
}

// Combinations of steps, stores, sets and evictions that are not allowed. All others are.
struct Exclusion {
  bool (*applies)(const StoreConfig& store, const LearnerConfig& config);
  const char *parameter, *rule;  // what the user must change, and why
};
constexpr bool forgets(const HalfLife& half_life) { return half_life.examples + half_life.seconds > 0; }
constexpr Exclusion kExclusions[] = {
    {[](const StoreConfig& store, const LearnerConfig& config) { return store.averaged && config.step.adaptive(); },
     "averaged", "needs plain steps, because Theorem 2 averages their iterates: set {step=plain}"},
    {[](const StoreConfig& store, const LearnerConfig& config) { return store.averaged && config.l1 > 0; }, "l1",
     "must be 0 when averaging, because thresholding an average differs from averaging thresholded weights"},
    {[](const StoreConfig& store, const LearnerConfig& config) { return store.averaged && forgets(config.half_life); },
     "half_life", "must not be given when averaging"},
    {[](const StoreConfig&, const LearnerConfig& config) { return config.radius > 0 && config.step.adaptive(); },
     "project", "needs plain steps, because Theorem 2 assumes them: set {step=plain}"},
};

ErrorValue given(std::string_view parameter, const LearnerConfig& config) {
  if (parameter == "l1") return config.l1;
  if (parameter == "project") return config.radius;
  if (parameter == "half_life") return config.half_life.examples + config.half_life.seconds;
  return {};
}

}  // namespace

void check_config(StoreKind kind, bool exact_set, const StoreConfig& store, const LearnerConfig& config) {
  check_shape(kind, exact_set, store, config.step.adaptive());
  check_rule(config);
  for (const Exclusion& exclusion : kExclusions)
    if (exclusion.applies(store, config))
      throw parameter_error(exclusion.parameter, exclusion.rule, given(exclusion.parameter, config));
}

std::unique_ptr<Learner> make_learner(StoreKind kind, bool exact_set, const StoreConfig& store,
                                      const LearnerConfig& config) {
  check_config(kind, exact_set, store, config);
  return std::make_unique<OnlineLinear>(make_store(kind, exact_set, store, config.step), store, config);
}

std::size_t nbytes_of(StoreKind kind, bool exact_set, const StoreConfig& store, const StepRule& step) {
  return OnlineLinear::bytes_without_store(step) + store_bytes(kind, exact_set, store, step);
}

}  // namespace wmsketch
