// Remembers the features of texts that occurred before in a block. Most columns of a table repeat a few texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wmsketch/data/prefixed_names.hpp"

namespace wmsketch {

// A table of fixed size, in which a newer text takes the place of an older one. Texts and names are in the string of
// all names of the block, so an entry has only their places.
class ValueMemo {
 public:
  struct Entry {
    std::uint64_t block = 0;  // 0: none
    std::uint32_t column = 0;
    std::uint32_t value_begin = 0, value_size = 0;  // the text as it was written
    std::uint32_t begin = 0, size = 0;              // the name of its feature
    Key key = 0;
  };
  static constexpr std::size_t kLongest = 64;  // longer texts rarely occur twice

  // Where a text belongs. It is there if `holds` says so.
  Entry& place(std::uint32_t column, std::string_view value) {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15u;
    const std::uint64_t hash =
        detail::hash_rest(value.data(), value.size(), (column + 1) * kOdd, value.size(), NameSecret{});
    return entries_[hash >> (64 - kBits)];
  }
  static bool holds(const Entry& entry, std::uint64_t block, std::uint32_t column, std::string_view value,
                    const std::string& arena) {
    return entry.block == block && entry.column == column && entry.value_size == value.size() &&
           std::string_view(arena.data() + entry.value_begin, value.size()) == value;
  }

 private:
  static constexpr int kBits = 12;  // 128 KiB: a small part of a cache
  std::vector<Entry> entries_ = std::vector<Entry>(std::size_t{1} << kBits);
};

}  // namespace wmsketch
