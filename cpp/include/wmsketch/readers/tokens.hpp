// Words like name:number in a text, many at once: where they are, the hashes of their names, and their numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "wmsketch/data/prefixed_names.hpp"
#include "wmsketch/data/sparse_row.hpp"

namespace wmsketch {

// From `begin` to before `end`, counted from the start of the text.
struct TextSpan {
  std::uint32_t begin, end;
  std::uint32_t size() const { return end - begin; }
};

struct Tokens {
  static constexpr std::size_t kBatch = 256;  // words that are found before the first is read
  static constexpr std::size_t kMost = kBatch + 32;

  std::array<TextSpan, kMost> names;
  std::array<TextSpan, kMost> numbers;  // behind the first colon; a word without a colon has an empty one
  std::size_t n = 0;
  bool any_colon = false;
};

// The same bits from every instruction set. 16 bytes must be readable from the start of each span.
struct TokenKernels {
  // Finds words from `at` on, and returns where it stopped: at the character `stop`, at the end of the line, at a colon
  // without a name, or at the start of the next word. 64 bytes must be readable beyond the end of the line.
  const char* (*find_tokens)(const char* at, const char* line_end, const char* text, char stop, Tokens& tokens);
  // The keys of prefix + name. No name is empty.
  void (*hash_names)(const char* text, const TextSpan* names, std::size_t n, const PrefixedNames& prefixed, Key* keys);
  // Reads numbers of at most eight characters: digits with at most one point, and a minus in front. Returns how many
  // are anything else and lists them, in order; their values mean nothing.
  std::size_t (*read_numbers)(const char* text, const TextSpan* numbers, std::size_t n, float* values,
                              std::uint16_t* others);
  // The same for 1 to 8 digits and nothing else.
  std::size_t (*read_ids)(const char* text, const TextSpan* ids, std::size_t n, Key* keys, std::uint16_t* others);
};
const TokenKernels& token_kernels();  // of the instruction set of kernels()

}  // namespace wmsketch
