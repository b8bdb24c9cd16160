// Reads of Python objects that are macros in a build for one version of Python, and calls in one for the limited API.
#pragma once

#include <nanobind/nanobind.h>

namespace wmsketch::python {

inline double double_of(PyObject* number) {  // of a float
#ifdef Py_LIMITED_API
  return PyFloat_AsDouble(number);
#else
  return PyFloat_AS_DOUBLE(number);
#endif
}

inline Py_ssize_t size_of_dict(PyObject* dict) {
#ifdef Py_LIMITED_API
  return PyDict_Size(dict);
#else
  return PyDict_GET_SIZE(dict);
#endif
}

inline bool is_empty_text(PyObject* text) {
#ifdef Py_LIMITED_API
  return PyUnicode_GetLength(text) == 0;
#else
  return PyUnicode_GET_LENGTH(text) == 0;
#endif
}

}  // namespace wmsketch::python
