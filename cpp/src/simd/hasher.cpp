#include "wmsketch/simd/hasher.hpp"

#include "wmsketch/data/error.hpp"
#include "wmsketch/data/random.hpp"
#include "wmsketch/simd/kernels.hpp"

namespace wmsketch {
namespace {

constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;  // a Mersenne prime, for reduction without division

std::uint64_t multiply_mod_prime(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  std::uint64_t r = static_cast<std::uint64_t>(product & kPrime) + static_cast<std::uint64_t>(product >> 61);
  return r >= kPrime ? r - kPrime : r;
}

}  // namespace

Hasher::Hasher(HashFamily family, std::uint32_t depth, std::uint64_t seed, std::uint32_t independence)
    : family_(family), depth_(depth), independence_(independence) {
  if (independence < 2) throw parameter_error("independence", "must be at least 2", std::uint64_t{independence});
  Random random(seed);
  if (family == HashFamily::mixer) mixers_.reserve(depth);  // reserve, so that nbytes is exact
  if (family == HashFamily::tabulation) tables_.reserve(depth);
  if (family == HashFamily::polynomial) coefficients_.reserve(std::size_t{depth} * independence);
  for (std::uint32_t row = 0; row < depth; ++row) {
    switch (family) {
      case HashFamily::mixer: {
        const std::uint64_t bits = random.next();
        mixers_.push_back({static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)});
        break;
      }
      case HashFamily::tabulation: {
        Tables& tables = tables_.emplace_back();
        for (auto& table : tables)
          for (auto& entry : table) entry = static_cast<std::uint32_t>(random.next() >> 32);
        break;
      }
      case HashFamily::polynomial:
        for (std::uint32_t i = 0; i < independence; ++i) coefficients_.push_back(random.next() % kPrime);
        break;
    }
  }
}

std::uint32_t Hasher::hash(std::uint32_t row, Key key) const {
  switch (family_) {
    case HashFamily::mixer:
      return mix(key, mixers_[row]);
    case HashFamily::tabulation: {
      const Tables& t = tables_[row];
      return t[0][key & 255] ^ t[1][(key >> 8) & 255] ^ t[2][(key >> 16) & 255] ^ t[3][key >> 24];
    }
    case HashFamily::polynomial:
      break;
  }
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < independence_; ++i) {
    value = multiply_mod_prime(value, key) + coefficients_[std::size_t{row} * independence_ + i];
    if (value >= kPrime) value -= kPrime;
  }
  // 61 uniform bits: the upper 32 give the bucket, and the lowest of those the sign
  return static_cast<std::uint32_t>(value >> 29);
}

void Hasher::hash_all(std::uint32_t row, const Key* keys, std::size_t n, std::uint32_t* out) const {
  if (family_ == HashFamily::mixer) {
    kernels().mix_all(keys, n, mixers_[row], out);
    return;
  }
  for (std::size_t i = 0; i < n; ++i) out[i] = hash(row, keys[i]);
}

std::size_t Hasher::bytes_for(HashFamily family, std::uint32_t depth, std::uint32_t independence) {
  switch (family) {
    case HashFamily::mixer:
      return depth * sizeof(MixerSeeds);
    case HashFamily::tabulation:
      return depth * sizeof(Tables);
    case HashFamily::polynomial:
      break;
  }
  return std::size_t{depth} * independence * sizeof(std::uint64_t);
}

}  // namespace wmsketch
