// A heavy feature as a tuple.
#pragma once

#include <nanobind/nanobind.h>

#include "wmsketch/learner.hpp"

namespace wmsketch::python {

namespace nb = nanobind;

using HeavyRow = nb::typed<nb::tuple, int, double, double, double, nb::str, bool>;

inline nb::tuple heavy_row(const HeavyFeature& row) {
  return nb::make_tuple(
      row.key, row.weight, row.low, row.high,
      nb::steal(PyUnicode_DecodeUTF8(row.name.data(), static_cast<Py_ssize_t>(row.name.size()), "replace")),
      row.shortened);
}

}  // namespace wmsketch::python
