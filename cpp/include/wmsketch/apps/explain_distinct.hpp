// How many different keys there were, about, in 512 bytes: HyperLogLog (Flajolet and others 2007).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "wmsketch/archive.hpp"
#include "wmsketch/hashing.hpp"

namespace wmsketch {

class DistinctCounter {
 public:
  static constexpr std::size_t kRegisters = 512;  // a standard error of 4.6 %

  void add(Key key) {
    const std::uint32_t hash = mix(key, {0x2545f491u, 0x9e3779b9u}), rest = hash << 9;
    const auto rank = static_cast<std::uint8_t>(rest == 0 ? 24 : std::countl_zero(rest) + 1);
    std::uint8_t& most = registers_[hash >> 23];
    most = std::max(most, rank);
  }
  double estimate() const;
  void merge(const DistinctCounter& other) {
    for (std::size_t i = 0; i < kRegisters; ++i) registers_[i] = std::max(registers_[i], other.registers_[i]);
  }
  void archive(Archive& archive, std::string_view name) { archive.fixed(name, registers_.data(), kRegisters); }

 private:
  std::array<std::uint8_t, kRegisters> registers_{};
};

}  // namespace wmsketch
