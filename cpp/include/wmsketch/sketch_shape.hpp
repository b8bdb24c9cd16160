// What every sketch of depth x width cells checks about its shape.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace wmsketch {

inline void require_shape(std::uint32_t depth, std::uint32_t width) {
  if (depth == 0) throw std::invalid_argument("depth must be at least 1, got 0");
  if (width == 0) throw std::invalid_argument("width must be at least 1, got 0");
}

// For merging: sketches add cell by cell only if every cell means the same on both sides.
template <class Value>
void require_same(const char* name, const Value& mine, const Value& other) {
  if (mine != other)
    throw std::invalid_argument(std::string("cannot merge: ") + name + " differs (" + std::to_string(mine) + " and " +
                                std::to_string(other) + ")");
}

}  // namespace wmsketch
