#include "wmsketch/data/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace wmsketch {

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
    for (std::uint64_t eight; end - at >= 8; at += 8) {  // fast path for ASCII, eight bytes at a time
      std::memcpy(&eight, at, sizeof eight);
      if ((eight & 0x8080808080808080u) != 0) break;
    }
    if (at == end) return nullptr;
    const std::size_t size = utf8_size(at, end);
    if (size == 0) return at;
    at += size;
  }
  return nullptr;
}

}  // namespace wmsketch
