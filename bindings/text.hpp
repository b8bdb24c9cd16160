// Python strings to UTF-8 and back.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

namespace wmsketch::python {

namespace nb = nanobind;

// Borrowed from the string, which must outlive it.
inline std::string_view utf8_of(PyObject* text) {
  if (PyUnicode_IS_COMPACT_ASCII(text))  // most names: the bytes lie in the object itself
    return {reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(text)),
            static_cast<std::size_t>(PyUnicode_GET_LENGTH(text))};
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (bytes == nullptr) throw nb::python_error();
  return {bytes, static_cast<std::size_t>(size)};
}

// Names are bytes. What is not UTF-8 is shown escaped ...
inline nb::str escaped(std::string_view name) {
  return nb::steal<nb::str>(
      PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), "backslashreplace"));
}
// ... or as a mark, where a name may have been cut inside a character.
inline nb::str marked(std::string_view name) {
  return nb::steal<nb::str>(PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), "replace"));
}

}  // namespace wmsketch::python
