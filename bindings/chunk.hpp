// Bytes from Python, and names to Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text.hpp"

namespace wmsketch::python {

using Chunk = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline std::string_view chars_of(const Chunk& chunk) {
  return {reinterpret_cast<const char*>(chunk.data()), chunk.size()};
}

inline std::vector<nb::str> as_strs(const std::vector<std::string>& names) {
  std::vector<nb::str> all;
  for (const std::string& name : names) all.push_back(escaped(name));
  return all;
}

inline std::vector<std::pair<nb::str, nb::str>> pairs_of(
    const std::vector<std::pair<std::string, std::string>>& texts) {
  std::vector<std::pair<nb::str, nb::str>> all;
  for (const auto& [one, other] : texts) all.emplace_back(escaped(one), escaped(other));
  return all;
}

}  // namespace wmsketch::python
