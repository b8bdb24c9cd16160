#include "wmsketch/models/learner.hpp"

#include <cmath>
#include <string>
#include <type_traits>

#include "wmsketch/rule/online_linear.hpp"
#include "wmsketch/stores/adaptive_awm.hpp"
#include "wmsketch/stores/adaptive_hashed.hpp"
#include "wmsketch/stores/awm.hpp"
#include "wmsketch/stores/dense.hpp"
#include "wmsketch/stores/frequent.hpp"
#include "wmsketch/stores/hashed.hpp"
#include "wmsketch/stores/truncated.hpp"
#include "wmsketch/stores/wm.hpp"

namespace wmsketch {
namespace {

// Calls use(std::type_identity<Store>{}) with the store that is meant.
template <class Use>
auto with_store(StoreKind kind, bool exact_set, Use use) {
  switch (kind) {
    case StoreKind::wm:
      return exact_set ? use(std::type_identity<WmStore<ExactSet>>{})
                       : use(std::type_identity<WmStore<AssociativeSet>>{});
    case StoreKind::awm:
      return exact_set ? use(std::type_identity<AwmStore<ExactSet>>{})
                       : use(std::type_identity<AwmStore<AssociativeSet>>{});
    case StoreKind::hashed:
      return use(std::type_identity<HashedStore>{});
    case StoreKind::dense:
      return use(std::type_identity<DenseStore<false>>{});
    case StoreKind::map:
      return use(std::type_identity<MapStore<false>>{});
    case StoreKind::truncated:
      return use(std::type_identity<TruncatedStore<false>>{});
    case StoreKind::probabilistic:
      return use(std::type_identity<TruncatedStore<true>>{});
    case StoreKind::space_saving:
      return use(std::type_identity<FrequentStore<SpaceSavingCounter>>{});
    case StoreKind::count_min:
      return use(std::type_identity<FrequentStore<CountMinCounter>>{});
    case StoreKind::adaptive_awm:
      return use(std::type_identity<AdaptiveAwmStore>{});
    case StoreKind::adaptive_hashed:
      return use(std::type_identity<AdaptiveHashedStore>{});
    case StoreKind::adaptive_dense:
      return use(std::type_identity<DenseStore<true>>{});
    case StoreKind::adaptive_map:
      return use(std::type_identity<MapStore<true>>{});
  }
  throw std::invalid_argument("unknown kind of store");
}

void check_shape(StoreKind kind, bool exact_set, const StoreConfig& store) {
  const bool sketched = kind == StoreKind::wm || kind == StoreKind::awm || kind == StoreKind::count_min;
  const bool dense = kind == StoreKind::dense || kind == StoreKind::adaptive_dense;
  const bool hashed = kind == StoreKind::hashed || kind == StoreKind::adaptive_hashed;
  const bool has_set = !dense && !hashed && kind != StoreKind::map && kind != StoreKind::adaptive_map;
  const bool lines =
      ((kind == StoreKind::wm || kind == StoreKind::awm) && !exact_set) || kind == StoreKind::adaptive_awm;
  constexpr std::uint64_t kMostCells = std::uint64_t{1} << 31;  // word indices are 32 bits
  if (sketched)
    require_parameter(store.depth >= 1 && store.depth <= SketchCells::kMostDepth, "depth", "must be between 1 and 64",
                      store.depth);
  if (kind == StoreKind::adaptive_awm) {
    require_parameter(store.depth == 1, "depth", "must be 1 with adaptive steps: set {step=plain}", store.depth);
    if (exact_set)
      throw parameter_error("active_set", "must be {=associative} with adaptive steps: set {step=plain}", "exact");
    if (store.eviction != Eviction::paper)
      throw parameter_error("eviction", "must be {=paper} with adaptive steps: set {step=plain}", "drop");
  }
  if (sketched || hashed || kind == StoreKind::adaptive_awm) {
    require_parameter(store.width >= 1, "width", "must be at least 1", store.width);
    require_parameter(std::uint64_t{store.depth} * store.width <= kMostCells, "width", "must be at most 2^31 / depth",
                      store.width);
  }
  if (has_set) {
    require_parameter(store.active_set_size >= 1 && store.active_set_size <= (1u << 28), "active_set_size",
                      "must be between 1 and 2^28", store.active_set_size);
    if (lines && store.active_set_size != AssociativeSet::round_capacity(store.active_set_size))
      require_parameter(false, "active_set_size", "must be a multiple of 8 and at least 16 for an associative set",
                        store.active_set_size);
  }
  if (dense)
    require_parameter(store.n_features >= 1 && store.n_features <= (std::uint64_t{1} << 32), "n_features",
                      "must be between 1 and 2^32", store.n_features);
}

constexpr double kMostOfAll = 1e6;  // beyond it, numbers of the model leave their range

void check_rule(const LearnerConfig& config, bool averaged) {
  const StepRule& step = config.step;
  require_parameter(step.eta0 > 0 && step.eta0 <= kMostOfAll, "eta0", "must be above 0 and at most 1e6", step.eta0);
  require_parameter(std::isfinite(step.l2) && step.l2 >= 0, "l2", "must be at least 0 and finite", step.l2);
  require_parameter(step.eta0 * step.l2 < 1, "eta0 * l2", "must be below 1 (the decay would turn weights around)",
                    step.eta0 * step.l2);
  require_parameter(config.l1 >= 0 && config.l1 <= kMostOfAll, "l1", "must be at least 0 and at most 1e6", config.l1);
  require_parameter(!(averaged && config.l1 > 0), "l1", "must be 0 when averaging", config.l1);
  require_parameter(std::isfinite(config.radius) && config.radius >= 0, "project", "must be at least 0 and finite",
                    config.radius);
  const auto [examples, seconds] = config.half_life;
  require_parameter(examples == 0 || (examples >= 1 && std::isfinite(examples)), "half_life",
                    "must be at least 1 example and finite", examples);
  require_parameter(seconds >= 0 && std::isfinite(seconds), "half_life", "must be at least 0 seconds and finite",
                    seconds);
  require_parameter(!(config.newton && examples + seconds > 0), "half_life", "must not be given with Newton's steps",
                    examples + seconds);
  require_parameter(!(averaged && examples + seconds > 0), "half_life", "must not be given when averaging",
                    examples + seconds);
  for (const double weight : {config.negative_weight, config.positive_weight})
    require_parameter(weight >= 0 && weight <= kMostOfAll, "class_weight", "must be at least 0 and at most 1e6",
                      weight);
}

}  // namespace

void check_config(StoreKind kind, bool exact_set, const StoreConfig& store, const LearnerConfig& config) {
  check_shape(kind, exact_set, store);
  check_rule(config, store.averaged);
}

std::unique_ptr<Learner> make_learner(StoreKind kind, bool exact_set, const StoreConfig& store,
                                      const LearnerConfig& config) {
  check_config(kind, exact_set, store, config);
  return with_store(kind, exact_set, [&]<class Store>(std::type_identity<Store>) -> std::unique_ptr<Learner> {
    return std::make_unique<OnlineLinear<Store>>(store, config);
  });
}

std::size_t nbytes_of(StoreKind kind, bool exact_set, const StoreConfig& store) {
  return with_store(kind, exact_set,
                    [&]<class Store>(std::type_identity<Store>) { return OnlineLinear<Store>::bytes_for(store); });
}

}  // namespace wmsketch
