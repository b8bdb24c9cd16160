// The configuration of a learner: strings to enums, ranges checked by the core.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <map>

#include "config.hpp"

namespace nb = nanobind;

namespace wmsketch::python {
namespace {

template <class Enum>
Enum one_of(const char* parameter, const std::string& given, const std::map<std::string, Enum>& choices) {
  const auto found = choices.find(given);
  if (found != choices.end()) return found->second;
  std::string names;
  for (const auto& [name, _] : choices) names += (names.empty() ? "'" : ", '") + name + "'";
  throw nb::value_error((std::string(parameter) + " must be one of " + names + ", got '" + given + "'").c_str());
}

const std::map<std::string, StoreKind> kKinds = {
    {"wm", StoreKind::wm},
    {"awm", StoreKind::awm},
    {"hashed", StoreKind::hashed},
    {"dense", StoreKind::dense},
    {"map", StoreKind::map},
    {"truncated", StoreKind::truncated},
    {"probabilistic", StoreKind::probabilistic},
    {"space_saving", StoreKind::space_saving},
    {"count_min", StoreKind::count_min},
    {"adaptive_awm", StoreKind::adaptive_awm},
    {"adaptive_hashed", StoreKind::adaptive_hashed},
    {"adaptive_dense", StoreKind::adaptive_dense},
    {"adaptive_map", StoreKind::adaptive_map},
};

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
  config.eviction = one_of<Eviction>("eviction", eviction, {{"paper", Eviction::paper}, {"drop", Eviction::drop}});
  config.hash_family = hash_family_of(hash_family);
  config.independence = independence;
  config.seed = seed;
  config.averaged = averaged;
  return config;
}

LearnerConfig rule_config(const std::string& loss, const std::string& schedule, double eta0, double l2, double l1,
                          bool fit_intercept, bool balanced, double negative_weight, double positive_weight,
                          double project, double half_life, const std::string& half_life_in, bool newton) {
  LearnerConfig config;
  config.loss = one_of<Loss>(
      "loss", loss,
      {{"logistic", Loss::logistic}, {"smoothed_hinge", Loss::smoothed_hinge}, {"squared_hinge", Loss::squared_hinge}});
  config.step.schedule = one_of<Schedule>(
      "schedule", schedule,
      {{"optimal", Schedule::optimal}, {"constant", Schedule::constant}, {"invsqrt", Schedule::invsqrt}});
  config.step.eta0 = eta0;
  config.step.l2 = l2;
  config.l1 = l1;
  config.fit_intercept = fit_intercept;
  config.balanced = balanced;
  config.negative_weight = negative_weight;
  config.positive_weight = positive_weight;
  config.radius = project;
  (one_of<bool>("half_life_in", half_life_in, {{"examples", false}, {"seconds", true}}) ? config.half_life.seconds
                                                                                        : config.half_life.examples) =
      half_life;
  config.newton = newton;
  return config;
}

}  // namespace

HashFamily hash_family_of(const std::string& name) {
  return one_of<HashFamily>(
      "hash_family", name,
      {{"mixer", HashFamily::mixer}, {"tabulation", HashFamily::tabulation}, {"polynomial", HashFamily::polynomial}});
}

void bind_config(nb::module_& m) {
  nb::class_<Config>(m, "Config", "Kind, sizes and rule of a learner. Raises ValueError naming the parameter at fault.")
      .def(
          "__init__",
          [](Config* self, const std::string& kind, bool exact_set, std::uint32_t depth, std::uint32_t width,
             std::uint32_t active_set_size, std::uint32_t name_bytes, std::uint64_t n_features,
             const std::string& eviction, const std::string& hash_family, std::uint32_t independence,
             std::uint64_t seed, bool averaged, const std::string& loss, const std::string& schedule, double eta0,
             double l2, double l1, bool fit_intercept, bool balanced, double negative_weight, double positive_weight,
             double project, double half_life, const std::string& half_life_in, bool newton, int name_hash) {
            Config config{one_of("kind", kind, kKinds), exact_set,
                          store_config(depth, width, active_set_size, name_bytes, n_features, eviction, hash_family,
                                       independence, seed, averaged),
                          rule_config(loss, schedule, eta0, l2, l1, fit_intercept, balanced, negative_weight,
                                      positive_weight, project, half_life, half_life_in, newton)};
            config.rule.rounding_seed = seed;
            if (name_hash != 1 && name_hash != 2)
              throw std::invalid_argument("name_hash must be 1 or 2, got " + std::to_string(name_hash));
            if (name_hash == 2) config.secret = secret_of_seed(seed);
            check_config(config.kind, config.exact_set, config.store, config.rule);
            new (self) Config(config);
          },
          nb::kw_only(), nb::arg("kind"), nb::arg("exact_set"), nb::arg("depth"), nb::arg("width"),
          nb::arg("active_set_size"), nb::arg("name_bytes"), nb::arg("n_features"), nb::arg("eviction"),
          nb::arg("hash_family"), nb::arg("independence"), nb::arg("seed"), nb::arg("averaged"), nb::arg("loss"),
          nb::arg("schedule"), nb::arg("eta0"), nb::arg("l2"), nb::arg("l1"), nb::arg("fit_intercept"),
          nb::arg("balanced"), nb::arg("negative_weight"), nb::arg("positive_weight"), nb::arg("project"),
          nb::arg("half_life"), nb::arg("half_life_in"), nb::arg("newton") = false, nb::arg("name_hash") = 1);
  m.def(
      "nbytes_of",
      [](const std::string& kind, bool exact_set, std::uint32_t depth, std::uint32_t width,
         std::uint32_t active_set_size, std::uint32_t name_bytes, std::uint64_t n_features,
         const std::string& hash_family, std::uint32_t independence, bool averaged) {
        return nbytes_of(one_of("kind", kind, kKinds), exact_set,
                         store_config(depth, width, active_set_size, name_bytes, n_features, "paper", hash_family,
                                      independence, 0, averaged));
      },
      nb::kw_only(), nb::arg("kind"), nb::arg("exact_set"), nb::arg("depth"), nb::arg("width"),
      nb::arg("active_set_size"), nb::arg("name_bytes"), nb::arg("n_features"), nb::arg("hash_family"),
      nb::arg("independence"), nb::arg("averaged"), "True bytes of a new learner of this shape.");
}

}  // namespace wmsketch::python
