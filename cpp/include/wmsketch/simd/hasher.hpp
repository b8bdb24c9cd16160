// Hash functions: a key and a seed give 32 random bits for each row of a sketch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "wmsketch/data/hashing.hpp"

namespace wmsketch {

// mixer (default): seeded, without tables, full avalanche. tabulation: 3-wise independent, used in the paper; 4 KiB of
// tables for each row. polynomial: `independence`-wise independent, as the theory requires.
enum class HashFamily : std::uint8_t { mixer, tabulation, polynomial };

// Hash functions for `depth` rows.
class Hasher {
 public:
  static constexpr std::uint32_t kDefaultIndependence = 8;

  Hasher() = default;
  Hasher(HashFamily family, std::uint32_t depth, std::uint64_t seed, std::uint32_t independence = kDefaultIndependence);

  std::uint32_t depth() const { return depth_; }
  HashFamily family() const { return family_; }

  std::uint32_t hash(std::uint32_t row, Key key) const;
  // `out` must have room for n rounded up to a multiple of eight.
  void hash_all(std::uint32_t row, const Key* keys, std::size_t n, std::uint32_t* out) const;

  std::size_t nbytes() const { return bytes_for(family_, depth_, independence_); }
  static std::size_t bytes_for(HashFamily family, std::uint32_t depth, std::uint32_t independence);

 private:
  using Tables = std::array<std::array<std::uint32_t, 256>, 4>;

  HashFamily family_ = HashFamily::mixer;
  std::uint32_t depth_ = 0;
  std::uint32_t independence_ = kDefaultIndependence;
  std::vector<MixerSeeds> mixers_;
  std::vector<Tables> tables_;
  std::vector<std::uint64_t> coefficients_;  // depth x independence, below 2^61 - 1
};

}  // namespace wmsketch
