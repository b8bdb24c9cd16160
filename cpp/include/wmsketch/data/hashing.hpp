// The hash of a key: 32 random bits, which give bucket and sign. Names are hashed to keys.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "wmsketch/data/sparse_row.hpp"

namespace wmsketch {

struct MixerSeeds {
  std::uint32_t first, second;
};

// Two multiply-xorshift rounds. The second seed enters between the rounds. Otherwise seeds that differ in a few bits
// would only permute the keys.
inline std::uint32_t mix(Key key, MixerSeeds seeds) {
  std::uint32_t h = key + seeds.first;
  h ^= h >> 16;
  h *= 0x7feb352du;
  h += seeds.second;
  h ^= h >> 15;
  h *= 0x846ca68bu;
  return h ^ (h >> 16);
}

// The inverse of `mix`: both rounds are invertible.
inline Key unmix(std::uint32_t hash, MixerSeeds seeds) {
  std::uint32_t h = hash ^ (hash >> 16);
  h *= 0x43021123u;  // inverse of 0x846ca68b modulo 2^32
  h ^= (h >> 15) ^ (h >> 30);
  h -= seeds.second;
  h *= 0x1d69e2a5u;  // inverse of 0x7feb352d modulo 2^32
  h ^= h >> 16;
  return h - seeds.first;
}

// The high bits give the bucket, for any width and without a division. The lowest bit gives the sign.
inline std::uint32_t bucket_of(std::uint32_t hash, std::uint32_t width) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(hash) * width) >> 32);
}
inline std::uint32_t sign_bit_of(std::uint32_t hash) { return hash << 31; }  // to be XORed into a float
// Made of bits: a branch on a hash would be mispredicted.
inline float sign_of(std::uint32_t hash) { return std::bit_cast<float>(0x3f800000u | hash << 31); }

// A second hash derived from the first by one multiplication. It is a bijection and behaves as if independent.
inline std::uint32_t second_hash(std::uint32_t hash) { return hash * 0x9e3779b1u; }

// The secret that seeds the hash of names. With a random secret, nobody can construct names that collide. The defaults
// are public constants, the same for every model.
struct NameSecret {
  std::uint64_t first = 0x2d358dccaa6c78a5u, second = 0x8bb84b93962eacc9u, third = 0x4b33a62ed433d4a3u;
  friend bool operator==(const NameSecret&, const NameSecret&) = default;
};
NameSecret secret_of_seed(std::uint64_t seed);

// The 64-bit hash of a name, the same on every machine.
std::uint64_t hash_name(std::string_view name, const NameSecret& secret = {});
inline Key key_of_name(std::string_view name, const NameSecret& secret = {}) {
  return static_cast<Key>(hash_name(name, secret) >> 32);
}

// The key of an interaction of two features. The order matters.
inline MixerSeeds seeds_of(Key left) { return {left * 0x9e3779b1u, ~left}; }
inline Key combine_keys(Key left, Key right) { return mix(right, seeds_of(left)); }
inline Key right_of_combined(Key combined, Key left) { return unmix(combined, seeds_of(left)); }

}  // namespace wmsketch
