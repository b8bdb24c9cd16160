// The keys of names that were hashed before, found by the identity of their strings.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "text.hpp"
#include "wmsketch/data/hashing.hpp"

namespace wmsketch::python {

#ifdef Py_GIL_DISABLED
class NameKeys {  // knows no name
 public:
  explicit NameKeys(const NameSecret& secret) : secret_(secret) {}
  void prefetch(PyObject*) const {}
  bool find(PyObject*, Key&) const { return false; }
  Key hash(PyObject* name) const { return key_of_name(utf8_of(name), secret_); }

 private:
  const NameSecret& secret_;
};
#else

// One table of fixed size for the process, used under the GIL. An entry owns its string, so no other object can have
// its address; it holds only plain strings, whose end runs no code. So a name is found without reading the string. The
// table has no destructor: strings must not be dropped after the interpreter.
//
// The names of one secret: a word is the address of a string and, in the highest byte, the number of the secret. Which
// of the places of its line a word has cannot be predicted, so all are compared.
class NameKeys {
 public:
  explicit NameKeys(const NameSecret& secret) : secret_(secret), number_(number_of(secret.first)) {}

  void prefetch(PyObject* name) const { __builtin_prefetch(&line_of(word_of(name))); }

  // Whether the key of a name is known, without reading the string.
  [[gnu::always_inline]] bool find(PyObject* name, Key& key) const {
    const std::uint64_t word = word_of(name);
    const Line& line = line_of(word);
    std::size_t at = kPlaces;
    for (std::size_t i = 0; i < kPlaces; ++i) at = line.words[i] == word ? i : at;
    key = line.keys[at];
    return at != kPlaces;
  }

  // The key of a plain string that `find` did not find. It is remembered instead of the oldest name of its line, unless
  // it is long. A name that only its dict holds was made for this row, and will not come again.
  [[gnu::noinline]] Key hash(PyObject* name) const {
    constexpr std::size_t kLongest = 64;
    const std::string_view text = utf8_of(name);
    const Key key = key_of_name(text, secret_);
    const std::uint64_t word = word_of(name);
    if (Py_REFCNT(name) > 1 && text.size() <= kLongest && string_of(word) == name) {
      Py_INCREF(name);
      Line& line = line_of(word);
      PyObject* const oldest = string_of(line.words[kPlaces - 1]);
      std::copy_backward(line.words, line.words + kPlaces - 1, line.words + kPlaces);
      std::copy_backward(line.keys, line.keys + kPlaces - 1, line.keys + kPlaces);
      line.words[0] = word;
      line.keys[0] = key;
      Py_XDECREF(oldest);
    }
    return key;
  }

 private:
  static constexpr int kAddressBits = 56, kBits = 14;
  static constexpr std::size_t kPlaces = 5;
  struct alignas(64) Line {
    std::uint64_t words[kPlaces];
    Key keys[kPlaces + 1];  // one is not used
  };
  using Lines = std::array<Line, std::size_t{1} << kBits>;

  static Lines& lines() {
    static Lines lines{};
    return lines;
  }
  static Line& line_of(std::uint64_t word) { return lines()[word * 0x9e3779b97f4a7c15u >> (64 - kBits)]; }
  std::uint64_t word_of(PyObject* name) const { return reinterpret_cast<std::uintptr_t>(name) ^ number_; }
  static PyObject* string_of(std::uint64_t word) {
    return reinterpret_cast<PyObject*>(static_cast<std::uintptr_t>(word << (64 - kAddressBits) >> (64 - kAddressBits)));
  }

  // Every seed has another first part of its secret. The numbers of many are remembered; one that was forgotten gets a
  // new number.
  static std::uint64_t number_of(std::uint64_t first) {
    struct Numbered {
      std::uint64_t first, number;
    };
    static std::array<Numbered, 256> secrets{};
    static std::uint64_t last = 0;
    Numbered& known = secrets[first % secrets.size()];
    if (known.number != 0 && known.first == first) return known.number;
    if (last == 255) {  // all numbers were given
      for (Line& line : lines())
        for (std::uint64_t& word : line.words) Py_XDECREF(string_of(std::exchange(word, 0)));
      secrets = {};
      last = 0;
    }
    known = {first, ++last << kAddressBits};
    return known.number;
  }

  NameSecret secret_;
  std::uint64_t number_;
};
#endif

}  // namespace wmsketch::python
