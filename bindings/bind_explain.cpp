// What `explain` does to each row: label it, turn it into attributes, count them.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "arrays.hpp"
#include "wmsketch/apps/explain_attributes.hpp"
#include "wmsketch/apps/explain_counts.hpp"
#include "wmsketch/apps/explain_quantiles.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch::python {
namespace {

using namespace nb::literals;
using Names = std::vector<std::string>;
using Unlocked = nb::call_guard<nb::gil_scoped_release>;
// column, operator, word, percentile
using GivenComparison = std::tuple<std::string, std::string, std::string, std::optional<double>>;

Comparison::Operator operator_of(const std::string& text) {
  const std::pair<const char*, Comparison::Operator> known[] = {
      {"<", Comparison::Operator::less},   {"<=", Comparison::Operator::at_most},
      {">", Comparison::Operator::more},   {">=", Comparison::Operator::at_least},
      {"==", Comparison::Operator::equal}, {"!=", Comparison::Operator::unequal},
  };
  for (const auto& [name, op] : known)
    if (text == name) return op;
  throw std::invalid_argument("operator must be one of < <= > >= == !=, got '" + text + "'");
}

std::vector<Comparison> comparisons_of(const std::vector<GivenComparison>& given) {
  std::vector<Comparison> comparisons;
  for (const auto& [column, op, word, percentile] : given)
    comparisons.push_back({column, operator_of(op), word, number_in(word), percentile});
  return comparisons;
}

void bind_encoder(nb::module_& m) {
  nb::class_<AttributeBlock, RowBlock>(m, "AttributeBlock", "Examples about the attributes of some rows.")
      .def_ro("next_row", &AttributeBlock::next_row, "The row behind the last that was encoded.");
  nb::class_<AttributeEncoder>(m, "AttributeEncoder", "Rows to examples about their attributes; see Explainer.")
      .def(
          "__init__",
          [](AttributeEncoder* self, const std::vector<GivenComparison>& condition, Names attributes,
             std::uint32_t order, bool whole_rows, std::uint32_t bins, std::uint64_t warm_up,
             std::size_t quantile_bytes, std::size_t column_bytes, std::uint64_t seed) {
            new (self) AttributeEncoder({comparisons_of(condition), std::move(attributes), order, whole_rows, bins,
                                         warm_up, quantile_bytes, column_bytes, seed});
          },
          nb::kw_only(), "condition"_a, "attributes"_a, "order"_a, "whole_rows"_a, "bins"_a, "warm_up"_a,
          "quantile_bytes"_a, "column_bytes"_a, "seed"_a)
      .def("observe", &AttributeEncoder::observe, "rows"_a, Unlocked(),
           "Let the first rows choose bins and percentiles; whether they were enough.")
      .def("finish_warm_up", &AttributeEncoder::finish_warm_up, Unlocked(), "From now on bins stay as they are.")
      .def_prop_ro("warm", &AttributeEncoder::warm)
      .def("encode", &AttributeEncoder::encode, "rows"_a, "first"_a, "last"_a, Unlocked(), nb::keep_alive<0, 1>(),
           nb::keep_alive<0, 2>(), "Examples of the rows from `first` to `last`, or up to where they are many.")
      .def_prop_ro(
          "counts",
          [](const AttributeEncoder& self) {
            const RowCounts& counts = self.counts();
            return std::tuple(counts.rows, counts.outliers, counts.skipped, counts.outlier_amount, counts.inlier_amount,
                              counts.squared_amount);
          },
          "Rows, outliers, rows left out, amount of outliers, amount of inliers, sum of squared amounts.")
      .def_prop_ro(
          "columns",
          [](const AttributeEncoder& self) {
            Names names;
            for (std::size_t i = 0; i < self.columns().size(); ++i) names.emplace_back(self.columns()[i].name());
            return names;
          },
          "The columns in the order of their ids.")
      .def_prop_ro("columns_left_out", [](const AttributeEncoder& self) { return self.columns().n_left_out(); })
      .def_prop_ro(
          "thresholds",
          [](const AttributeEncoder& self) {
            std::vector<double> thresholds;
            for (std::size_t i = 0; i < self.condition().size(); ++i)
              thresholds.push_back(self.condition().threshold(i));
            return thresholds;
          },
          "What each comparison compares with, now; nan for words.")
      .def_prop_ro("nbytes", &AttributeEncoder::nbytes);
}

}  // namespace

void bind_explain(nb::module_& m) {
  nb::class_<QuantileSketch>(m, "QuantileSketch", "Quantiles of a stream in a fixed number of bytes.")
      .def(nb::init<std::size_t, std::uint64_t>(), "bytes"_a, "seed"_a = 0)
      .def("add", &QuantileSketch::add, "value"_a)
      .def("add_many",
           [](QuantileSketch& self, const Vector<double>& values) {
             for (const double value : span_of(values)) self.add(value);
           })
      .def("quantile", &QuantileSketch::quantile, "p"_a)
      .def("__len__", &QuantileSketch::count)
      .def_prop_ro("nbytes", &QuantileSketch::nbytes);
  bind_encoder(m);
  nb::class_<AttributeCounts>(m, "AttributeCounts", "How often heavy attributes stand in outliers and in inliers.")
      .def(nb::init<std::uint32_t, std::size_t, std::uint64_t>(), "capacity"_a, "bytes"_a, "seed"_a = 0)
      .def("count", &AttributeCounts::count, "block"_a, Unlocked())
      .def(
          "track", [](AttributeCounts& self, const Vector<Key>& keys) { self.track(span_of(keys)); }, "keys"_a)
      .def(
          "of",
          [](const AttributeCounts& self, Key key) {
            const auto count = self.of(key);
            return std::tuple(count.outliers, count.inliers, count.outliers_before, count.inliers_before);
          },
          "key"_a, "Outliers, inliers, and the part of each that is estimated.")
      .def_static("least_bytes", &AttributeCounts::least_bytes, "capacity"_a)
      .def_prop_ro("nbytes", &AttributeCounts::nbytes);
}

}  // namespace wmsketch::python
