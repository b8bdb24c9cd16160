// Access to 32-bit words in memory of a store, whatever the element type of that memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace wmsketch {

inline constexpr std::uint32_t kNotActive = 0xffffffffu;  // used instead of the index of a word

class ConstWordBuffer {
 public:
  explicit ConstWordBuffer(const void* words) : words_(static_cast<const std::byte*>(words)) {}
  std::uint32_t operator[](std::size_t i) const {
    std::uint32_t word;
    std::memcpy(&word, words_ + sizeof word * i, sizeof word);
    return word;
  }

 private:
  const std::byte* words_;
};

class WordBuffer {
 public:
  explicit WordBuffer(void* words) : words_(static_cast<std::byte*>(words)) {}
  operator ConstWordBuffer() const { return ConstWordBuffer(words_); }  // NOLINT: converts like a pointer to const
  std::uint32_t operator[](std::size_t i) const { return ConstWordBuffer(words_)[i]; }
  void set(std::size_t i, std::uint32_t word) const { std::memcpy(words_ + sizeof word * i, &word, sizeof word); }

 private:
  std::byte* words_;
};

}  // namespace wmsketch
