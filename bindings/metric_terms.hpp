// The terms of a metric as Python gives them.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "wmsketch/apps/explain/metric.hpp"

namespace wmsketch::python {

// What is added up (sum, rows, present or above), the column, and the threshold of `above`.
using GivenTerms = std::vector<std::tuple<std::string, std::string, double>>;

inline std::vector<MetricTerm> terms_of(const GivenTerms& given) {
  using Of = MetricTerm::Of;
  std::vector<MetricTerm> terms;
  for (const auto& [of, column, threshold] : given)
    terms.push_back({of == "sum"       ? Of::sum
                     : of == "rows"    ? Of::rows
                     : of == "present" ? Of::present
                                       : Of::above,
                     column, threshold});
  return terms;
}

}  // namespace wmsketch::python
