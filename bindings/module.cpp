// The extension module: a list of bind_* calls, one file each.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_readers(nb::module_& m);
void bind_pcap(nb::module_& m);
namespace wmsketch::python {
void bind_learner(nb::module_& m);
void bind_multiclass(nb::module_& m);
void bind_counters(nb::module_& m);
void bind_explain(nb::module_& m);
void bind_deltoids(nb::module_& m);
void bind_pmi(nb::module_& m);
}  // namespace wmsketch::python

NB_MODULE(_core, m) {
  m.doc() = "The native core of wmsketch.";
  bind_readers(m);  // first: learners take its blocks of rows
  bind_pcap(m);
  wmsketch::python::bind_learner(m);
  wmsketch::python::bind_multiclass(m);
  wmsketch::python::bind_counters(m);
  wmsketch::python::bind_explain(m);
  wmsketch::python::bind_deltoids(m);
  wmsketch::python::bind_pmi(m);
}
