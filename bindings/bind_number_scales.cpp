// The scales of columns of numbers.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <map>
#include <tuple>

#include "arrays.hpp"
#include "text.hpp"
#include "wmsketch/number_scales.hpp"

namespace wmsketch::python {

using namespace nb::literals;

namespace {

using State = std::map<std::string, std::tuple<std::uint64_t, double, double>>;

void fill(NumberScales& scales, const State& state) {
  for (const auto& [name, column] : state) {
    const auto [count, mean, squares] = column;
    if (count < 1 || !std::isfinite(mean) || !std::isfinite(squares) || squares < 0)
      throw std::invalid_argument("the scale of column '" + name +
                                  "' must be a count of at least 1, a finite mean and a sum of squares of at least 0");
    scales.join(name, {count, mean, squares});
  }
}

nb::typed<nb::dict, nb::str, std::tuple<std::uint64_t, double, double>> state_of(const NumberScales& scales) {
  nb::dict state;
  for (const auto& [name, column] : scales.columns())
    state[escaped(name)] = nb::make_tuple(column.count, column.mean, column.squares);
  return nb::borrow<nb::typed<nb::dict, nb::str, std::tuple<std::uint64_t, double, double>>>(state);
}

}  // namespace

void bind_number_scales(nb::module_& m) {
  nb::class_<NumberScales>(m, "NumberScales",
                           "Mean and deviation of the columns of numbers in a stream, for up to 1,024 of them.")
      .def(
          "__init__",
          [](NumberScales* self, const State& state) {
            NumberScales scales;
            fill(scales, state);
            new (self) NumberScales(std::move(scales));
          },
          "state"_a = State())
      .def(
          "learn",
          [](NumberScales& self, RowBlock& block, const Weights& weights) {
            if (weights) check_lengths(block.size(), block.size(), weights->size(), 0);
            nb::gil_scoped_release unlocked;
            self.learn(block, span_of(weights));
          },
          "block"_a, "weights"_a.noconvert() = nb::none(),
          "Learn the numbers of each row and measure them by what was learned up to this row, in place. Rows of weight "
          "0 are not learned from.")
      .def(
          "apply",
          [](const NumberScales& self, RowBlock& block) {
            nb::gil_scoped_release unlocked;
            self.apply(block);
          },
          "block"_a, "Measure the numbers of each row by all that was learned, in place; any number of times.")
      .def(
          "join", [](NumberScales& self, const State& state) { fill(self, state); }, "state"_a,
          "Learn what was learned elsewhere.")
      .def("state", &state_of,
           "For each column how many numbers it had, their mean and their squared distances from it.");
}

}  // namespace wmsketch::python
