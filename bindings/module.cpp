// The extension module: a list of bind_* calls, one file each.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace wmsketch::python {
void bind_learner(nb::module_& m);
}
void bind_readers(nb::module_& m);

NB_MODULE(_core, m) {
  m.doc() = "The native core of wmsketch.";
  bind_readers(m);
  wmsketch::python::bind_learner(m);
}
