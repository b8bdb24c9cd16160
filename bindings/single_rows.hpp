// Single rows as most come: dicts of names with numbers, for a model that has begun. Python calls these methods without
// the conversions of nanobind. They do nothing for any other row or label: its caller then takes the general way, which
// also reports what is wrong.
#pragma once

#include <nanobind/nanobind.h>

#include "bind_rows.hpp"

namespace wmsketch::python {

// The two labels of a model, as objects: negative first.
struct TwoLabels {
  PyObject *negative = nullptr, *positive = nullptr;

  explicit TwoLabels(PyObject* classes) {
    if (!PyTuple_CheckExact(classes) || PyTuple_Size(classes) != 2) return;
    negative = PyTuple_GetItem(classes, 0);
    positive = PyTuple_GetItem(classes, 1);
  }
  // -1 or +1; 0 for an object that is neither, though it may be equal.
  int sign_of(PyObject* label) const { return label == positive ? 1 : label == negative ? -1 : 0; }
};

// learn_usual(features, label, classes, weight, time) -> whether the row was learned.
template <class Shared>
PyObject* learn_usual(PyObject* self, PyObject* const* given, Py_ssize_t n) {
  const auto learned = [&] {
    if (n != 5 || given[4] != Py_None || !PyFloat_CheckExact(given[3]) || double_of(given[3]) != 1.0) return false;
    const int sign = TwoLabels(given[2]).sign_of(given[1]);
    if (sign == 0) return false;
    try {
      if (!nb::inst_ready(self)) return false;
      Shared& model = *nb::inst_ptr<Shared>(self);
      RowsInUse<Shared> row(model, true);
      if (!row.add_usual(given[0])) return false;
      model.learn_python(row.objects(), row.block(), Shared::GivenLabels::of_one(sign), true);
      return true;
    } catch (...) {  // a call that fails changes nothing
      return false;
    }
  };
  return PyBool_FromLong(learned());
}

// Calls use(model, row) with the row of a dict to predict. Returns false if it is unusual, or the call fails.
template <class Shared, class Use>
bool ask_usual(PyObject* self, PyObject* features, Use use) {
  try {
    if (!nb::inst_ready(self)) return false;
    Shared& model = *nb::inst_ptr<Shared>(self);
    RowsInUse<Shared> row(model, false);
    if (!row.add_usual(features)) return false;
    use(model, row);
    return true;
  } catch (...) {
    return false;
  }
}

// margin_usual(features, next) -> the margin, or None.
template <class Shared>
PyObject* margin_usual(PyObject* self, PyObject* const* given, Py_ssize_t n) {
  double margin = 0;
  const auto ask = [&](Shared& model, RowsInUse<Shared>& row) {
    margin = Shared::GivenLabels::to_margin(model.margins_of_python(row.objects(), row.block(), given[1] == Py_True));
  };
  if (n != 2 || !PyBool_Check(given[1]) || !ask_usual<Shared>(self, given[0], ask)) Py_RETURN_NONE;
  return PyFloat_FromDouble(margin);
}

// probabilities_usual(features, classes, next) -> a dict of two labels, or None.
template <class Shared>
PyObject* probabilities_usual(PyObject* self, PyObject* const* given, Py_ssize_t n) {
  double probability = 0;
  const auto ask = [&](Shared& model, RowsInUse<Shared>& row) {
    const auto [margins, calibration] = model.margins_and(row.objects(), row.block(), given[2] == Py_True,
                                                          [](const Learner& it) { return it.calibration(); });
    probability = sigmoid(Shared::GivenLabels::to_margin(margins) * calibration);
  };
  if (n != 3 || !PyBool_Check(given[2])) Py_RETURN_NONE;
  const TwoLabels labels(given[1]);
  if (labels.positive == nullptr || !ask_usual<Shared>(self, given[0], ask)) Py_RETURN_NONE;
  const nb::object negative = nb::steal(PyFloat_FromDouble(1.0 - probability));
  const nb::object positive = nb::steal(PyFloat_FromDouble(probability));
  nb::object both = nb::steal(PyDict_New());
  if (!negative.is_valid() || !positive.is_valid() || !both.is_valid() ||
      PyDict_SetItem(both.ptr(), labels.negative, negative.ptr()) != 0 ||
      PyDict_SetItem(both.ptr(), labels.positive, positive.ptr()) != 0)
    return nullptr;
  return both.release().ptr();
}

// Adds a method that takes an array of arguments.
template <auto method>
void def_fast(nb::handle type, const char* name, const char* doc) {
  static PyMethodDef def = {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(method)), METH_FASTCALL, doc};
  const nb::object made = nb::steal(PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), &def));
  if (!made.is_valid()) throw nb::python_error();
  nb::setattr(type, name, made);
}

// Of a model with two labels.
template <class Shared>
void bind_usual_rows(nb::class_<Shared>& model) {
  def_fast<&learn_usual<Shared>>(
      model, "learn_usual",
      "learn_usual($self, features, label, classes, weight, time, /)\n--\n\n"
      "Learn a dict of names with numbers and one of two labels, of weight 1. Return whether "
      "it was learned; nothing was done for anything else.");
  def_fast<&margin_usual<Shared>>(model, "margin_usual",
                                  "margin_usual($self, features, next, /)\n--\n\n"
                                  "The margin of a dict of names with numbers; None for anything else.");
  def_fast<&probabilities_usual<Shared>>(model, "probabilities_usual",
                                         "probabilities_usual($self, features, classes, next, /)\n--\n\n"
                                         "The probability of each of two labels for a dict of names with numbers; None "
                                         "for anything else.");
}

}  // namespace wmsketch::python
