// The heaviest keys in cache lines. As in a CPU cache, a key hashes to one 64-byte line, which holds 8 keys and 8
// slots.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/hashing.hpp"
#include "wmsketch/sets/word_buffer.hpp"
#include "wmsketch/simd/hasher.hpp"
#include "wmsketch/simd/kernels.hpp"

namespace wmsketch {

// The victim of an eviction is the lightest key of the line. There is no heap and no index, so no memory beyond keys
// and slots. Both are in a buffer of the owner. A place is the index of the slot's 32-bit word in that buffer.
template <class SlotType>
class LineSet {
 public:
  using Slot = SlotType;
  static constexpr bool kIsExact = false;

  LineSet() = default;
  LineSet(std::uint32_t capacity, const Hasher& hasher) : lines_(capacity / kWays) {
    if (lines_ < 2)
      throw std::invalid_argument("an associative active set must hold at least 16 keys, got " +
                                  std::to_string(capacity));
    // An empty place holds a key that hashes to another line, so that no lookup can find it.
    crowded_line_ = line_of(hasher.hash(0, kEmpty));
    while (line_of(hasher.hash(0, other_empty_)) == crowded_line_) --other_empty_;
  }

  static std::uint32_t round_capacity(std::uint32_t wanted) {
    return std::max<std::uint32_t>(2 * kWays, (wanted + kWays - 1) / kWays * kWays);
  }
  static std::size_t words_for(std::uint32_t capacity) { return std::size_t{capacity} / kWays * kLineWords; }
  static std::size_t index_bytes(std::uint32_t) { return 0; }
  EmptyKeys empty_keys() const { return {kEmpty, other_empty_, crowded_line_}; }
  void clear(WordBuffer words) const {
    for (std::uint32_t number = 0; number < capacity(); ++number)
      place(words, word_of(number), empty_key(number / kWays), 0);
  }

  std::uint32_t lines() const { return lines_; }
  std::uint32_t capacity() const { return lines_ * kWays; }
  // Both look at all eight ways: a branch at the first that fits would be mispredicted more often than not.
  std::uint32_t find(ConstWordBuffer words, Key key, std::uint32_t hash) const {
    const std::uint32_t first = line_of(hash) * kLineWords;
    std::uint32_t found = 0;  // one more than its way
    for (std::uint32_t way = 0; way < kWays; ++way) found = words[first + way] == key ? way + 1 : found;
    return found == 0 ? kNotActive : first + kWays - 1 + found;
  }
  std::uint32_t victim(ConstWordBuffer words, std::uint32_t hash) const {
    const std::uint32_t first = line_of(hash) * kLineWords + kWays;
    std::uint64_t lightest = ~std::uint64_t{0};  // magnitudes are ordered as their bits are; then by way
    for (std::uint32_t way = 0; way < kWays; ++way) {
      const std::uint64_t size = std::bit_cast<std::uint32_t>(size_at(words, first + way));
      lightest = std::min(lightest, size << 3 | way);
    }
    return first + static_cast<std::uint32_t>(lightest % kWays);
  }
  bool occupied(ConstWordBuffer words, std::uint32_t word) const {
    return key(words, word) != empty_key(word / kLineWords);
  }
  Key key(ConstWordBuffer words, std::uint32_t word) const { return words[word - kWays]; }
  std::uint32_t number(std::uint32_t word) const { return word / kLineWords * kWays + word % kWays; }

  void place(WordBuffer words, std::uint32_t word, Key key, std::uint32_t slot) const {
    words.set(word - kWays, key);
    words.set(word, slot);
  }
  void reorder(ConstWordBuffer, std::uint32_t) const {}  // a line is not ordered

  template <class Visit>
  void for_each(ConstWordBuffer words, Visit visit) const {
    for (std::uint32_t i = 0; i < capacity(); ++i)
      if (occupied(words, word_of(i))) visit(key(words, word_of(i)), word_of(i));
  }

  void archive(Archive& archive, WordBuffer words) const {
    std::vector<Key> keys(capacity());
    std::vector<typename Slot::Archived> slots(capacity());
    for (std::uint32_t i = 0; i < capacity(); ++i) {
      keys[i] = key(words, word_of(i));
      slots[i] = std::bit_cast<typename Slot::Archived>(words[word_of(i)]);
    }
    archive.fixed("active_keys", keys.data(), keys.size());
    archive.fixed(Slot::kArchived, slots.data(), slots.size());
    if (!archive.loading()) return;
    for (std::uint32_t i = 0; i < capacity(); ++i) {
      place(words, word_of(i), keys[i], std::bit_cast<std::uint32_t>(slots[i]));
      Slot::require_finite(words[word_of(i)]);
    }
  }

 private:
  static constexpr Key kEmpty = 0xffffffffu;

  static float size_at(ConstWordBuffer words, std::uint32_t word) { return std::abs(Slot::weight(words[word])); }
  static std::uint32_t word_of(std::uint32_t number) { return number / kWays * kLineWords + kWays + number % kWays; }
  std::uint32_t line_of(std::uint32_t hash) const { return bucket_of(second_hash(hash), lines_); }
  Key empty_key(std::uint32_t line) const { return line == crowded_line_ ? other_empty_ : kEmpty; }

  std::uint32_t lines_ = 0, crowded_line_ = 0;
  Key other_empty_ = kEmpty - 1;
};

}  // namespace wmsketch
