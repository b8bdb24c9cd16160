// A hash table with open addressing that maps a key to the slot its owner assigned. All indexes from keys to slots use
// it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "wmsketch/data/aligned.hpp"
#include "wmsketch/data/sparse_row.hpp"
#include "wmsketch/data/table_hash.hpp"

namespace wmsketch {

// The table stores slots only, four bytes each. The owner keeps the keys by slot and passes them in. Probing is linear.
// The hash is secret, so no choice of keys can make lookups slow. A table of size 0 is valid and always empty.
class FlatIndex {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffu;

  FlatIndex() = default;
  explicit FlatIndex(std::size_t places) : places_(places, 0) {}  // a power of two, more than the number of keys

  // Table size for this many keys. At least a third of the places stay free.
  static std::size_t places_for(std::size_t keys) { return std::bit_ceil(keys + keys / 2 + 1); }
  std::size_t size() const { return places_.size(); }
  std::size_t nbytes() const { return bytes_for(places_.size()); }
  static std::size_t bytes_for(std::size_t places) { return places * sizeof(std::uint32_t); }

  template <class Keys>
  std::uint32_t find(Key key, const Keys& keys) const {
    return places_.empty() ? kNone : find_from(home(key), key, keys);
  }

  // `find` for each of n keys. All keys look at one place in turn, and those that must look further stay in a list: a
  // branch for each key would be mispredicted. `at` and `waiting` are working memory for n numbers each.
  template <class Keys>
  void find_all(const Key* wanted, std::size_t n, const Keys& keys, std::uint32_t* found, std::uint32_t* at,
                std::uint32_t* waiting) const {
    if (keys.empty()) return static_cast<void>(std::fill(found, found + n, kNone));
    constexpr std::size_t kFew = 6;
    std::size_t left = 0;
    const auto look = [&](std::uint32_t i, std::size_t from) {
      const std::uint32_t place = places_[from];
      const std::uint32_t taken = place != 0, slot = place - taken;  // slot 0 if the place is empty
      const std::uint32_t hit = taken & static_cast<std::uint32_t>(keys[slot] == wanted[i]);
      found[i] = slot | (hit - 1);  // kNone is all ones
      at[i] = static_cast<std::uint32_t>(next(from));
      waiting[left] = i;
      left += taken & ~hit;
    };
    for (std::size_t i = 0; i < n; ++i) look(static_cast<std::uint32_t>(i), home(wanted[i]));
    while (left > kFew)
      for (std::size_t w = 0, n_now = std::exchange(left, 0); w < n_now; ++w) look(waiting[w], at[waiting[w]]);
    for (std::size_t w = 0; w < left; ++w) found[waiting[w]] = find_from(at[waiting[w]], wanted[waiting[w]], keys);
  }

  // Prefetches the place of a key that is looked up soon. It must be inlined: GCC drops calls of a function that only
  // prefetches.
  [[gnu::always_inline]] void prefetch(Key key) const {
    if (!places_.empty()) __builtin_prefetch(&places_[home(key)]);
  }

  template <class Keys>
  void add(std::uint32_t slot, const Keys& keys) {
    std::size_t at = home(keys[slot]);
    while (places_[at] != 0) at = next(at);
    places_[at] = slot + 1;
  }

  template <class Keys>
  void remove(Key key, const Keys& keys) {  // the key must be in the table
    std::size_t hole = home(key);
    while (keys[places_[hole] - 1] != key) hole = next(hole);
    // close the gap, or lookups of later keys would stop at the hole
    for (std::size_t at = next(hole); places_[at] != 0; at = next(at)) {
      const std::size_t wanted = home(keys[places_[at] - 1]);
      if (((at - wanted) & (places_.size() - 1)) >= ((at - hole) & (places_.size() - 1))) {
        places_[hole] = places_[at];
        hole = at;
      }
    }
    places_[hole] = 0;
  }

  void clear() { std::fill(places_.begin(), places_.end(), 0); }
  // Rebuilds the table with another size from all keys, in the order of their slots.
  template <class Keys>
  void rebuild(std::size_t places, const Keys& keys) {
    places_.assign(places, 0);
    for (std::uint32_t slot = 0; slot < keys.size(); ++slot) add(slot, keys);
  }

  // The longest probe sequence of any key.
  template <class Keys>
  std::size_t longest_search(const Keys& keys) const {
    std::size_t longest = 0;
    for (std::size_t at = 0; at < places_.size(); ++at)
      if (places_[at] != 0)
        longest = std::max(longest, ((at - home(keys[places_[at] - 1])) & (places_.size() - 1)) + 1);
    return longest;
  }

 private:
  template <class Keys>
  std::uint32_t find_from(std::size_t at, Key key, const Keys& keys) const {
    for (;; at = next(at)) {
      if (places_[at] == 0) return kNone;
      if (keys[places_[at] - 1] == key) return places_[at] - 1;
    }
  }
  std::size_t next(std::size_t at) const { return (at + 1) & (places_.size() - 1); }
  std::size_t home(Key key) const { return table_hash(key) & (places_.size() - 1); }

  TableVector<std::uint32_t> places_;  // slot + 1, or 0 if empty
};

}  // namespace wmsketch
