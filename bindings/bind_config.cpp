// The configuration of a learner: strings become enumerations, and the core checks ranges.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cstddef>
#include <optional>
#include <string>
#include <tuple>

#include "config.hpp"
#include "wmsketch/rule/budget.hpp"

namespace nb = nanobind;

namespace wmsketch::python {
namespace {

// The enumerator with this name. `names` is in the order of the values.
template <class Enum, std::size_t N>
Enum one_of(const char* parameter, const std::string& given, const char* const (&names)[N]) {
  std::string all;
  for (std::size_t i = 0; i < N; ++i) {
    if (given == names[i]) return static_cast<Enum>(i);
    all += (i == 0 ? "{=" : ", {=") + std::string(names[i]) + "}";
  }
  throw parameter_error(parameter, "must be one of " + all, given);
}

constexpr const char* kHashFamilyNames[] = {"mixer", "tabulation", "polynomial"};
constexpr const char* kHalfLifeUnits[] = {"examples", "seconds"};

StoreConfig store_config(std::uint32_t depth, std::uint32_t width, std::uint32_t active_set_size,
                         std::uint32_t name_bytes, std::uint64_t n_features, const std::string& eviction,
                         const std::string& hash_family, std::uint32_t independence, std::uint64_t seed,
                         bool averaged) {
  StoreConfig config;
  config.depth = depth;
  config.width = width;
  config.active_set_size = active_set_size;
  config.name_bytes = name_bytes;
  config.n_features = n_features;
  config.eviction = one_of<Eviction>("eviction", eviction, kEvictionNames);
  config.hash_family = hash_family_of(hash_family);
  config.independence = independence;
  config.seed = seed;
  config.averaged = averaged;
  return config;
}

LearnerConfig rule_config(const std::string& loss, const std::string& step, const std::string& schedule, double eta0,
                          double l2, double l1, bool fit_intercept, bool balanced, double negative_weight,
                          double positive_weight, double project, double half_life, const std::string& half_life_in) {
  LearnerConfig config;
  config.loss = one_of<Loss>("loss", loss, kLossNames);
  config.step.kind = one_of<StepKind>("step", step, kStepNames);
  config.step.schedule = one_of<Schedule>("schedule", schedule, kScheduleNames);
  config.step.eta0 = eta0;
  config.step.l2 = l2;
  config.l1 = l1;
  config.fit_intercept = fit_intercept;
  config.balanced = balanced;
  config.negative_weight = negative_weight;
  config.positive_weight = positive_weight;
  config.radius = project;
  const bool in_seconds = one_of<int>("half_life_in", half_life_in, kHalfLifeUnits) == 1;
  (in_seconds ? config.half_life.seconds : config.half_life.examples) = half_life;
  return config;
}

}  // namespace

HashFamily hash_family_of(const std::string& name) { return one_of<HashFamily>("hash_family", name, kHashFamilyNames); }

void bind_config(nb::module_& m) {
  nb::class_<Config>(m, "Config",
                     "Kind, sizes and rule of a learner. Raises ValueError with the name of a bad parameter.")
      .def(
          "__init__",
          [](Config* self, const std::string& kind, const std::string& step, bool exact_set, std::uint32_t depth,
             std::uint32_t width, std::uint32_t active_set_size, std::uint32_t name_bytes, std::uint64_t n_features,
             const std::string& eviction, const std::string& hash_family, std::uint32_t independence,
             std::uint64_t seed, bool averaged, const std::string& loss, const std::string& schedule, double eta0,
             double l2, double l1, bool fit_intercept, bool balanced, double negative_weight, double positive_weight,
             double project, double half_life, const std::string& half_life_in, std::uint64_t name_seed) {
            Config config{one_of<StoreKind>("kind", kind, kStoreNames), exact_set,
                          store_config(depth, width, active_set_size, name_bytes, n_features, eviction, hash_family,
                                       independence, seed, averaged),
                          rule_config(loss, step, schedule, eta0, l2, l1, fit_intercept, balanced, negative_weight,
                                      positive_weight, project, half_life, half_life_in)};
            config.rule.rounding_seed = seed;
            config.secret = secret_of_seed(name_seed);
            check_config(config.kind, config.exact_set, config.store, config.rule);
            new (self) Config(config);
          },
          nb::kw_only(), nb::arg("kind"), nb::arg("step"), nb::arg("exact_set"), nb::arg("depth"), nb::arg("width"),
          nb::arg("active_set_size"), nb::arg("name_bytes"), nb::arg("n_features"), nb::arg("eviction"),
          nb::arg("hash_family"), nb::arg("independence"), nb::arg("seed"), nb::arg("averaged"), nb::arg("loss"),
          nb::arg("schedule"), nb::arg("eta0"), nb::arg("l2"), nb::arg("l1"), nb::arg("fit_intercept"),
          nb::arg("balanced"), nb::arg("negative_weight"), nb::arg("positive_weight"), nb::arg("project"),
          nb::arg("half_life"), nb::arg("half_life_in"), nb::arg("name_seed"));
  m.def(
      "nbytes_of",
      [](const std::string& kind, const std::string& step, bool exact_set, std::uint32_t depth, std::uint32_t width,
         std::uint32_t active_set_size, std::uint32_t name_bytes, std::uint64_t n_features,
         const std::string& hash_family, std::uint32_t independence, bool averaged) {
        const auto store = store_config(depth, width, active_set_size, name_bytes, n_features, "paper", hash_family,
                                        independence, 0, averaged);
        return nbytes_of(one_of<StoreKind>("kind", kind, kStoreNames), exact_set, store,
                         {.kind = one_of<StepKind>("step", step, kStepNames)});
      },
      nb::kw_only(), nb::arg("kind"), nb::arg("step"), nb::arg("exact_set"), nb::arg("depth"), nb::arg("width"),
      nb::arg("active_set_size"), nb::arg("name_bytes"), nb::arg("n_features"), nb::arg("hash_family"),
      nb::arg("independence"), nb::arg("averaged"), "Bytes of a new learner of this shape.");
  m.def(
      "choose_shape",
      [](const std::string& kind, const std::string& step, bool exact_set, std::uint32_t depth, std::uint32_t width,
         std::uint32_t active_set_size, const std::string& hash_family, std::uint32_t independence, bool averaged,
         std::uint64_t budget, bool budget_is_default, std::uint64_t reserved, bool named,
         std::optional<std::uint32_t> name_bytes, double set_share, std::uint32_t top_k) {
        const StoreConfig sizes = choose_shape({.kind = one_of<StoreKind>("kind", kind, kStoreNames),
                                                .exact_set = exact_set,
                                                .step = one_of<StepKind>("step", step, kStepNames),
                                                .sizes = store_config(depth, width, active_set_size, 0, 0, "paper",
                                                                      hash_family, independence, 0, averaged),
                                                .budget = budget,
                                                .budget_is_default = budget_is_default,
                                                .reserved = reserved,
                                                .named = named,
                                                .name_bytes = name_bytes,
                                                .set_share = set_share,
                                                .top_k = top_k});
        return std::make_tuple(sizes.width, sizes.active_set_size, sizes.name_bytes);
      },
      nb::kw_only(), nb::arg("kind"), nb::arg("step"), nb::arg("exact_set"), nb::arg("depth"), nb::arg("width"),
      nb::arg("active_set_size"), nb::arg("hash_family"), nb::arg("independence"), nb::arg("averaged"),
      nb::arg("budget"), nb::arg("budget_is_default"), nb::arg("reserved"), nb::arg("named"),
      nb::arg("name_bytes").none(), nb::arg("set_share"), nb::arg("top_k"),
      "The width, the keys and the bytes for names that fill a budget; a size of 0 is chosen, others stay.");
  m.def(
      "has_set", [](const std::string& kind) { return has_set(one_of<StoreKind>("kind", kind, kStoreNames)); },
      nb::arg("kind"), "Whether a store has a bounded set of keys.");
  m.attr("WAYS") = kWays;
  m.attr("MOST_DEPTH") = kMaxDepth;
  m.attr("MOST_NAME_BYTES") = NameArena::kMostBytes;
}

}  // namespace wmsketch::python
