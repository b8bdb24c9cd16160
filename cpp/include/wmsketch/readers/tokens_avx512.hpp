// The kernels of tokens.hpp for AVX-512.
#pragma once

#include "wmsketch/readers/tokens.hpp"

namespace wmsketch {

const char* find_tokens_avx512(const char* at, const char* line_end, const char* text, char stop, Tokens& tokens);
std::size_t read_numbers_avx512(const char* text, const TextSpan* numbers, std::size_t n, float* values,
                                std::uint16_t* others);
std::size_t read_ids_avx512(const char* text, const TextSpan* ids, std::size_t n, Key* keys, std::uint16_t* others);

}  // namespace wmsketch
