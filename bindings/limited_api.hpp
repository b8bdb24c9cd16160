// Reads of Python objects that are macros in a build for one version of Python, and calls in one for the limited API.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

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

// The value of an integer of few digits. Returns false for any other, or if only a call could tell.
inline bool small_integer([[maybe_unused]] PyObject* integer, [[maybe_unused]] double& number) {
#ifndef Py_LIMITED_API
  auto* const digits = reinterpret_cast<PyLongObject*>(integer);
#if PY_VERSION_HEX >= 0x030c0000
  if (!PyUnstable_Long_IsCompact(digits)) return false;
  number = static_cast<double>(PyUnstable_Long_CompactValue(digits));
#else
  const Py_ssize_t size = Py_SIZE(integer);  // its sign is that of the number
  if (size < -1 || size > 1) return false;
  number = size == 0 ? 0.0 : static_cast<double>(size * static_cast<Py_ssize_t>(digits->ob_digit[0]));
#endif
  return true;
#else
  return false;
#endif
}

// A key of a dict and its value, as a dict whose keys are all strings stores them.
struct DictItem {
  PyObject *key, *value;
};

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

// Appends the items of a dict, in order. PyDict_Next takes about sixty instructions for an item.
inline void append_items(PyObject* dict, std::vector<DictItem>& to) {
#if !defined(Py_LIMITED_API) && !defined(PYPY_VERSION) && PY_VERSION_HEX < 0x030d0000
  const auto* whole = reinterpret_cast<const PyDictObject*>(dict);
  const auto* keys = reinterpret_cast<const DictKeys*>(whole->ma_keys);
  if (whole->ma_values == nullptr && keys->kind == DictKeys::kAllText) {
    const char* const indices = reinterpret_cast<const char*>(keys + 1);
    const auto* const items = reinterpret_cast<const DictItem*>(indices + (std::size_t{1} << keys->log2_index_bytes));
    const auto* const end = items + keys->n_items;
    const auto before = static_cast<std::ptrdiff_t>(to.size());
    to.insert(to.end(), items, end);
    if (keys->n_items != whole->ma_used)  // the value of an item that was removed is null
      to.erase(std::remove_if(to.begin() + before, to.end(), [](const DictItem& item) { return !item.value; }),
               to.end());
    return;
  }
#endif
  Py_ssize_t at = 0;
  DictItem item{};
  while (PyDict_Next(dict, &at, &item.key, &item.value)) to.push_back(item);
}

inline bool is_empty_text(PyObject* text) {
#ifdef Py_LIMITED_API
  return PyUnicode_GetLength(text) == 0;
#else
  return PyUnicode_GET_LENGTH(text) == 0;
#endif
}

}  // namespace wmsketch::python
