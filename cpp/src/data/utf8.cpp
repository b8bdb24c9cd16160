#include "wmsketch/data/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace wmsketch {
namespace {

template <int n_words>
bool is_ascii(const char* at) {
  std::uint64_t words[n_words], any = 0;
  std::memcpy(words, at, sizeof words);
  for (const std::uint64_t word : words) any |= word;
  return (any & 0x8080808080808080u) == 0;
}

}  // namespace

std::size_t utf8_size(const char* at, const char* end) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(at[i]); };
  const std::size_t size = byte(0) < 0x80 ? 1 : byte(0) < 0xc2 ? 0 : byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
  if (size == 0 || byte(0) > 0xf4 || static_cast<std::size_t>(end - at) < size) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // overlong encodings, surrogates, and code points above U+10FFFF
  if (byte(0) == 0xe0 && byte(1) < 0xa0) return 0;
  if (byte(0) == 0xed && byte(1) > 0x9f) return 0;
  if (byte(0) == 0xf0 && byte(1) < 0x90) return 0;
  if (byte(0) == 0xf4 && byte(1) > 0x8f) return 0;
  return size;
}

const char* find_invalid_utf8(const char* at, const char* end) {
  while (at < end) {
    for (; end - at >= 64; at += 64)  // fast path for ASCII
      if (!is_ascii<8>(at)) break;
    for (; end - at >= 8; at += 8)
      if (!is_ascii<1>(at)) break;
    if (at == end) return nullptr;
    const std::size_t size = utf8_size(at, end);
    if (size == 0) return at;
    at += size;
  }
  return nullptr;
}

}  // namespace wmsketch
