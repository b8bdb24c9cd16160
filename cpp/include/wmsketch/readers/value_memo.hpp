// Remembers the features of texts that occurred before in a block. Most columns of a table repeat a few texts.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wmsketch/data/prefixed_names.hpp"

namespace wmsketch {

// A table of fixed size, in which a newer text takes the place of an older one. An entry holds a text of up to 16
// bytes; of a longer one it has the hash, and its place in the string of all names of the block.
class ValueMemo {
 public:
  // A text as two words: its bytes with zeros behind them, or its hash if it is longer.
  struct Text {
    std::uint64_t low = 0, high = 0;
    std::string_view value{};
  };
  struct Entry {
    std::uint64_t block = 0;  // 0: none
    std::uint64_t low = 0, high = 0;
    std::uint32_t column = 0;
    std::uint32_t value_begin = 0, value_size = 0;  // the text as it was written
    std::uint32_t name = 0;                         // the name of its feature in the block
    Key key = 0;
  };
  static constexpr std::size_t kLongest = 64;  // longer texts rarely occur twice
  static constexpr std::size_t kShort = 16;

  static Text text_of(std::string_view value) {
    Text text{.value = value};
    if (value.size() > kShort) {
      text.low = detail::hash_rest(value.data(), value.size(), 0, value.size(), NameSecret{});
      return text;
    }
    const char* const at = value.data();
    const std::size_t size = value.size();
    if (size >= 8) {  // the last eight bytes, without those that `low` has already
      text.low = detail::load_word<std::uint64_t>(at);
      const std::uint64_t last = detail::load_word<std::uint64_t>(at + size - 8);
      text.high = size == 8 ? 0 : last >> (8 * (16 - size));
    } else if (size >= 4) {
      text.low = detail::load_word<std::uint32_t>(at) | detail::load_word<std::uint32_t>(at + size - 4)
                                                            << (8 * (size - 4));
    } else {
      for (std::size_t i = size; i-- > 0;) text.low = text.low << 8 | static_cast<unsigned char>(at[i]);
    }
    return text;
  }
  // The same for 1 to 16 bytes of which 16 can be read.
  static Text text_of_padded(const char* at, std::size_t size) {
    return {detail::load_word<std::uint64_t>(at) & kKept[size].low,
            detail::load_word<std::uint64_t>(at + 8) & kKept[size].high,
            {at, size}};
  }

  // Where a text belongs. It is there if `holds` says so.
  Entry& place(std::uint32_t column, const Text& text) {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15u, kOther = 0x8bb84b93962eacc9u;
    return entries_[detail::fold_multiply(text.low ^ (column + 1) * kOdd, text.high ^ kOther) >> (64 - kBits)];
  }
  static bool holds(const Entry& entry, std::uint64_t block, std::uint32_t column, const Text& text,
                    const std::string& arena) {
    const std::uint64_t differ = (entry.block ^ block) | (entry.low ^ text.low) | (entry.high ^ text.high) |
                                 (entry.column ^ column) | (entry.value_size ^ text.value.size());
    return differ == 0 && (text.value.size() <= kShort ||
                           std::string_view(arena.data() + entry.value_begin, entry.value_size) == text.value);
  }

 private:
  struct Kept {
    std::uint64_t low, high;
  };
  static constexpr auto kKept = [] {  // the bytes of a text, by its size
    std::array<Kept, kShort + 1> kept{};
    for (std::size_t i = 1; i <= kShort; ++i)
      kept[i] = {~std::uint64_t{0} >> (i < 8 ? 64 - 8 * i : 0), i <= 8 ? 0 : ~std::uint64_t{0} >> (128 - 8 * i)};
    return kept;
  }();

  static constexpr int kBits = 12;  // 224 KiB: a small part of a cache
  std::vector<Entry> entries_ = std::vector<Entry>(std::size_t{1} << kBits);
};

}  // namespace wmsketch
