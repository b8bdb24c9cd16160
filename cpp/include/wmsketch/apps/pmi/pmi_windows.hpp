// The last items of each group, with which a new item forms pairs, in fixed space.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/name_arena.hpp"
#include "wmsketch/sets/keyed_heap.hpp"

namespace wmsketch {

// Groups may be interleaved. If there are too many, the least recently used group is dropped.
class Windows {
 public:
  static constexpr std::size_t kNameBytes = 64;  // reserved for each item at least; long names borrow from short ones

  Windows(std::uint32_t groups, std::uint32_t window, std::size_t name_bytes = kNameBytes);

  struct Item {
    Key key;
    std::uint32_t number;  // in the exact counts, if there are any
    double seconds;
    float count;          // count of the item when it was added
    float log_count = 0;  // its logarithm, in the passes after the first
  };

  // Makes this group the current one.
  void choose(Key group);
  void clear() { sizes_[current_] = 0; }  // of the current group

  std::uint32_t size() const { return sizes_[current_]; }
  const Item& item(std::uint32_t age) const { return items_[place(age)]; }  // age 0: the latest
  std::string_view name(std::uint32_t age) const { return names_.view(place(age)); }
  bool shortened(std::uint32_t age) const { return names_.shortened(place(age)); }  // the name was truncated
  void add(const Item& item, std::string_view name, bool shortened = false);        // replaces the oldest

  void archive(Archive& archive);

  std::size_t nbytes() const { return bytes_for(groups_.capacity(), window_, name_bytes_); }
  static std::size_t bytes_for(std::uint32_t groups, std::uint32_t window, std::size_t name_bytes = kNameBytes);

 private:
  static std::size_t arena_bytes(std::uint32_t groups, std::uint32_t window, std::size_t name_bytes);
  std::uint32_t place(std::uint32_t age) const {
    const std::uint32_t head = heads_[current_];  // no division: every item reads its whole window
    return current_ * window_ + (head > age ? head : head + window_) - 1 - age;
  }

  std::uint32_t window_, current_ = 0;
  std::size_t name_bytes_;
  std::uint64_t clock_ = 0;
  KeyedHeap groups_;
  std::vector<std::uint64_t> used_;           // last use of each group
  std::vector<std::uint32_t> heads_, sizes_;  // place of the next item, number of items
  std::vector<Item> items_;                   // group by group
  NameArena names_;
};

}  // namespace wmsketch
