// Checks that every sketch of depth x width cells shares, so that the messages are the same everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "wmsketch/data/error.hpp"

namespace wmsketch {

// More rows would gain nothing, because each row halves the probability of a bad estimate. With a bound, buffers for
// the rows can be arrays.
inline constexpr std::uint32_t kMaxDepth = 64;

// Bounds on an estimate hold with probability 1 - kFailure unless stated otherwise.
inline constexpr double kFailure = 0.05;

inline void require_shape(std::uint32_t depth, std::uint32_t width) {
  if (depth == 0 || depth > kMaxDepth)
    throw std::invalid_argument("depth must be from 1 to " + std::to_string(kMaxDepth) + ", got " +
                                std::to_string(depth));
  require_parameter(width >= 1, "width", "must be at least 1", width);
}

// For merging: cells can be added only if they have the same meaning on both sides.
template <class Value>
void require_same(const char* name, const Value& mine, const Value& other) {
  if (mine != other)
    throw merge_error(name,
                      std::string(name) + " differs (" + std::to_string(mine) + " and " + std::to_string(other) + ")");
}

template <class Sketch>
void require_same_shape(const Sketch& mine, const Sketch& other) {
  require_same("depth", mine.depth(), other.depth());
  require_same("width", mine.width(), other.width());
  require_same("seed", mine.seed(), other.seed());
  require_same("hash family", static_cast<int>(mine.family()), static_cast<int>(other.family()));
}

inline void require_as_many(std::size_t keys, std::size_t amounts) {  // 0 amounts: each key counts once
  if (amounts != 0 && amounts != keys)
    throw std::invalid_argument("there must be as many amounts as keys, got " + std::to_string(amounts) + " and " +
                                std::to_string(keys));
}

inline void require_cells(std::size_t expected, std::size_t got) {
  if (expected != got)
    throw std::invalid_argument("expected " + std::to_string(expected) + " cells, got " + std::to_string(got));
}

}  // namespace wmsketch
