// The keys of names that were hashed before, found by the identity of their strings.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <utility>

#include "text.hpp"
#include "wmsketch/data/hashing.hpp"

namespace wmsketch::python {

// One table of fixed size for the process, used under the GIL. An entry owns its string, so no other object can have
// its address; it holds only plain strings, whose end runs no code. So a name is found without reading the string. The
// table has no destructor: strings must not be dropped after the interpreter.
class NameKeys {
 public:
  struct Entry {
    PyObject* name = nullptr;
    std::uint64_t secret = 0;  // the first part of it: every seed has another
    Key key = 0;

    bool holds(PyObject* wanted, const NameSecret& under) const { return name == wanted && secret == under.first; }
  };

  // Where a string belongs.
  static Entry& place(PyObject* name, const NameSecret& secret) {
    static std::array<Entry, std::size_t{1} << kBits> entries{};
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15u;
    return entries[(reinterpret_cast<std::uintptr_t>(name) ^ secret.first) * kOdd >> (64 - kBits)];
  }

  // Hashes a plain string, and puts it in its place unless it is long. One that only its dict holds was made for this
  // row, and will not come again.
  static Key hash(PyObject* name, const NameSecret& secret, Entry& place) {
    constexpr std::size_t kLongest = 64;
    const std::string_view text = utf8_of(name);
    const Key key = key_of_name(text, secret);
    if (Py_REFCNT(name) > 1 && text.size() <= kLongest) {
      Py_INCREF(name);
      PyObject* const before = std::exchange(place, {name, secret.first, key}).name;
      Py_XDECREF(before);
    }
    return key;
  }

 private:
  static constexpr int kBits = 15;
};

}  // namespace wmsketch::python
