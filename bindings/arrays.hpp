// Conversion between numpy arrays and spans.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace wmsketch::python {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Labels = std::optional<Vector<std::int8_t>>;
using Weights = std::optional<Vector<float>>;
using Times = std::optional<Vector<double>>;

template <class T>
std::span<const T> span_of(const Vector<T>& array) {
  return {array.data(), array.size()};
}
template <class T>
std::span<const T> span_of(const std::optional<Vector<T>>& array) {
  return array ? span_of(*array) : std::span<const T>{};
}

// A new numpy array that owns these values.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T>&& values) {
  auto* own = new std::vector<T>(std::move(values));
  nb::capsule owner(own, [](void* at) noexcept { delete static_cast<std::vector<T>*>(at); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(own->data(), {own->size()}, owner);
}
// A new numpy array with a copy of these values.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::span<const T> values) {
  return to_numpy(std::vector<T>(values.begin(), values.end()));
}

inline void check_lengths(std::size_t rows, std::size_t labels, std::size_t weights, std::size_t times) {
  const auto refuse = [&](const char* name, std::size_t length) {
    throw nb::value_error((std::string(name) + " must have one entry for each row, got " + std::to_string(length) +
                           " for " + std::to_string(rows) + " rows")
                              .c_str());
  };
  if (labels != rows) refuse("y", labels);
  if (weights != 0 && weights != rows) refuse("sample_weight", weights);
  if (times != 0 && times != rows) refuse("times", times);
}

}  // namespace wmsketch::python
