// Python dicts and lists of (feature, value) -> rows. Features are strings or integers; a string value is one-hot.
#pragma once

#include <nanobind/nanobind.h>

#include <cmath>
#include <string>
#include <vector>

#include "text.hpp"
#include "wmsketch/hashing.hpp"
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
    if (PyDict_Check(features.ptr())) {
      const std::size_t size = keys.size() + static_cast<std::size_t>(PyDict_GET_SIZE(features.ptr()));
      if (size > keys.capacity()) reserve(2 * size);
      Py_ssize_t at = 0;
      PyObject *feature = nullptr, *value = nullptr;
      while (PyDict_Next(features.ptr(), &at, &feature, &value)) add_feature(feature, value);
    } else {
      const nb::object pairs = nb::hasattr(features, "items") ? features.attr("items")() : nb::borrow(features);
      for (nb::handle pair : pairs) {
        if (!PySequence_Check(pair.ptr()) || PySequence_Size(pair.ptr()) != 2)
          throw nb::type_error("a row is a mapping from feature to value, or a list of (feature, value) pairs");
        const nb::object feature = pair[0], value = pair[1];
        kept_.push_back(feature);
        kept_.push_back(value);
        add_feature(feature.ptr(), value.ptr());
      }
    }
    starts.push_back(static_cast<std::int64_t>(keys.size()));
  }

  void clear_all() {
    clear();
    names_.clear();
    kept_.clear();
    named = false;
  }

  std::string name(std::size_t i) const override {
    const auto& [feature, category] = names_[i];
    if (feature == nullptr) return {};
    std::string text(utf8_of(feature));
    return category == nullptr ? text : text.append("=").append(utf8_of(category));
  }

 private:
  struct Name {
    PyObject* feature;   // null for an integer
    PyObject* category;  // null unless the value is a string
  };

  void reserve(std::size_t size) {
    keys.reserve(size);
    values.reserve(size);
    names_.reserve(size);
  }

  void add_feature(PyObject* feature, PyObject* value) {
    const bool is_text = PyUnicode_Check(feature);
    if (PyUnicode_Check(value)) {
      if (!is_text) refuse("a string value needs a string feature, got the feature " + describe(feature));
      joined_.assign(utf8_of(feature)).append("=").append(utf8_of(value));
      keys.push_back(key_of_name(joined_));
      values.push_back(1.0f);
      names_.push_back({feature, value});
    } else {
      keys.push_back(is_text ? key_of_name(utf8_of(feature)) : key_of_feature(feature));
      values.push_back(value_of(feature, value));
      names_.push_back({is_text ? feature : nullptr, nullptr});
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

  std::vector<Name> names_;  // one a feature
  std::vector<nb::object> kept_;
  std::string joined_;
};

}  // namespace wmsketch::python
