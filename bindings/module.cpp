// The extension module: a list of bind_* calls, one file each.
#include <nanobind/nanobind.h>

#include "guarded.hpp"

namespace nb = nanobind;

namespace wmsketch::python {
void bind_errors();
void bind_row_blocks(nb::module_& m);
void bind_readers(nb::module_& m);
void bind_tables(nb::module_& m);
void bind_pcap(nb::module_& m);
void bind_learner(nb::module_& m);
void bind_multiclass(nb::module_& m);
void bind_counters(nb::module_& m);
void bind_explain(nb::module_& m);
void bind_metric(nb::module_& m);
void bind_diff(nb::module_& m);
void bind_pmi(nb::module_& m);
}  // namespace wmsketch::python

NB_MODULE(_core, m) {
  m.doc() = "The native core of wmsketch.";
  using namespace wmsketch::python;
  m.attr("HALF_DONE") = kHalfDone;
  bind_errors();
  bind_row_blocks(m);  // first, because learners take them
  bind_readers(m);
  bind_tables(m);
  bind_pcap(m);
  bind_learner(m);
  bind_multiclass(m);
  bind_counters(m);
  bind_explain(m);
  bind_metric(m);
  bind_diff(m);
  bind_pmi(m);
}
