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

// Asks for the memory of a dict's items before PyDict_Next reads them one by one: 16 bytes for an item, and an index.
inline void prefetch_items([[maybe_unused]] PyObject* dict) {
#ifndef Py_LIMITED_API
  constexpr Py_ssize_t kLine = 64, kItem = 19;
  const auto* items = reinterpret_cast<const char*>(reinterpret_cast<PyDictObject*>(dict)->ma_keys);
  for (Py_ssize_t at = 0; at < size_of_dict(dict) * kItem; at += kLine) __builtin_prefetch(items + at);
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
