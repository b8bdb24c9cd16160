// Reads of Python objects that are macros in a build for one version of Python, and calls in one for the limited API.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

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

#if !defined(Py_LIMITED_API) && !defined(PYPY_VERSION) && PY_VERSION_HEX < 0x030d0000
// The keys of a dict as Python 3.11 and 3.12 lay them out: the indices of the hash table, then the items in order.
struct DictKeys {
  Py_ssize_t references;
  std::uint8_t log2_size, log2_index_bytes, kind;
  std::uint32_t version;
  Py_ssize_t usable, n_items;

  static constexpr std::uint8_t kAllText = 1;  // the kind whose keys are all strings: an item is a key and its value
};
#endif

// Calls use(key, value) for each item of a dict, in order. `use` must not change the dict. PyDict_Next takes about
// sixty instructions for an item.
template <class Use>
void for_each_item(PyObject* dict, Use use) {
#if !defined(Py_LIMITED_API) && !defined(PYPY_VERSION) && PY_VERSION_HEX < 0x030d0000
  const auto* whole = reinterpret_cast<const PyDictObject*>(dict);
  const auto* keys = reinterpret_cast<const DictKeys*>(whole->ma_keys);
  if (whole->ma_values == nullptr && keys->kind == DictKeys::kAllText) {
    const char* const indices = reinterpret_cast<const char*>(keys + 1);
    auto* const* item = reinterpret_cast<PyObject* const*>(indices + (std::size_t{1} << keys->log2_index_bytes));
    for (auto* const* const end = item + 2 * keys->n_items; item != end; item += 2)
      if (item[1] != nullptr) use(item[0], item[1]);  // the value of an item that was removed is null
    return;
  }
#endif
  Py_ssize_t at = 0;
  PyObject *key, *value;
  while (PyDict_Next(dict, &at, &key, &value)) use(key, value);
}

inline bool is_empty_text(PyObject* text) {
#ifdef Py_LIMITED_API
  return PyUnicode_GetLength(text) == 0;
#else
  return PyUnicode_GET_LENGTH(text) == 0;
#endif
}

}  // namespace wmsketch::python
