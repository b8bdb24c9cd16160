// The parts of the hash of a name, and the hash of names that share a prefix, where they stand in a text.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "wmsketch/data/hashing.hpp"

namespace wmsketch {

namespace detail {

__extension__ using Wide = unsigned __int128;

inline std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

template <class Word>
std::uint64_t load_word(const char* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  if constexpr (std::endian::native == std::endian::big && sizeof(Word) == 8) word = __builtin_bswap64(word);
  if constexpr (std::endian::native == std::endian::big && sizeof(Word) == 4) word = __builtin_bswap32(word);
  return word;
}
inline Wide load_wide(const char* bytes) {
  return static_cast<Wide>(load_word<std::uint64_t>(bytes + 8)) << 64 | load_word<std::uint64_t>(bytes);
}

// The hash of a name from its last 0 to 16 bytes, which are two words that may overlap, and its length.
inline std::uint64_t finish_name(std::uint64_t low, std::uint64_t high, std::uint64_t state, std::size_t size,
                                 const NameSecret& secret) {
  state = fold_multiply(low ^ secret.second, high ^ state);
  return fold_multiply(state ^ secret.third, size ^ secret.second);
}

// Goes on with a hash: `left` bytes at `at` are the end of a name of `size` bytes.
inline std::uint64_t hash_rest(const char* at, std::size_t left, std::uint64_t state, std::size_t size,
                               const NameSecret& secret) {
  for (; left > 16; at += 16, left -= 16)
    state = fold_multiply(load_word<std::uint64_t>(at) ^ secret.second, load_word<std::uint64_t>(at + 8) ^ state);
  // Two words of 4 or 8 bytes. The choice between 4 and 8 has no branch, because a misprediction would cost more than
  // everything else.
  std::uint64_t low = 0, high = 0;
  if (left >= 4) {
    const std::uint64_t is_long = left >= 8, upper = -is_long << 32;
    const char* const end = at + left - 4;
    low = load_word<std::uint32_t>(at) | (load_word<std::uint32_t>(at + 4 * is_long) << 32 & upper);
    high = load_word<std::uint32_t>(end - 4 * is_long) | (load_word<std::uint32_t>(end) << 32 & upper);
  } else if (left > 0) {
    const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(at[i])}; };
    low = byte(0) << 16 | byte(left / 2) << 8 | byte(left - 1);
  }
  return finish_name(low, high, state, size, secret);
}

}  // namespace detail

// Hashes names that begin with the same bytes, as if each were written behind the prefix, without writing it anywhere.
// 16 bytes must be readable from the start of each name.
class PrefixedNames {
 public:
  PrefixedNames(std::string_view prefix, const NameSecret& secret);

  // Whether a part of the prefix must be joined with each name. Otherwise `hash` needs fewer instructions.
  bool joins() const { return n_bytes_ > 0; }
  // The bytes that are joined, and their number.
  detail::Wide joined() const { return bytes_; }
  std::size_t n_joined() const { return n_bytes_; }
  // The hash of a name of this size, from the two words of its last bytes and of those that are joined.
  std::uint64_t finish(std::uint64_t low, std::uint64_t high, std::size_t name_size) const {
    return detail::finish_name(low, high, state_, size_ + name_size, secret_);
  }

  // The hash of prefix + name; the name is not empty. Short names have lengths that nobody can predict, so all cases
  // are computed, and there is a branch only beyond 16 bytes.
  template <bool does_join>
  std::uint64_t hash(const char* name, std::size_t name_size) const {
    using namespace detail;
    const std::size_t size = size_ + name_size, left = (does_join ? n_bytes_ : 0) + name_size;
    // the first 16 of the bytes that are not hashed yet: the end of the prefix, and the start of the name
    const Wide first = does_join ? bytes_ | load_wide(name) << (8 * n_bytes_) : load_word<std::uint64_t>(name);
    const auto low = static_cast<std::uint64_t>(first);
    if (left > 16) {
      if (!does_join) return hash_rest(name, name_size, state_, size, secret_);
      const std::size_t taken = 16 - n_bytes_;
      const std::uint64_t state = fold_multiply(low ^ secret_.second, static_cast<std::uint64_t>(first >> 64) ^ state_);
      return hash_rest(name + taken, name_size - taken, state, size, secret_);
    }
    const std::size_t is_long = left >= 8, word = 4 + 4 * is_long;
    const std::uint64_t kept = ~std::uint64_t{0} >> (64 - 8 * word), is_tiny = -std::uint64_t{left < 4};
    const std::uint64_t high =
        does_join ? static_cast<std::uint64_t>(first >> (8 * (left - word) & 127))
                  : load_word<std::uint64_t>(name + (left - 8) * is_long) >> ((8 * (left - 4) & 31) * (1 - is_long));
    const std::uint64_t middle = low >> (4 * (left & 2)), last = low >> (8 * (left - 1) & 63);  // if it is tiny
    const std::uint64_t tiny = (low & 0xff) << 16 | (middle & 0xff) << 8 | (last & 0xff);
    return finish_name((low & kept & ~is_tiny) | (tiny & is_tiny), high & kept & ~is_tiny, state_, size, secret_);
  }

 private:
  NameSecret secret_;
  std::uint64_t state_;     // after all whole 16 bytes of the prefix
  detail::Wide bytes_ = 0;  // the rest of the prefix
  std::size_t n_bytes_;     // number of these, below 16
  std::size_t size_;        // of the prefix
};

}  // namespace wmsketch
