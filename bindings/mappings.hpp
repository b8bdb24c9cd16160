// Fast conversion of Python dicts and lists of (feature, value) to rows, for numbers and texts without column rules.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "limited_api.hpp"
#include "name_keys.hpp"
#include "python_rows.hpp"
#include "text.hpp"
#include "wmsketch/data/hashing.hpp"
#include "wmsketch/data/row_block.hpp"
#include "wmsketch/readers/times.hpp"
#include "wmsketch/simd/kernels.hpp"

namespace wmsketch::python {

namespace nb = nanobind;

inline Key key_of_integer(PyObject* feature) {
  nb::object index = nb::steal(PyNumber_Index(feature));
  if (!index.is_valid()) throw nb::python_error();
  int overflow = 0;
  const long long id = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0 || id < 0 || id > 0xffffffffLL)
    refuse("feature ids must be between 0 and 4294967295, got " + std::string(nb::str(index).c_str()));
  return static_cast<Key>(id);
}

inline Key key_of_feature(nb::handle feature, const NameSecret& secret) {
  if (PyUnicode_Check(feature.ptr())) return key_of_name(utf8_of(feature.ptr()), secret);
  if (PyIndex_Check(feature.ptr())) return key_of_integer(feature.ptr());
  if (PyTuple_Check(feature.ptr())) return key_of_name(name_of_feature(feature), secret);
  throw nb::type_error(
      ("a feature must be a string or an integer, got " + std::string(nb::type_name(feature.type()).c_str())).c_str());
}

// Names are read from the Python strings on demand. So the GIL must be held while a block is in use. Before it is
// released, or code of other objects can run, call `own`: that code may change the rows, of which the block borrows.
class MappingBlock final : public RowBlock {
 public:
  // Adds one row: a mapping, or an iterable of (feature, value) pairs. Returns false, and adds nothing, if the row has
  // named columns with values that need column rules (booleans, dates, lists, missing values).
  bool add(nb::handle features) {
    const bool is_dict = PyDict_CheckExact(features.ptr());
    if (is_dict && add_usual(features.ptr())) return true;
    const std::size_t first = entries_.size();
    if (is_dict)
      append_items(features.ptr(), entries_);
    else
      gather_pairs(features);
    keys.resize(entries_.size());
    values.resize(entries_.size());
    if (is_dict) own_if_code_runs(first);
    if (!set_features(first)) {
      truncate(first);
      return false;
    }
    end_row();
    return true;
  }

  // Adds a dict of strings with floats or integers, without running code of other objects. Returns false, and adds
  // nothing, if it has anything else.
  bool add_usual(PyObject* dict) {
    const std::size_t first = entries_.size();
    append_items(dict, entries_);
    keys.resize(entries_.size());
    values.resize(entries_.size());
    if (!set_usual(first)) {
      truncate(first);
      return false;
    }
    end_row();
    return true;
  }

  // Keeps the features and values of all rows so far alive.
  void own() {
    for (; n_owned_ < entries_.size(); ++n_owned_) keep(entries_[n_owned_]);
  }
  void own_row(nb::handle row) { kept_.push_back(nb::borrow(row)); }

  // Clears what a row may have. Nothing else of the block is ever set.
  void clear_all() {
    starts.resize(1);
    keys.clear();
    values.clear();
    weights.clear();
    times.clear();
    numbers.clear();
    entries_.clear();
    n_owned_ = 0;
    named = false;
    if (kept_.empty()) return;
    const auto dropped = std::exchange(kept_, {});  // dropping an object may run its code
  }

  std::string name(std::size_t i) const override {
    const auto& [feature, value] = entries_[i];
    if (!PyUnicode_Check(feature)) return {};
    if (!PyUnicode_Check(value)) return std::string(utf8_of(feature));
    std::string name;
    append_category_name(name, utf8_of(feature), utf8_of(value));
    return name;
  }

 private:
  void gather_pairs(nb::handle features) {
    own();
    const nb::object pairs = pairs_of(features);
    for (nb::handle pair : pairs) {
      if (!PySequence_Check(pair.ptr()) || PySequence_Size(pair.ptr()) != 2) throw nb::type_error(kRowIs);
      const nb::object feature = pair[0], value = pair[1];
      entries_.push_back({feature.ptr(), value.ptr()});
      own();
    }
  }

  // Reading a number from an object of another type may run its methods, which may change this dict and earlier ones.
  void own_if_code_runs(std::size_t first) {
    const auto plain = [](PyObject* object) {
      return PyUnicode_CheckExact(object) || PyFloat_CheckExact(object) || PyLong_CheckExact(object);
    };
    const auto row = std::span(entries_).subspan(first);
    if (std::ranges::all_of(row, [&](const DictItem& entry) { return plain(entry.key) && plain(entry.value); })) return;
    own();
  }
  void keep(const DictItem& entry) {
    kept_.push_back(nb::borrow(entry.key));
    kept_.push_back(nb::borrow(entry.value));
  }

  void end_row() { starts.push_back(static_cast<std::int64_t>(entries_.size())); }
  void truncate(std::size_t n) {
    entries_.resize(n);
    n_owned_ = std::min(n_owned_, n);
    keys.resize(n);
    values.resize(n);
    while (!numbers.empty() && numbers.back().place >= n) numbers.pop_back();
  }

  // For strings with floats or integers. Returns false if a feature or a value is anything else.
  bool set_usual(std::size_t first) {
    const auto row = std::span<const DictItem>(entries_).subspan(first);
    if (row.empty()) return true;
    const std::span<float> to(values.data() + first, row.size());
    const NameKeys known{secret};
    if (!set_values(row, known, to.data()) || !set_keys(row, known, keys.data() + first)) return false;
    named = true;
    if (all_small(to)) return true;
    const auto holds_epoch = [](const DictItem& each) {
      double given = 0;
      return read_number(each.value, given) && is_epoch(utf8_of(each.key), given);
    };
    return kernels().all_finite(to.data(), to.size()) && std::ranges::none_of(row, holds_epoch);
  }

  // Also asks for the lines of the names, which lie anywhere in a large table.
  static bool set_values(std::span<const DictItem> row, const NameKeys& known, float* to) {
    PyObject* last = nullptr;  // often all features have one object as their value
    double number = 0;
    for (const DictItem& item : row) {
      known.prefetch(item.key);
      if (item.value != last && !read_number(item.value, number)) return false;
      last = item.value;
      *to++ = static_cast<float>(number);
    }
    return true;
  }
  static bool set_keys(std::span<const DictItem> row, const NameKeys& known, Key* key) {
    for (const DictItem& item : row) {
      if (!known.find(item.key, *key)) {
        if (!PyUnicode_CheckExact(item.key)) return false;
        *key = known.hash(item.key);
      }
      ++key;
    }
    return true;
  }

  // Whether no value is infinite, none is missing, and none can be a time.
  static bool all_small(std::span<const float> row) {
    constexpr float kLeast = std::numeric_limits<float>::lowest(), kBelow = kFirstEpoch;
    static_assert(double{kBelow} == kFirstEpoch);
    int large = 0;
    for (const float value : row) large |= !(value < kBelow) | !(value >= kLeast);
    return large == 0;
  }

  // Reads a float or an integer. Returns false if it is neither, or too large; PythonRows reads that.
  [[gnu::always_inline]] static bool read_number(PyObject* value, double& number) {
    return read_small(value, number) || (PyLong_CheckExact(value) && read_integer(value, number));
  }
  // Reads a float, or an integer of few digits.
  [[gnu::always_inline]] static bool read_small(PyObject* value, double& number) {
    if (!PyFloat_CheckExact(value)) return PyLong_CheckExact(value) && small_integer(value, number);
    number = double_of(value);
    return true;
  }
  // Without an error, whatever the integer: making one may run the collector, which may change a dict that is not
  // owned.
  [[gnu::noinline]] static bool read_integer(PyObject* value, double& number) {
    int overflow = 0;
    number = static_cast<double>(PyLong_AsLongLongAndOverflow(value, &overflow));
    return overflow == 0;
  }

  // Whether a number is a time, which needs column rules.
  static bool is_epoch(std::string_view name, double number) {
    return number >= kFirstEpoch && names_epoch(name) && epoch_seconds(number);
  }

  static bool is_time(std::string_view name, std::string_view text) {
    if (!may_be_time(text)) return false;
    const auto number = number_in(text);
    return number ? is_epoch(name, *number) : calendar_seconds(text).has_value();
  }

  bool set_features(std::size_t first) {
    for (std::size_t i = first; i < entries_.size(); ++i) {
      PyObject* feature = entries_[i].key;
      if (PyUnicode_Check(feature)) {
        if (!set_named(i)) return false;
      } else if (PyTuple_Check(feature)) {
        return false;
      } else {
        set_integer(i);
      }
    }
    return true;
  }

  bool set_named(std::size_t i) {
    const auto [feature, value] = entries_[i];
    named = true;
    if (PyUnicode_Check(value)) {
      category_.clear();
      append_category_name(category_, utf8_of(feature), utf8_of(value));
      keys[i] = key_of_name(category_, secret);
      values[i] = 1.0f;
      return !is_empty_text(value) && !is_time(utf8_of(feature), utf8_of(value));
    }
    double wide = 0;
    if (PyFloat_Check(value))
      wide = double_of(value);
    else if (!read_number(value, wide))
      return false;
    keys[i] = key_of_name(utf8_of(feature), secret);
    values[i] = static_cast<float>(wide);
    return std::isfinite(values[i]) && !is_epoch(utf8_of(feature), wide);
  }

  // Integer features have no columns. A value is a number, or missing: 0, and NaN among the numbers.
  void set_integer(std::size_t i) {
    const auto [feature, value] = entries_[i];
    double id = 0, number = 0;
    if (PyLong_CheckExact(feature) && small_integer(feature, id) && id >= 0 && read_small(value, number) &&
        std::abs(number) <= std::numeric_limits<float>::max()) {
      keys[i] = static_cast<Key>(id);
      values[i] = static_cast<float>(number);
      numbers.push_back({number, static_cast<std::uint32_t>(i)});
      return;
    }
    const auto owned = std::pair(nb::borrow(feature), nb::borrow(value));  // making an error may run the collector
    if (PyUnicode_Check(value)) refuse("a string value needs a string feature, got the feature " + describe(feature));
    keys[i] = key_of_feature(feature, secret);
    double wide = value == Py_None            ? std::numeric_limits<double>::quiet_NaN()
                  : PyFloat_CheckExact(value) ? double_of(value)
                                              : PyFloat_AsDouble(value);
    if (wide == -1.0 && PyErr_Occurred() != nullptr) {
      clear_refusal();
      wide = std::numeric_limits<double>::quiet_NaN();
      if (const std::string type = nb::type_name(nb::handle(value).type()).c_str();
          !type.ends_with("NAType") && !type.ends_with("NaTType"))
        throw nb::type_error(
            ("the value of feature " + describe(feature) + " must be a number or a string, got " + describe(value))
                .c_str());
    }
    values[i] = std::isnan(wide) ? 0.0f : static_cast<float>(wide);
    if (!std::isfinite(values[i]))
      refuse("the value of feature " + describe(feature) + " must be finite" +
             (std::isfinite(wide) ? " as a 32-bit float" : "") + ", got " + describe(value));
    numbers.push_back({wide, static_cast<std::uint32_t>(i)});
  }

  std::vector<DictItem> entries_;  // one for each feature
  std::size_t n_owned_ = 0;        // number of entries in kept_
  std::vector<nb::object> kept_;
  std::string category_;
};

}  // namespace wmsketch::python
