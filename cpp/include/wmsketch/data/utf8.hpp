// Validation of UTF-8 text.
#pragma once

#include <cstddef>

namespace wmsketch {

// The length in bytes of the UTF-8 character at `at`, or 0 if there is no valid character. Requires at < end.
std::size_t utf8_size(const char* at, const char* end);

// The first byte that is not part of a valid UTF-8 character, or null.
const char* find_invalid_utf8(const char* at, const char* end);

}  // namespace wmsketch
