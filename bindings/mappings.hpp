// Python dicts and lists of (feature, value) -> rows. Features are strings or integers; a string value is one-hot.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "text.hpp"
#include "wmsketch/hashing.hpp"
#include "wmsketch/kernels.hpp"
#include "wmsketch/row_block.hpp"

namespace wmsketch::python {

namespace nb = nanobind;

[[noreturn]] inline void refuse(const std::string& problem) { throw nb::value_error(problem.c_str()); }

inline Key key_of_integer(PyObject* feature) {
  nb::object index = nb::steal(PyNumber_Index(feature));
  if (!index.is_valid()) throw nb::python_error();
  int overflow = 0;
  const long long id = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0 || id < 0 || id > 0xffffffffLL)
    refuse("feature ids must be between 0 and 4294967295, got " + std::string(nb::str(index).c_str()));
  return static_cast<Key>(id);
}

inline Key key_of_feature(nb::handle feature) {
  if (PyUnicode_Check(feature.ptr())) return key_of_name(utf8_of(feature.ptr()));
  if (PyIndex_Check(feature.ptr())) return key_of_integer(feature.ptr());
  throw nb::type_error(
      ("a feature must be a string or an integer, got " + std::string(nb::type_name(feature.type()).c_str())).c_str());
}

// Names are read from the Python strings when asked for, so the GIL is held and the mappings kept while a block is in
// use.
class MappingBlock final : public RowBlock {
 public:
  // Adds one row: a mapping, or an iterable of (feature, value) pairs.
  void add(nb::handle features) {
    const std::size_t first = entries_.size();
    const bool usual = PyDict_Check(features.ptr()) ? gather_dict(features.ptr()) : gather_pairs(features);
    keys.resize(entries_.size());
    values.resize(entries_.size());
    if (!usual || !set_usual(first))
      for (std::size_t i = first; i < entries_.size(); ++i) set_feature(i);
    starts.push_back(static_cast<std::int64_t>(entries_.size()));
  }

  void clear_all() {
    clear();
    entries_.clear();
    kept_.clear();
    named = false;
  }

  std::string name(std::size_t i) const override {
    const auto& [feature, value] = entries_[i];
    if (!PyUnicode_Check(feature)) return {};
    std::string text(utf8_of(feature));
    return PyUnicode_Check(value) ? text.append("=").append(utf8_of(value)) : text;
  }

 private:
  struct Entry {
    PyObject *feature, *value;
  };

  // A short loop that only collects: the objects lie all over the memory, and it waits for many of them at once. Tells
  // whether all are strings with floats.
  bool gather_dict(PyObject* dict) {
    const std::size_t first = entries_.size();
    entries_.resize(first + static_cast<std::size_t>(PyDict_GET_SIZE(dict)));
    Py_ssize_t at = 0;
    bool usual = true;
    for (Entry* to = entries_.data() + first; PyDict_Next(dict, &at, &to->feature, &to->value); ++to)
      usual &= PyUnicode_CheckExact(to->feature) & PyFloat_CheckExact(to->value);
    if (!usual) keep_if_code_runs(first);
    return usual;
  }

  bool gather_pairs(nb::handle features) {
    const nb::object pairs = nb::hasattr(features, "items") ? features.attr("items")() : nb::borrow(features);
    for (nb::handle pair : pairs) {
      if (!PySequence_Check(pair.ptr()) || PySequence_Size(pair.ptr()) != 2)
        throw nb::type_error("a row is a mapping from feature to value, or a list of (feature, value) pairs");
      const nb::object feature = pair[0], value = pair[1];
      entries_.push_back({feature.ptr(), value.ptr()});
      keep(entries_.back());
    }
    return false;
  }

  // Objects of other types may have methods that are called when they are asked for their number, and change the dict.
  void keep_if_code_runs(std::size_t first) {
    const auto plain = [](PyObject* object) {
      return PyUnicode_CheckExact(object) || PyFloat_CheckExact(object) || PyLong_CheckExact(object);
    };
    const auto row = std::span(entries_).subspan(first);
    if (std::ranges::all_of(row, [&](const Entry& entry) { return plain(entry.feature) && plain(entry.value); }))
      return;
    for (const Entry& entry : row) keep(entry);
  }
  void keep(const Entry& entry) {
    kept_.push_back(nb::borrow(entry.feature));
    kept_.push_back(nb::borrow(entry.value));
  }

  // Strings with floats. False if a value is not finite: set_feature will say which.
  bool set_usual(std::size_t first) {
    const auto row = std::span(entries_).subspan(first);
    Key* key = keys.data() + first;
    float* value = values.data() + first;
    for (const Entry& entry : row) {
      *key++ = key_of_name(utf8_of(entry.feature));
      *value++ = static_cast<float>(PyFloat_AS_DOUBLE(entry.value));
    }
    named |= !row.empty();
    return kernels().all_finite(values.data() + first, row.size());
  }

  void set_feature(std::size_t i) {
    const auto [feature, value] = entries_[i];
    const bool is_text = PyUnicode_Check(feature);
    if (PyUnicode_Check(value)) {
      if (!is_text) refuse("a string value needs a string feature, got the feature " + describe(feature));
      joined_.assign(utf8_of(feature)).append("=").append(utf8_of(value));
      keys[i] = key_of_name(joined_);
      values[i] = 1.0f;
    } else {
      keys[i] = is_text ? key_of_name(utf8_of(feature)) : key_of_feature(feature);
      values[i] = value_of(feature, value);
    }
    named |= is_text;
  }

  static float value_of(PyObject* feature, PyObject* value) {
    const double wide = PyFloat_CheckExact(value) ? PyFloat_AS_DOUBLE(value) : PyFloat_AsDouble(value);
    if (wide == -1.0 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      throw nb::type_error(
          ("the value of feature " + describe(feature) + " must be a number or a string, got " + describe(value))
              .c_str());
    }
    const auto narrow = static_cast<float>(wide);
    if (!std::isfinite(narrow))
      refuse("the value of feature " + describe(feature) + " must be finite" +
             (std::isfinite(wide) ? " as a 32-bit float" : "") + ", got " + describe(value));
    return narrow;
  }
  static std::string describe(PyObject* object) { return nb::repr(nb::handle(object)).c_str(); }

  std::vector<Entry> entries_;  // one a feature
  std::vector<nb::object> kept_;
  std::string joined_;
};

}  // namespace wmsketch::python
