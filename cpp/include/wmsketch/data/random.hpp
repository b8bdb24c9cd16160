// A small seeded generator that returns the same numbers on every machine.
#pragma once

#include <cstdint>

namespace wmsketch {

// The state is one counter: 8 bytes, saved as one number.
class Random {
 public:
  explicit Random(std::uint64_t seed = 0) : state(seed) {}

  std::uint64_t next() {  // splitmix64
    std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }  // in (0, 1)
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32); }

  std::uint64_t state;
};

}  // namespace wmsketch
