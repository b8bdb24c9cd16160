// Bindings of the learners.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind_rows.hpp"
#include "config.hpp"
#include "heavy_row.hpp"
#include "single_rows.hpp"
#include "wmsketch/simd/kernels.hpp"

namespace wmsketch::python {
namespace {

// Labels of -1 and +1.
struct GivenSigns {
  using Labels = BinaryLabels;
  using Argument = Vector<std::int8_t>;
  using One = int;
  static Labels of(const Argument& labels) { return Labels(span_of(labels)); }
  static Labels of_one(One label) { return Labels(label); }
  static auto to_margins(const Margins& margins) { return to_numpy<double>(margins.values); }
  static double to_margin(const Margins& margins) { return margins.values[0]; }
};

// Numbers to predict.
struct GivenTargets {
  using Labels = Targets;
  using Argument = Vector<double>;
  using One = double;
  static Labels of(const Argument& targets) { return Labels(span_of(targets)); }
  static Labels of_one(One target) { return Labels(target); }
  static auto to_margins(const Margins& margins) { return to_numpy<double>(margins.values); }
  static double to_margin(const Margins& margins) { return margins.values[0]; }
};

template <class Given>
class SharedLinear : public SharedModel<Learner, Given> {
 public:
  using typename SharedModel<Learner, Given>::Make;

  SharedLinear(const Config& config, bool named, const ColumnRules& rules)
      : SharedModel<Learner, Given>(maker(config), named, rules_for(rules, config)) {}

  static Make maker(const Config& config) {
    return [config] { return make_learner(config.kind, config.exact_set, config.store, config.rule); };
  }
};
using SharedLearner = SharedLinear<GivenSigns>;
using SharedRegressor = SharedLinear<GivenTargets>;

void learn_block(SharedLearner& self, const RowBlock& block, const Weights& weights, const Labels& labels,
                 const Times& times) {
  if (!labels && block.labels.empty() && block.size() > 0)
    throw nb::value_error("the rows have no labels to learn from");
  self.learn_block(block, weights, times, labels ? GivenSigns::of(*labels) : BinaryLabels(block));
}

// What can be asked of a linear model, whatever it predicts.
template <class Shared>
void bind_questions(nb::class_<Shared>& learner) {
  const auto answer = [](auto ask) { return [ask](const Shared& self) { return self.asked(ask); }; };
  learner
      .def("weight", [](const Shared& self,
                        Key key) { return self.asked([&](const Learner& learner) { return learner.weight(key); }); })
      .def("deviation",
           [](const Shared& self, Key key) {
             return self.asked([&](const Learner& learner) { return learner.deviation(key); });
           })
      .def("rows_error",
           [](const Shared& self, Key key) {
             return self.asked([&](const Learner& learner) { return learner.rows_error(key); });
           })
      .def("largest_missed",
           [](const Shared& self, std::size_t k) {
             return self.asked([&](const Learner& learner) { return learner.largest_missed(k); });
           })
      .def("weights",
           [](const Shared& self, const Vector<Key>& keys) {
             return to_numpy<double>(self.asked([&](const Learner& learner) {
               std::vector<double> weights;
               for (const Key key : span_of(keys)) weights.push_back(learner.weight(key));
               return weights;
             }));
           })
      .def("top",
           [](const Shared& self, std::size_t k) {
             nb::typed<nb::list, HeavyRow> rows;
             for (const auto& row : self.asked([&](const Learner& learner) { return learner.top(k); }))
               rows.append(heavy_row(row));
             return rows;
           })
      .def_prop_ro("owned_cells", answer([](const Learner& learner) { return learner.owned_cells(); }))
      .def_prop_ro("keeps_keys", answer([](const Learner& learner) { return learner.keeps_keys(); }))
      .def_prop_ro("bias", answer([](const Learner& learner) { return learner.bias(); }))
      .def_prop_ro("next_shift", answer([](const Learner& learner) { return learner.next_shift(); }))
      .def_prop_ro("calibration", answer([](const Learner& learner) { return learner.calibration(); }))
      .def_prop_ro("progress", answer([](const Learner& learner) {
                     const Progress& progress = learner.progress();
                     return std::make_tuple(progress.n_seen, progress.n_positive, progress.features_seen,
                                            progress.mistakes, progress.log_loss.value());
                   }))
      .def_prop_ro("outcomes", answer([](const Learner& learner) {
                     const Outcomes& outcomes = learner.outcomes();
                     const auto listed = [](const Outcomes::Counts& counts) {
                       return std::vector<std::uint32_t>(counts.begin(), counts.end());
                     };
                     return std::make_tuple(outcomes.examples, outcomes.predicted, listed(outcomes.negatives),
                                            listed(outcomes.positives));
                   }))
      .def_prop_ro_static("report_bytes", [](nb::handle) { return sizeof(Outcomes); })
      .def_prop_ro("paper_bytes", answer([](const Learner& learner) { return learner.paper_bytes(); }))
      .def("hash", [](const Shared& self, std::uint32_t row,
                      Key key) { return self.asked([&](const Learner& learner) { return learner.hash(row, key); }); })
      .def_prop_ro("random_state", answer([](const Learner& learner) { return learner.random_state(); }));
}

void bind_regressor(nb::module_& m) {
  nb::class_<SharedRegressor> model(m, "Regressor", "A linear model that predicts a number.");
  model
      .def(nb::init<const Config&, bool, const ColumnRules&>(), nb::arg("config"), nb::arg("named") = false,
           nb::arg("rules") = ColumnRules())
      .def(
          "start",
          [](SharedRegressor& self, const Config& config, bool named) {
            self.start(SharedRegressor::maker(config), named);
          },
          nb::arg("config"), nb::arg("named"), "Set the shape that ShapeWanted asks for.");
  bind_rows(model);
  bind_questions(model);
  model
      .def(
          "learn_block",
          [](SharedRegressor& self, const RowBlock& block, const Weights& weights,
             const std::optional<Vector<double>>& targets, const Times& times) {
            if (!targets && block.targets.size() != block.size())
              throw nb::value_error("the rows have no labels to learn from");
            self.learn_block(block, weights, times, targets ? GivenTargets::of(*targets) : Targets(block));
          },
          nb::arg("block"), nb::arg("weights").noconvert() = nb::none(), nb::arg("targets").noconvert() = nb::none(),
          nb::arg("times").noconvert() = nb::none(),
          "Learn the rows of a block. Weights, targets and times replace those of the block.")
      .def_prop_ro(
          "errors",
          [](const SharedRegressor& self) {
            return self.asked([](const Learner& learner) {
              const NumberErrors& errors = learner.target()->errors;
              return std::make_tuple(errors.scored, errors.absolute, errors.squared, errors.baseline_absolute,
                                     errors.baseline_squared);
            });
          },
          "Of predictions before learning: their number, the sums of their absolute and squared errors, and those of "
          "the baseline.")
      .def_prop_ro(
          "target",
          [](const SharedRegressor& self) {
            return self.asked([](const Learner& learner) {
              const Target& target = *learner.target();
              return std::make_tuple(target.scale.count, target.centre(), target.scale.deviation(), target.median);
            });
          },
          "Count, mean, standard deviation and estimated median of the target.")
      .def_prop_ro_static("target_bytes", [](nb::handle) { return sizeof(Target); });
}

}  // namespace

void bind_config(nb::module_& m);

void bind_learner(nb::module_& m) {
  bind_config(m);
  nb::exception<ShapeWanted>(m, "ShapeWanted");
  nb::class_<SharedLearner> learner(m, "Learner");
  learner
      .def(nb::init<const Config&, bool, const ColumnRules&>(), nb::arg("config"), nb::arg("named") = false,
           nb::arg("rules") = ColumnRules())
      .def(
          "start",
          [](SharedLearner& self, const Config& config, bool named) {
            self.start(SharedLearner::maker(config), named);
          },
          nb::arg("config"), nb::arg("named"), "Set the shape that ShapeWanted asks for.");
  bind_rows(learner);
  bind_usual_rows(learner);
  learner.def(
      "probabilities_row",
      [](SharedLearner& self, nb::handle features, nb::handle negative, nb::handle positive, bool next) {
        RowsInUse<SharedLearner> row(self, false);
        row.add_one(features);
        const auto [margins, calibration] =
            self.margins_and(row.objects(), row.block(), next, [](const Learner& it) { return it.calibration(); });
        const double probability = sigmoid(SharedLearner::GivenLabels::to_margin(margins) * calibration);
        nb::typed<nb::dict, nb::object, double> probabilities;
        probabilities[negative] = 1.0 - probability;
        probabilities[positive] = probability;
        return probabilities;
      },
      "The probability of each of two labels.");
  learner.def("learn_block", &learn_block, nb::arg("block"), nb::arg("weights").noconvert() = nb::none(),
              nb::arg("labels").noconvert() = nb::none(), nb::arg("times").noconvert() = nb::none(),
              "Learn the rows of a block. Weights, labels and times replace those of the block.");
  learner.def("settle", &SharedLearner::settle, nb::arg("rows"),
              "Correct intercept and calibration by labelled rows of the whole stream; return whether they changed.");
  learner.def(
      "settle_by",
      [](SharedLearner& self, const Vector<double>& margins, const Vector<std::int8_t>& labels) {
        return self.settle_by(span_of(margins), span_of(labels));
      },
      nb::arg("margins").noconvert(), nb::arg("labels").noconvert(),
      "Do the same with the margins of such rows, and their labels: -1 or +1.");
  bind_questions(learner);
  bind_regressor(m);

  m.def(
      "key_of",
      [](nb::handle feature, std::optional<std::uint64_t> name_seed) {
        return key_of_feature(feature, secret_of(name_seed));
      },
      nb::arg("feature"), nb::arg("name_seed") = nb::none(),
      "The 32-bit key of a feature: an integer unchanged, a string hashed, with a seed or without one.");
  m.def("combine_keys", &combine_keys, nb::arg("left"), nb::arg("right"), "The key of an interaction of two features.");
  m.def("sigmoid", &sigmoid);
  m.def(
      "sigmoids",
      [](const Vector<double>& margins) {
        std::vector<double> all;
        for (const double margin : span_of(margins)) all.push_back(sigmoid(margin));
        return to_numpy<double>(all);
      },
      "The probability of the positive label for each margin.");
  m.def("kernels", [] { return kernels().name; }, "The instruction set in use.");
  m.def(
      "all_kernels",
      [] {
        std::vector<std::string> names;
        for (const Kernels* table : all_kernels()) names.emplace_back(table->name);
        return names;
      },
      "The instruction sets with kernels that this CPU runs, the fastest first.");
  m.def(
      "choose_kernels", [](const std::string& name) { choose_kernels(name); }, nb::arg("name") = "",
      "For tests: use the kernels of an instruction set, or the fastest.");
}

}  // namespace wmsketch::python
