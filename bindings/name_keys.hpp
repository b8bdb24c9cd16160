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
//
// Names under one secret: the entries of a table are short because they hold its number instead of the secret.
class NameKeys {
 public:
  explicit NameKeys(const NameSecret& secret) : secret_(secret), number_(number_of(secret.first)) {}

  void prefetch(PyObject* name) const { __builtin_prefetch(&place(name)); }

  // Whether the key of a name is known, without reading the string.
  [[gnu::always_inline]] bool find(PyObject* name, Key& key) const {
    const Entry& entry = place(name);
    if (!holds(entry, name)) return false;
    key = entry.key;
    return true;
  }

  // The key of a plain string that `find` did not find. It is put in its place unless it is long; the name that was
  // there moves to the second place. A name that only its dict holds was made for this row, and will not come again.
  [[gnu::noinline]] Key hash(PyObject* name) const {
    constexpr std::size_t kLongest = 64;
    Entry &first = place(name), &second = entries()[static_cast<std::size_t>(&first - entries().data()) ^ 1];
    if (holds(second, name)) {
      std::swap(first, second);
      return first.key;
    }
    const std::string_view text = utf8_of(name);
    const Key key = key_of_name(text, secret_);
    if (Py_REFCNT(name) > 1 && text.size() <= kLongest) {
      Py_INCREF(name);
      PyObject* const before = std::exchange(second, std::exchange(first, {name, key, number_})).name;
      Py_XDECREF(before);
    }
    return key;
  }

 private:
  struct Entry {
    PyObject* name = nullptr;
    Key key = 0;
    std::uint32_t number = 0;  // of the secret
  };
  static constexpr int kBits = 16;
  using Entries = std::array<Entry, std::size_t{1} << kBits>;

  static Entries& entries() {
    alignas(64) static Entries entries{};
    return entries;
  }
  Entry& place(PyObject* name) const {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15u;
    return entries()[(reinterpret_cast<std::uintptr_t>(name) ^ secret_.first) * kOdd >> (64 - kBits)];
  }
  bool holds(const Entry& entry, PyObject* name) const { return entry.name == name && entry.number == number_; }

  // Every seed has another first part of its secret. The numbers of a few hundred are remembered; one that was
  // forgotten gets a new number.
  static std::uint32_t number_of(std::uint64_t first) {
    struct Numbered {
      std::uint64_t first;
      std::uint32_t number;
    };
    static std::array<Numbered, 256> secrets{};
    static std::uint32_t last = 0;
    Numbered& known = secrets[first % secrets.size()];
    if (known.number != 0 && known.first == first) return known.number;
    if (last == ~std::uint32_t{0}) {  // all numbers were given
      for (Entry& entry : entries()) Py_XDECREF(std::exchange(entry, {}).name);
      secrets = {};
      last = 0;
    }
    known = {first, ++last};
    return last;
  }

  NameSecret secret_;
  std::uint32_t number_;
};

}  // namespace wmsketch::python
