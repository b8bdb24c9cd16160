// Bindings for metrics of `explain`: rows by the conditions that they meet, and labels of sides.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "column_rules.hpp"
#include "guarded.hpp"
#include "metric_terms.hpp"
#include "state.hpp"
#include "wmsketch/apps/explain/pattern_counts.hpp"

namespace wmsketch::python {
namespace {

using namespace nb::literals;
using Patterns = Guarded<PatternCounts>;

// For each pattern: its bits, the rows of the control and of the test side, and the moments of these.
nb::typed<nb::tuple, Arrays, int> counts_of(const Patterns& self) {
  std::vector<std::uint64_t> bits;
  std::vector<double> rows, moments;
  const std::size_t n = self.ask([&](const PatternCounts& counts) {
    const std::size_t n_moments = counts.metric().n_moments();
    for (const auto& [pattern, sums] : counts.patterns()) {
      bits.push_back(pattern);
      for (const std::size_t side : {0u, 1u}) {
        rows.push_back(sums.rows[side]);
        for (std::size_t i = 0; i < n_moments; ++i) moments.push_back(sums.moments[side][i]);
      }
    }
    return counts.n_conditions();
  });
  Arrays found;
  found["bits"] = nb::cast(to_numpy<std::uint64_t>(std::span<const std::uint64_t>(bits)));
  found["rows"] = nb::cast(to_numpy<double>(std::span<const double>(rows)));
  found["moments"] = nb::cast(to_numpy<double>(std::span<const double>(moments)));
  return nb::make_tuple(found, n);
}

}  // namespace

void bind_metric(nb::module_& m) {
  nb::class_<Patterns>(m, "PatternCounts", "Counts rows by which of some conditions they meet.")
      .def(
          "__init__",
          [](Patterns* self, const GivenCondition& side, const GivenCondition& where,
             const std::vector<GivenCondition>& conditions, const GivenTerms& metric, std::size_t most_bytes,
             std::uint64_t seed) {
            PatternCounts::Options options{condition_of(side), condition_of(where), {}, terms_of(metric)};
            for (const GivenCondition& each : conditions) options.conditions.push_back(condition_of(each));
            options.most_patterns = most_bytes / PatternCounts::pattern_bytes();
            options.secret = secret_of_seed(seed);
            new (self) Patterns(std::move(options));
          },
          nb::kw_only(), "side"_a, "where"_a, "conditions"_a, "metric"_a, "most_bytes"_a, "seed"_a = 0)
      .def(
          "learn",
          [](Patterns& self, const RowBlock& rows) {
            self.change_for_long([&](PatternCounts& counts) { counts.learn(rows); });
          },
          "rows"_a, "Count the rows.")
      .def("counts", &counts_of, "The patterns as arrays, and the number of conditions that were not given up.");
  m.def(
      "label_rows",
      [](RowBlock& rows, bool positive) {
        rows.labels.assign(rows.size(), positive ? std::int8_t{1} : std::int8_t{-1});
      },
      "rows"_a, "positive"_a, "Give all rows of a block this label.");
  m.def(
      "label_rows_by_time",
      [](RowBlock& rows, double time) {
        if (rows.times.size() != rows.size()) throw std::invalid_argument("expected rows with times");
        rows.labels.clear();
        for (const double each : rows.times) rows.labels.push_back(each >= time ? std::int8_t{1} : std::int8_t{-1});
      },
      "rows"_a, "time"_a, "Label the rows from this time on as positive, those before as negative.");
}

}  // namespace wmsketch::python
