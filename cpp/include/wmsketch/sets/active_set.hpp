// The heaviest keys: exact (heap and index) and associative (cache lines). Both keep the weights in a buffer of the
// store's, so that a feature's place is one word index whichever set holds it.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/sets/keyed_heap.hpp"
#include "wmsketch/simd/kernels.hpp"

namespace wmsketch {

inline constexpr std::uint32_t kNotActive = 0xffffffffu;

// The paper's heap: the victim is the lightest key of all. Costs an index and a heap beside keys and weights.
class ExactSet {
  static auto by_weight(const float* words) {
    return [words](std::uint32_t slot) { return std::abs(words[slot]); };
  }

 public:
  static constexpr bool kNeedsReordering = true;

  ExactSet() = default;
  ExactSet(std::uint32_t capacity, const Hasher&) : heap_(capacity) {}

  static std::uint32_t round_capacity(std::uint32_t wanted) { return wanted; }
  static std::size_t words_for(std::uint32_t capacity) { return capacity; }
  static std::size_t bytes_beside_words(std::uint32_t capacity) { return KeyedHeap::bytes_for(capacity); }
  void clear_words(float* words) const { std::fill_n(words, heap_.capacity(), 0.0f); }

  std::uint32_t capacity() const { return heap_.capacity(); }
  std::uint32_t find(const float*, Key key, std::uint32_t /*hash*/) const { return heap_.find(key); }
  std::uint32_t victim(const float*, std::uint32_t /*hash*/) const {
    return heap_.full() ? heap_.least() : heap_.size();
  }
  bool occupied(const float*, std::uint32_t word) const { return word < heap_.size(); }
  Key key(const float*, std::uint32_t word) const { return heap_.key(word); }
  std::uint32_t slot(std::uint32_t word) const { return word; }

  void place(float* words, std::uint32_t word, Key key, float weight) {
    words[word] = weight;
    if (word == heap_.size()) {
      heap_.insert(key, by_weight(words));
    } else {
      heap_.rename(word, key);
      heap_.changed(word, by_weight(words));
    }
  }
  void reorder(const float* words, std::uint32_t word) { heap_.changed(word, by_weight(words)); }

  template <class Visit>
  void for_each(const float*, Visit visit) const {
    for (std::uint32_t word = 0; word < heap_.size(); ++word) visit(heap_.key(word), word);
  }

  void archive(Archive& archive, float* words) {
    std::vector<Key> keys(heap_.keys().begin(), heap_.keys().end());
    archive.growing("active_keys", keys, heap_.capacity());
    archive.fixed("active_weights", words, heap_.capacity());
    if (!archive.loading()) return;
    for (std::uint32_t i = 0; i < heap_.capacity(); ++i)
      require_state(std::isfinite(words[i]), "an active weight is not finite");
    heap_.rebuild(keys, by_weight(words));
  }

 private:
  KeyedHeap heap_;
};

// Like a CPU cache: a key hashes to one 64-byte line of 8 keys and 8 weights, and the victim is the lightest of that
// line. No heap, no index: the true size is the nominal size.
class AssociativeSet {
 public:
  static constexpr bool kNeedsReordering = false;

  AssociativeSet() = default;
  AssociativeSet(std::uint32_t capacity, const Hasher& hasher) : lines_(capacity / kWays) {
    if (lines_ < 2) throw std::invalid_argument("an associative active set holds at least 16 keys");
    // An empty place holds a key of another line: no lookup can ever mistake it for its own.
    crowded_line_ = line_of(hasher.hash(0, kEmpty));
    while (line_of(hasher.hash(0, other_empty_)) == crowded_line_) --other_empty_;
  }

  static std::uint32_t round_capacity(std::uint32_t wanted) {
    return std::max<std::uint32_t>(2 * kWays, (wanted + kWays - 1) / kWays * kWays);
  }
  static std::size_t words_for(std::uint32_t capacity) { return std::size_t{capacity} / kWays * kLineWords; }
  static std::size_t bytes_beside_words(std::uint32_t) { return 0; }
  void clear_words(float* words) const {
    for (std::uint32_t line = 0; line < lines_; ++line) {
      for (std::uint32_t way = 0; way < kWays; ++way) {
        set_key(words, line * kLineWords + way, empty_key(line));
        words[line * kLineWords + kWays + way] = 0.0f;
      }
    }
  }

  std::uint32_t lines() const { return lines_; }
  std::uint32_t capacity() const { return lines_ * kWays; }
  std::uint32_t find(const float* words, Key key, std::uint32_t hash) const {
    const std::uint32_t first = line_of(hash) * kLineWords;
    for (std::uint32_t way = 0; way < kWays; ++way)
      if (key_at(words, first + way) == key) return first + kWays + way;
    return kNotActive;
  }
  std::uint32_t victim(const float* words, std::uint32_t hash) const {
    const std::uint32_t first = line_of(hash) * kLineWords + kWays;
    std::uint32_t lightest = first;
    for (std::uint32_t way = 1; way < kWays; ++way)
      if (std::abs(words[first + way]) < std::abs(words[lightest])) lightest = first + way;
    return lightest;
  }
  bool occupied(const float* words, std::uint32_t word) const {
    return key(words, word) != empty_key(word / kLineWords);
  }
  Key key(const float* words, std::uint32_t word) const { return key_at(words, word - kWays); }
  std::uint32_t slot(std::uint32_t word) const { return word / kLineWords * kWays + word % kWays; }

  void place(float* words, std::uint32_t word, Key key, float weight) const {
    set_key(words, word - kWays, key);
    words[word] = weight;
  }
  void reorder(const float*, std::uint32_t) const {}

  template <class Visit>
  void for_each(const float* words, Visit visit) const {
    for (std::uint32_t line = 0; line < lines_; ++line) {
      for (std::uint32_t way = 0; way < kWays; ++way) {
        const std::uint32_t word = line * kLineWords + kWays + way;
        if (occupied(words, word)) visit(key(words, word), word);
      }
    }
  }

  void archive(Archive& archive, float* words) {
    std::vector<Key> keys(capacity());
    std::vector<float> weights(capacity());
    for (std::uint32_t i = 0; i < capacity(); ++i) {
      keys[i] = key_at(words, word_of(i) - kWays);
      weights[i] = words[word_of(i)];
    }
    archive.fixed("active_keys", keys.data(), keys.size());
    archive.fixed("active_weights", weights.data(), weights.size());
    if (!archive.loading()) return;
    for (std::uint32_t i = 0; i < capacity(); ++i) {
      require_state(std::isfinite(weights[i]), "an active weight is not finite");
      place(words, word_of(i), keys[i], weights[i]);
    }
  }

 private:
  static constexpr Key kEmpty = 0xffffffffu;

  static Key key_at(const float* words, std::uint32_t word) {
    Key key;
    std::memcpy(&key, words + word, sizeof key);
    return key;
  }
  static void set_key(float* words, std::uint32_t word, Key key) { std::memcpy(words + word, &key, sizeof key); }
  static std::uint32_t word_of(std::uint32_t slot) { return slot / kWays * kLineWords + kWays + slot % kWays; }
  std::uint32_t line_of(std::uint32_t hash) const { return bucket_of(second_hash(hash), lines_); }
  Key empty_key(std::uint32_t line) const { return line == crowded_line_ ? other_empty_ : kEmpty; }

  std::uint32_t lines_ = 0, crowded_line_ = 0;
  Key other_empty_ = kEmpty - 1;
};

}  // namespace wmsketch
