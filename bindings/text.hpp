// Conversion between Python strings and UTF-8.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

namespace wmsketch::python {

namespace nb = nanobind;

// Borrows from the string, which must outlive the result.
inline std::string_view utf8_of(PyObject* text) {
#ifndef Py_LIMITED_API
  if (PyUnicode_IS_COMPACT_ASCII(text))  // the common case: the bytes are in the object
    return {reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(text)),
            static_cast<std::size_t>(PyUnicode_GET_LENGTH(text))};
#endif
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (bytes == nullptr) throw nb::python_error();
  return {bytes, static_cast<std::size_t>(size)};
}

// Names are bytes. Bytes that are not UTF-8 are escaped.
inline nb::str escaped(std::string_view name) {
  return nb::steal<nb::str>(
      PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), "backslashreplace"));
}
// Bytes that are not UTF-8 become U+FFFD, for names that may have been cut within a character.
inline nb::str marked(std::string_view name) {
  return nb::steal<nb::str>(PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), "replace"));
}

}  // namespace wmsketch::python
