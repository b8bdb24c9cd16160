// Converts rows of Python objects with named columns to features, by the same rules as rows of files.
#pragma once

#include <nanobind/nanobind.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "limited_api.hpp"
#include "text.hpp"
#include "wmsketch/readers/numbers.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch::python {

namespace nb = nanobind;

[[noreturn]] inline void refuse(const std::string& problem) { throw nb::value_error(problem.c_str()); }
// Clears the error of an object that could not be converted, to raise a clearer one. An interrupt stays as it is.
inline void clear_refusal() {
  if (!PyErr_ExceptionMatches(PyExc_Exception) || PyErr_ExceptionMatches(PyExc_MemoryError)) throw nb::python_error();
  PyErr_Clear();
}
inline std::string describe(PyObject* object) { return nb::repr(nb::handle(object)).c_str(); }

// The name of a column or feature. A tuple is an n-gram; its words are joined by a blank.
inline std::string name_of_feature(nb::handle feature) {
  if (PyUnicode_Check(feature.ptr())) return std::string(utf8_of(feature.ptr()));
  if (PyTuple_Check(feature.ptr())) {
    std::string name;
    for (nb::handle part : feature) name.append(name.empty() ? "" : " ").append(utf8_of(nb::str(part).ptr()));
    return name;
  }
  throw nb::type_error(("a column must be named by a string, got " + describe(feature.ptr())).c_str());
}

inline constexpr const char* kRowIs = "a row is a mapping from feature to value, or a list of (feature, value) pairs";

// What to iterate over for the (column, value) pairs of a row that is no plain dict.
inline nb::object pairs_of(nb::handle row) {
  if (nb::hasattr(row, "items")) return row.attr("items")();
  if (!nb::hasattr(row, "__iter__")) throw nb::type_error(kRowIs);
  return nb::borrow(row);
}

// Converts one row after the other in reused memory. Of Python's objects, it keeps only the column names of the last
// row, because the next row usually has the same, and only if they are plain strings: dropping an object of another
// type may run its code, which may change the row that is being read.
class PythonRows {
 public:
  explicit PythonRows(std::unique_ptr<RowEncoder> encoder) : owned_(std::move(encoder)), encoder_(*owned_) {}

  // A mapping, or an iterable of (column, value) pairs.
  void add(nb::handle row) {
    try {
      std::size_t place = 0;
      depth_ = 0;  // left over from a failed row
      if (PyDict_CheckExact(row.ptr())) {
        add_dict(row.ptr(), place);
      } else {
        for (nb::handle pair : pairs_of(row)) {
          if (!PySequence_Check(pair.ptr()) || PySequence_Size(pair.ptr()) != 2) throw nb::type_error(kRowIs);
          const nb::object name = pair[0], value = pair[1];
          add_value(column_of(name, place++), value);
        }
      }
      encoder_.end_row();
    } catch (const NoKnownColumn&) {
      encoder_.drop_row();
      throw;
    } catch (const BadValue& bad) {
      encoder_.drop_row();
      throw nb::value_error(bad.message.c_str());
    } catch (...) {
      encoder_.drop_row();
      throw;
    }
  }

  void read_amounts(const std::string& column, NumberStyle style) { encoder_.read_amounts(column, style); }
  const RowBlock& rows() const { return encoder_.rows(); }
  std::unique_ptr<RowBlock> take() { return encoder_.take(); }
  void restart() { encoder_.restart(); }

 private:
  using ColumnId = RowEncoder::ColumnId;
  struct CachedColumn {
    nb::object name;
    ColumnId column;
  };

  // Methods of names and values may change the dict. So all are owned first, unless all are plain.
  void add_dict(PyObject* dict, std::size_t& place) {
    PyObject *name, *value;
    Py_ssize_t at = 0;
    bool plain = true;
    items_.clear();
    while (PyDict_Next(dict, &at, &name, &value)) {
      items_.emplace_back(name, value);
      plain &= PyUnicode_CheckExact(name) && (PyFloat_CheckExact(value) || PyLong_CheckExact(value) ||
                                              PyUnicode_CheckExact(value) || value == Py_None || PyBool_Check(value));
    }
    if (plain) {
      for (const auto& [key, object] : items_) add_value(column_of(key, place++), object);
      return;
    }
    std::vector<std::pair<nb::object, nb::object>> owned;
    owned.reserve(items_.size());
    for (const auto& [key, object] : items_) owned.emplace_back(nb::borrow(key), nb::borrow(object));
    for (const auto& [key, object] : owned) add_value(column_of(key, place++), object);
  }

  ColumnId column_of(nb::handle name, std::size_t place) {
    if (generation_ != encoder_.generation()) {
      cached_columns_.clear();
      generation_ = encoder_.generation();
    }
    if (place < cached_columns_.size() && cached_columns_[place].name.is(name)) return cached_columns_[place].column;
    const ColumnId column = encoder_.column(name_of_feature(name));
    if (!PyUnicode_CheckExact(name.ptr())) return column;
    if (place < cached_columns_.size()) {
      cached_columns_[place] = {nb::borrow(name), column};
    } else if (place == cached_columns_.size() && place < kMostCachedColumns) {
      cached_columns_.push_back({nb::borrow(name), column});
    }
    return column;
  }

  void add_value(ColumnId column, nb::handle value) {
    encoder_.see_column(column);
    PyObject* const object = value.ptr();
    if (PyFloat_CheckExact(object)) return encoder_.add_number(column, double_of(object));
    if (PyUnicode_Check(object)) return encoder_.add_text(column, utf8_of(object));
    if (object == Py_None) return encoder_.add_missing(column);
    if (PyBool_Check(object)) return add_truth(column, object == Py_True);
    if (PyLong_CheckExact(object)) return add_integer(column, value);
    add_other(column, value);
  }

  void add_truth(ColumnId column, bool value) { encoder_.add_bool(column, value, value ? "true" : "false"); }
  void add_integer(ColumnId column, nb::handle given) {
    const nb::object value = nb::borrow(given);  // making an error may run the collector
    const double number = PyLong_AsDouble(value.ptr());
    if (number == -1.0 && PyErr_Occurred() != nullptr) {
      clear_refusal();
      refuse("the value of column " + encoder_.column_name(column) + " must be a number that fits into a float, got " +
             describe(value.ptr()));
    }
    const bool wants_text = std::abs(number) >= kFirstLongCode || encoder_.wants_text(column);
    const nb::object written = wants_text ? nb::steal(PyObject_Str(value.ptr())) : nb::object();
    encoder_.add_number(column, number, wants_text ? utf8_of(written.ptr()) : std::string_view());
  }

  void add_other(ColumnId column, nb::handle value) {
    PyObject* const object = value.ptr();
    if (PyFloat_Check(object)) return encoder_.add_number(column, double_of(object));
    if (nb::hasattr(value, "items")) return add_nested(column, value);
    if (PyList_Check(object) || PyTuple_Check(object) || PyAnySet_Check(object) || is_array(value))
      return add_list(column, value);
    if (is_missing_object(value)) return encoder_.add_missing(column);
    if (nb::hasattr(value, "total_seconds") || type_name_of(value).ends_with("timedelta64"))
      return encoder_.add_number(column, nb::cast<double>(times().attr("seconds_of")(value)));
    if (const nb::object text = text_of_time(value); text.is_valid()) {
      if (text.is_none()) return encoder_.add_missing(column);
      return encoder_.add_text(column, utf8_of(text.ptr()));
    }
    if (is_numpy_bool(value)) return add_truth(column, PyObject_IsTrue(object) == 1);
    if (PyLong_Check(object) || PyIndex_Check(object)) {
      const nb::object integer = nb::steal(PyNumber_Index(object));
      if (!integer.is_valid()) throw nb::python_error();
      return add_integer(column, integer);
    }
    const double number = PyFloat_AsDouble(object);
    if (number == -1.0 && PyErr_Occurred() != nullptr) {
      clear_refusal();
      throw nb::type_error(("the value of column " + encoder_.column_name(column) +
                            " must be a number, a string, a boolean, a date, a list or a mapping, got " +
                            describe(object))
                               .c_str());
    }
    encoder_.add_number(column, number);
  }

  void go_deeper() {
    if (++depth_ > kDeepestNesting)
      refuse("a row must have at most " + std::to_string(kDeepestNesting) + " levels of nesting");
  }

  void add_nested(ColumnId column, nb::handle mapping) {
    go_deeper();
    bool empty = true;
    for (nb::handle pair : mapping.attr("items")()) {
      const nb::object name = pair[0], value = pair[1];
      add_value(encoder_.column_inside(column, name_of_feature(name)), value);
      empty = false;
    }
    if (empty) encoder_.add_nothing(column);
    --depth_;
  }

  // As in files: strings, booleans and integers are features of the column of the list, and other numbers have a
  // position.
  void add_list(ColumnId column, nb::handle list) {
    go_deeper();
    const bool one_column = encoder_.takes_whole_lists(column);
    std::size_t index = 0;
    for (nb::handle item : list) {
      PyObject* const object = item.ptr();
      const bool has_items = nb::hasattr(item, "items") && !PyUnicode_Check(object);
      const bool real =
          PyFloat_Check(object) || (!PyIndex_Check(object) && PyNumber_Check(object) && !is_numpy_bool(item));
      const bool has_place = has_items || PyList_Check(object) || PyTuple_Check(object) || is_array(item) || real;
      if (!one_column && has_place) {
        add_value(encoder_.column_inside(column, std::to_string(index)), item);
      } else if (!one_column && PyIndex_Check(object) && !PyBool_Check(object) && !is_numpy_bool(item)) {
        encoder_.add_text(column, utf8_of(nb::str(item).ptr()));
      } else {
        add_value(column, item);
      }
      ++index;
    }
    if (index == 0) encoder_.add_nothing(column);
    --depth_;
  }

  static std::string type_name_of(nb::handle value) { return nb::type_name(value.type()).c_str(); }
  static bool is_array(nb::handle value) {
    return nb::hasattr(value, "__array__") && nb::hasattr(value, "tolist") && nb::hasattr(value, "ndim") &&
           nb::cast<int>(value.attr("ndim")) > 0;
  }
  static bool is_numpy_bool(nb::handle value) {
    const std::string name = type_name_of(value);
    return name == "numpy.bool_" || name == "numpy.bool" || name == "bool_" || name == "bool";
  }
  // NA or NaT of pandas.
  static bool is_missing_object(nb::handle value) {
    const std::string name = type_name_of(value);
    return name.ends_with("NAType") || name.ends_with("NaTType");
  }
  // The text of a date or time, None for a missing one, and an invalid object for anything else.
  static nb::object text_of_time(nb::handle value) {
    const bool temporal = nb::hasattr(value, "isoformat") || type_name_of(value) == "numpy.datetime64";
    if (!temporal) return {};
    return times().attr("text_of_time")(value);
  }
  static nb::module_ times() { return nb::module_::import_("wmsketch.readers.times"); }

  static constexpr std::size_t kMostCachedColumns = 256;
  std::unique_ptr<RowEncoder> owned_;
  RowEncoder& encoder_;
  std::vector<std::pair<PyObject*, PyObject*>> items_;  // items of the current dict
  std::vector<CachedColumn> cached_columns_;
  std::uint64_t generation_ = 0;
  int depth_ = 0;
};

}  // namespace wmsketch::python
