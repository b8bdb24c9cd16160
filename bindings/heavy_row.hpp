// A heavy feature as a Python tuple.
#pragma once

#include <nanobind/nanobind.h>

#include "text.hpp"
#include "wmsketch/rule/learner.hpp"

namespace wmsketch::python {

namespace nb = nanobind;

using HeavyRow = nb::typed<nb::tuple, int, double, double, double, nb::str, bool>;

inline nb::tuple heavy_row(const HeavyFeature& row) {
  return nb::make_tuple(row.key, row.weight, row.low, row.high, marked(row.name), row.shortened);
}

}  // namespace wmsketch::python
