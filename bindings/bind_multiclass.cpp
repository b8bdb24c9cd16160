// Bindings of the multiclass learner.
#include <nanobind/stl/tuple.h>

#include "bind_rows.hpp"
#include "config.hpp"
#include "heavy_row.hpp"
#include "wmsketch/models/multiclass.hpp"

namespace wmsketch::python {
namespace {

using Texts = std::vector<std::string>;

// Labels as an object with `texts`, the distinct labels in order of first appearance, and `codes`, the index of each
// row's label.
struct GivenClasses {
  using Labels = ClassLabels;
  using Argument = nb::object;
  using One = std::string;

  class FromArray : public ClassLabels {
   public:
    FromArray(Texts texts, const Vector<std::uint32_t>& codes)
        : ClassLabels(std::move(texts), span_of(codes)), codes_(codes) {}

   private:
    Vector<std::uint32_t> codes_;  // keeps the array alive
  };
  static FromArray of(const Argument& labels) {
    return {nb::cast<Texts>(labels.attr("texts")), nb::cast<Vector<std::uint32_t>>(labels.attr("codes"))};
  }
  static Labels of_one(const One& text) { return Labels(text); }
  static auto to_margins(const Margins& margins) {
    auto* copy = new std::vector<double>(margins.values);
    nb::capsule owner(copy, [](void* at) noexcept { delete static_cast<std::vector<double>*>(at); });
    const std::size_t rows = margins.per_row == 0 ? 0 : copy->size() / margins.per_row;
    return nb::ndarray<nb::numpy, double, nb::ndim<2>>(copy->data(), {rows, margins.per_row}, owner);
  }
  static auto to_margin(const Margins& margins) { return to_numpy<double>(margins.values); }
};

class SharedMulticlass : public SharedModel<Multiclass, GivenClasses> {
 public:
  SharedMulticlass(const Config& config, const MulticlassConfig& classes, bool named, const ColumnRules& rules)
      : SharedModel(maker(config, classes), named, rules_for(rules, config)) {}

  static Make maker(const Config& config, MulticlassConfig classes) {
    classes.secret = config.secret;
    return [config, classes] {
      return make_multiclass(config.kind, config.exact_set, config.store, config.rule, classes);
    };
  }
};

MulticlassConfig classes_config(std::uint32_t max_classes, std::uint32_t negatives, bool fit_intercept, bool balanced,
                                bool named) {
  return {.max_classes = max_classes,
          .negatives = negatives,
          .fit_intercept = fit_intercept,
          .balanced = balanced,
          .named = named};
}

nb::str as_str(std::string_view text) { return nb::str(text.data(), text.size()); }

std::uint32_t require_known(const Multiclass& model, const std::string& text) {
  const std::uint32_t c = model.classes().find(text);
  if (c == ClassTable::kNone) throw nb::key_error(text.c_str());
  return c;
}

void bind_questions(nb::class_<SharedMulticlass>& many) {
  const auto answer = [](auto ask) { return [ask](const SharedMulticlass& self) { return self.asked(ask); }; };
  many.def("weight",
           [](const SharedMulticlass& self, const std::string& label, Key key) {
             return self.asked([&](const Multiclass& model) { return model.weight(require_known(model, label), key); });
           })
      .def("deviation",
           [](const SharedMulticlass& self, const std::string& label, Key key) {
             return self.asked(
                 [&](const Multiclass& model) { return model.deviation(require_known(model, label), key); });
           })
      .def("weights",
           [](const SharedMulticlass& self, const std::string& label, const Vector<Key>& keys) {
             return to_numpy<double>(self.asked([&](const Multiclass& model) {
               const std::uint32_t c = require_known(model, label);
               std::vector<double> weights;
               for (const Key key : span_of(keys)) weights.push_back(model.weight(c, key));
               return weights;
             }));
           })
      .def("largest_missed",
           [](const SharedMulticlass& self, std::size_t k) {
             return self.asked([&](const Multiclass& model) { return model.weights().largest_missed(k); });
           })
      .def(
          "top",
          [](const SharedMulticlass& self, std::size_t k, const std::optional<std::string>& label) {
            const auto found = self.asked([&](const Multiclass& model) {
              std::vector<std::pair<std::string, HeavyFeature>> found;
              for (auto& row : model.top(k, label ? require_known(model, *label) : ClassTable::kNone))
                found.emplace_back(model.classes().label(row.of), std::move(row.feature));
              return found;
            });
            nb::typed<nb::list, nb::typed<nb::tuple, nb::str, HeavyRow>> rows;
            for (const auto& [text, feature] : found) rows.append(nb::make_tuple(as_str(text), heavy_row(feature)));
            return rows;
          },
          nb::arg("k"), nb::arg("label") = nb::none())
      .def_prop_ro("labels",
                   [](const SharedMulticlass& self) {
                     return self.asked([](const Multiclass& model) {
                       std::vector<std::string> texts;
                       const ClassTable& classes = model.classes();
                       for (std::uint32_t c = 0; c < classes.size(); ++c) texts.emplace_back(classes.label(c));
                       return texts;
                     });
                   })
      .def("counts",
           [](const SharedMulticlass& self) {
             return to_numpy<std::uint64_t>(self.asked([](const Multiclass& model) {
               std::vector<std::uint64_t> counts;
               for (std::uint32_t c = 0; c < model.classes().size(); ++c) counts.push_back(model.classes().count(c));
               return counts;
             }));
           })
      .def("intercepts",
           [](const SharedMulticlass& self) {
             return to_numpy<double>(self.asked([](const Multiclass& model) {
               std::vector<double> biases;
               for (std::uint32_t c = 0; c < model.classes().size(); ++c) biases.push_back(model.intercept(c));
               return biases;
             }));
           })
      .def_prop_ro("keeps_keys", answer([](const Multiclass& model) { return model.weights().keeps_keys(); }))
      .def_prop_ro("progress", answer([](const Multiclass& model) {
                     const ClassProgress& progress = model.progress();
                     return std::make_tuple(progress.n_seen, progress.n_scored, progress.features_seen,
                                            progress.mistakes, progress.log_loss.value());
                   }))
      .def_prop_ro("paper_bytes", answer([](const Multiclass& model) { return model.weights().paper_bytes(); }))
      .def("hash", [](const SharedMulticlass& self, std::uint32_t row, Key key) {
        return self.asked([&](const Multiclass& model) { return model.weights().hash(row, key); });
      });
}

}  // namespace

void bind_multiclass(nb::module_& m) {
  nb::class_<SharedMulticlass> many(m, "Multiclass", "Many classes in one learner.");
  many.def(
          "__init__",
          [](SharedMulticlass* self, const Config& config, std::uint32_t max_classes, std::uint32_t negatives,
             bool fit_intercept, bool balanced, bool named, bool names_now, const ColumnRules& rules) {
            new (self) SharedMulticlass(config, classes_config(max_classes, negatives, fit_intercept, balanced, named),
                                        names_now, rules);
          },
          nb::arg("config"), nb::kw_only(), nb::arg("max_classes"), nb::arg("negatives"), nb::arg("fit_intercept"),
          nb::arg("balanced"), nb::arg("named"), nb::arg("names_now") = false, nb::arg("rules") = ColumnRules())
      .def(
          "start",
          [](SharedMulticlass& self, const Config& config, std::uint32_t max_classes, std::uint32_t negatives,
             bool fit_intercept, bool balanced, bool named) {
            self.start(
                SharedMulticlass::maker(config, classes_config(max_classes, negatives, fit_intercept, balanced, named)),
                named);
          },
          nb::arg("config"), nb::kw_only(), nb::arg("max_classes"), nb::arg("negatives"), nb::arg("fit_intercept"),
          nb::arg("balanced"), nb::arg("named"), "Set the shape that ShapeWanted asks for.");
  bind_rows(many);
  many.def(
          "learn_block",
          [](SharedMulticlass& self, const RowBlock& block, const Weights& weights, const nb::object& labels,
             const Times& times) { self.learn_block(block, weights, times, GivenClasses::of(labels)); },
          nb::arg("block"), nb::arg("weights").noconvert(), nb::arg("labels"),
          nb::arg("times").noconvert() = nb::none(), "Learn the rows of a block. Weights replace those of the block.")
      .def(
          "add_classes", [](SharedMulticlass& self, const Texts& labels) { self.introduce(labels); },
          "Declare classes before their first example: all of them, or none if there is no room.");
  bind_questions(many);
  m.def("class_bytes", &Multiclass::class_bytes, nb::arg("max_classes"),
        "Bytes of a multiclass model besides the learner that holds its weights.");
}

}  // namespace wmsketch::python
