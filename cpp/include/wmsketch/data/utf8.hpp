// Whether bytes are text in UTF-8.
#pragma once

#include <cstddef>

namespace wmsketch {

// How many bytes the UTF-8 character at `at` has; 0 when it is not one. `at` must lie before `end`.
std::size_t utf8_size(const char* at, const char* end);

// The first byte that belongs to no UTF-8 character, or null.
const char* find_invalid_utf8(const char* at, const char* end);

}  // namespace wmsketch
