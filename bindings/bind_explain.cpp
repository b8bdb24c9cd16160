// Bindings for `explain`: labelling rows and counting their attributes.
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
#include "column_rules.hpp"
#include "guarded.hpp"
#include "metric_terms.hpp"
#include "state.hpp"
#include "text.hpp"
#include "wmsketch/apps/explain/explain_stream.hpp"
#include "wmsketch/prepare/rekeyed_rows.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch::python {
namespace {

using namespace nb::literals;
using Names = std::vector<std::string>;
using Stream = Guarded<AttributeStream>;

std::vector<double> thresholds_of(const Condition& condition) {
  std::vector<double> thresholds;
  for (std::size_t i = 0; i < condition.size(); ++i) thresholds.push_back(condition.threshold(i));
  return thresholds;
}

// The held attributes and conjunctions as arrays, one entry for each.
nb::typed<nb::tuple, Arrays, nb::typed<nb::list, nb::str>> held_of(const Stream& self, double least_outliers) {
  const auto [now, scale, loads] = self.ask([&](const AttributeStream& stream) {
    return std::tuple(stream.held(least_outliers), stream.scale(), stream.table().sketch_load());
  });
  const auto& held = now.held;
  const auto column = [&held]<class T>(auto get, T) {
    std::vector<T> values;
    values.reserve(held.size());
    for (const auto& each : held) values.push_back(static_cast<T>(get(each)));
    return nb::cast(to_numpy<T>(std::span<const T>(values)));
  };
  using Held = AttributeTable::Held;
  Arrays found;
  found["key"] = column([](const Held& each) { return each.key; }, std::uint32_t{});
  found["id"] = column([](const Held& each) { return each.id; }, std::uint64_t{});
  found["slot"] = column([](const Held& each) { return each.slot; }, std::uint32_t{});
  found["left"] = column([](const Held& each) { return each.left; }, std::uint32_t{});
  found["right"] = column([](const Held& each) { return each.right; }, std::uint32_t{});
  found["shortened"] = nb::cast(to_numpy<std::uint8_t>(std::span<const std::uint8_t>(now.shortened)));
  found["order"] = column([](const Held& each) { return each.order; }, std::uint32_t{});
  found["fingerprint"] = column([](const Held& each) { return each.fingerprint; }, std::uint32_t{});
  for (const std::size_t label : {0u, 1u}) {
    const std::string which = label == 1 ? "outliers" : "inliers";
    const double load = loads[label];
    found[nb::str(which.c_str())] =
        column([&, scale = scale](const Held& each) { return each.counted[label] / scale; }, double{});
    found[nb::str((which + "_missed").c_str())] =
        column([&, scale = scale](const Held& each) { return each.missed[label] / scale; }, double{});
    found[nb::str((which + "_missed_about").c_str())] = column(
        [&, scale = scale](const Held& each) { return std::max(0.0, each.missed[label] - load) / scale; }, double{});
  }
  if (!now.moments.empty()) found["moments"] = nb::cast(to_numpy<double>(std::span<const double>(now.moments)));
  nb::typed<nb::list, nb::str> names;
  for (const std::string& name : now.names) names.append(marked(name));
  return nb::make_tuple(found, names);
}

// Rows whose names were hashed with another seed are rehashed.
bool observe_rows(Stream& self, const RowBlock& rows) {
  return self.change_for_long([&](AttributeStream& stream) {
    return with_keys_under(stream.secret(), rows, [&](const RowBlock& own) { return stream.observe(own); });
  });
}
void learn_rows(Stream& self, const RowBlock& rows) {
  self.change_for_long([&](AttributeStream& stream) {
    with_keys_under(stream.secret(), rows, [&](const RowBlock& own) { stream.learn(own); });
  });
}

using GivenShape = std::tuple<std::uint32_t, std::uint32_t, std::size_t, std::uint32_t>;
AttributeTable::Shape shape_of(GivenShape shape) {
  return {std::get<0>(shape), std::get<1>(shape), std::get<2>(shape), std::get<3>(shape)};
}

void bind_stream(nb::module_& m) {
  nb::class_<Stream>(m, "AttributeStream", "Counts the attributes of rows; see Explainer.")
      .def(
          "__init__",
          [](Stream* self, const GivenCondition& outlier, const GivenCondition& where, Names attributes,
             std::uint32_t order, std::uint32_t bins, std::uint64_t warm_up, double half_life,
             bool half_life_in_seconds, GivenShape shape, std::size_t quantile_bytes, std::size_t column_bytes,
             std::uint64_t seed, bool only_outliers, const GivenTerms& metric) {
            const HalfLife half{half_life_in_seconds ? 0 : half_life, half_life_in_seconds ? half_life : 0};
            new (self) Stream(ExplainOptions{condition_of(outlier), condition_of(where), std::move(attributes), order,
                                             only_outliers, bins, warm_up, half, shape_of(shape), quantile_bytes,
                                             column_bytes, seed, secret_of_seed(seed), terms_of(metric)});
          },
          nb::kw_only(), "outlier"_a, "where"_a, "attributes"_a, "order"_a, "bins"_a, "warm_up"_a, "half_life"_a,
          "half_life_in_seconds"_a, "shape"_a, "quantile_bytes"_a, "column_bytes"_a, "seed"_a,
          "only_outliers"_a = false, "metric"_a = GivenTerms{})
      .def("observe", &observe_rows, "rows"_a,
           "Observe the first rows, which determine bins and percentiles. Returns whether they were enough.")
      .def("finish_warm_up", changing(&AttributeStream::finish_warm_up), "Fix the bins.")
      .def_prop_ro("warm", asking(&AttributeStream::warm))
      .def(
          "percentile_numbers",
          [](Stream& self, const RowBlock& rows, bool of_where, bool observing) {
            const auto numbers = self.change_for_long([&](AttributeStream& stream) {
              const auto which = of_where ? AttributeStream::of_where : AttributeStream::of_outlier;
              return stream.percentile_numbers(rows, which, observing);
            });
            nb::typed<nb::list, nb::object> found;
            for (const auto& each : numbers) found.append(to_numpy<double>(std::span<const double>(each)));
            return found;
          },
          "rows"_a, "of_where"_a, "observing"_a,
          "The numbers of the columns that are compared with percentiles; `observing` adds them to the percentiles.")
      .def(
          "hold_percentiles",
          [](Stream& self, const std::vector<double>& where, const std::vector<double>& outlier) {
            self.change([&](AttributeStream& stream) {
              stream.hold_percentiles(AttributeStream::of_where, where);
              stream.hold_percentiles(AttributeStream::of_outlier, outlier);
            });
          },
          "where"_a, "outlier"_a, "Compare all later rows with these percentiles.")
      .def("release_percentiles", changing(&AttributeStream::release_percentiles), "Let percentiles follow the rows.")
      .def(
          "percentiles",
          [](const Stream& self, bool of_where) {
            return self.ask([&](const AttributeStream& stream) {
              return stream.percentiles(of_where ? AttributeStream::of_where : AttributeStream::of_outlier);
            });
          },
          "of_where"_a, "The current percentiles of a condition.")
      .def("refresh_percentiles", changing(&AttributeStream::refresh_percentiles), "Take them from all observed rows.")
      .def(
          "seal",
          [](Stream& self, const Vector<std::uint64_t>& ids, double most_outliers) {
            const auto given = span_of(ids);
            std::vector<AttributeId> copied(given.begin(), given.end());
            self.change([&](AttributeStream& stream) { stream.seal(std::move(copied), most_outliers); });
          },
          "ids"_a, "most_outliers"_a, "Count only these attributes; no other has more outliers.")
      .def("open", changing(&AttributeStream::open), "Let other attributes enter again.")
      .def(
          "leave_out",
          [](Stream& self, const Names& names) {
            self.change([&](AttributeStream& stream) { stream.leave_out(names); });
          },
          "names"_a, "These columns are no attributes.")
      .def("learn", &learn_rows, "rows"_a, "Count the rows.")
      .def("merge", merging<AttributeStream>(), "other"_a, "Add the counts of another stream.")
      .def_prop_ro(
          "counts", asking<AttributeStream>([](const AttributeStream& self) {
            const RowCounts counts = self.counts();
            return std::tuple(counts.rows, counts.outliers, counts.skipped, counts.left_out, counts.amounts[1],
                              counts.amounts[0], counts.squared);
          }),
          "Rows, outliers, skipped rows, rows left out, amount of outliers, amount of inliers, sum of squared amounts.")
      .def_prop_ro("columns", asking<AttributeStream>([](const AttributeStream& self) {
                     Names names;
                     for (std::size_t i = 0; i < self.columns().size(); ++i)
                       names.emplace_back(self.columns()[i].name());
                     return names;
                   }),
                   "The columns in the order of their ids.")
      .def_prop_ro("edges", asking<AttributeStream>([](const AttributeStream& self) {
                     std::vector<std::pair<std::string, std::vector<double>>> edges;
                     for (std::size_t i = 0; i < self.columns().size(); ++i) {
                       const ExplainColumn& column = self.columns()[i];
                       auto found = column.cells.used() ? column.cells.edges() : column.edges;
                       if (!found.empty()) edges.emplace_back(column.name(), std::move(found));
                     }
                     return edges;
                   }),
                   "The columns with bins, and the edges of their bins.")
      .def_prop_ro("left_out", asking<AttributeStream>([](const AttributeStream& self) {
                     return std::pair(self.columns().left_out(), self.columns().n_left_out());
                   }),
                   "The first columns that did not fit, and the number of values of such columns.")
      .def_prop_ro("thresholds",
                   asking<AttributeStream>([](const AttributeStream& self) { return thresholds_of(self.outlier()); }),
                   "The current threshold of each comparison of the outlier condition; nan for words.")
      .def_prop_ro("metric", asking<AttributeStream>([](const AttributeStream& self) {
                     const Metric& metric = self.metric();
                     const auto side = [&](bool test) {
                       const auto& sums = metric.totals()[test ? 1 : 0];
                       return std::vector<double>(sums.begin(), sums.begin() + metric.n_moments());
                     };
                     const auto& ends = metric.extremes();
                     return std::tuple(side(false), side(true), std::vector<double>(ends.begin(), ends.end()),
                                       metric.n_numbers(), metric.n_odd(), metric.first_odd());
                   }),
                   "Sums of the moments of the metric by side, its least and largest values, the number of its "
                   "numbers and of other values, and the first of these.")
      .def("held", &held_of, "least_outliers"_a = 0.0,
           "The held attributes and conjunctions as arrays, and the names of attributes: those that probably have at "
           "least so many outliers, and the parts of conjunctions among them.")
      .def_prop_ro("slots_used",
                   asking<AttributeStream>([](const AttributeStream& self) { return self.table().size(); }),
                   "The number of attributes and conjunctions with a slot.")
      .def_prop_ro("complete",
                   asking<AttributeStream>([](const AttributeStream& self) { return self.table().complete(); }),
                   "Whether everything is held.")
      .def_prop_ro("coverage", asking<AttributeStream>([](const AttributeStream& self) {
                     const AttributeTable& table = self.table();
                     const std::size_t bins = self.n_bins();
                     return std::tuple(table.complete(), table.size() + bins,
                                       table.n_distinct(false) + static_cast<double>(bins), table.n_distinct(true),
                                       table.most_outliers_evicted() / self.scale(), table.mean_name_bytes(),
                                       table.n_names_cut());
                   }),
                   "Whether everything is held, how much is held, the number of distinct attributes and of "
                   "conjunctions, the most "
                   "outliers of an evicted attribute, the mean length of a name, and the number of truncated names.")
      .def(
          "state", [](Stream& self) { return self.change(save_state<AttributeStream>).arrays(); },
          "Everything learned, as arrays.")
      .def(
          "load_state",
          [](Stream& self, const Arrays& state) {
            self.change([&](AttributeStream& stream) { load_state(stream, state); });
          },
          "state"_a)
      .def_static(
          "table_bytes", [](GivenShape shape) { return AttributeTable::bytes_for(shape_of(shape)); }, "shape"_a,
          "Bytes of a table with this capacity, width of its sketch, bytes of names, and moments of a metric.")
      .def_prop_ro("nbytes", asking(&AttributeStream::nbytes));
}

}  // namespace

void bind_explain(nb::module_& m) { bind_stream(m); }

}  // namespace wmsketch::python
