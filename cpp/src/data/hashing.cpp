#include "wmsketch/data/hashing.hpp"

#include <bit>
#include <cstring>

#include "wmsketch/data/random.hpp"

namespace wmsketch {
namespace {

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

}  // namespace wmsketch
