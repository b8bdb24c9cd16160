#include "wmsketch/data/hashing.hpp"

#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

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

std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

template <class Word>
std::uint64_t load(const char* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  if constexpr (std::endian::native == std::endian::big && sizeof(Word) == 8) word = __builtin_bswap64(word);
  if constexpr (std::endian::native == std::endian::big && sizeof(Word) == 4) word = __builtin_bswap32(word);
  return word;
}

}  // namespace

NameSecret secret_of_version(int name_hash, std::uint64_t seed) {
  if (name_hash != 1 && name_hash != 2)
    throw parameter_error("name_hash", "must be 1 or 2", static_cast<double>(name_hash));
  return name_hash == 2 ? secret_of_seed(seed) : NameSecret();
}

NameSecret secret_of_seed(std::uint64_t seed) {
  Random random(seed ^ 0x243f6a8885a308d3u);  // so that names and sketches draw different numbers from one seed
  NameSecret secret;
  for (std::uint64_t* part : {&secret.first, &secret.second, &secret.third}) *part = random.next();
  return secret;
}

std::uint64_t hash_name(std::string_view name, const NameSecret& secret) {
  const auto [k0, k1, k2] = secret;
  const char* at = name.data();
  std::size_t left = name.size();
  std::uint64_t state = k0;
  for (; left > 16; at += 16, left -= 16)
    state = fold_multiply(load<std::uint64_t>(at) ^ k1, load<std::uint64_t>(at + 8) ^ state);
  // The last 0 to 16 bytes, as two words of 4 or 8 bytes that may overlap; the length is mixed in below. The choice
  // between 4 and 8 has no branch, because a misprediction would cost more than everything else.
  std::uint64_t low = 0, high = 0;
  if (left >= 4) {
    const std::uint64_t is_long = left >= 8, upper = -is_long << 32;
    const char* const end = at + left - 4;
    low = load<std::uint32_t>(at) | (load<std::uint32_t>(at + 4 * is_long) << 32 & upper);
    high = load<std::uint32_t>(end - 4 * is_long) | (load<std::uint32_t>(end) << 32 & upper);
  } else if (left > 0) {
    const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(at[i])}; };
    low = byte(0) << 16 | byte(left / 2) << 8 | byte(left - 1);
  }
  state = fold_multiply(low ^ k1, high ^ state);
  return fold_multiply(state ^ k2, name.size() ^ k1);
}

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
