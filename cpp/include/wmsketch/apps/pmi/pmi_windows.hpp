// The last items of each group, in fixed space: what a new item makes pairs with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/name_arena.hpp"
#include "wmsketch/sets/keyed_heap.hpp"

namespace wmsketch {

// Groups may come interleaved; of more groups than there is room for, the one that was silent longest is forgotten.
class Windows {
 public:
  static constexpr std::size_t kNameBytes = 64;  // at least, set aside for each item; long names borrow from short ones

  Windows(std::uint32_t groups, std::uint32_t window, std::size_t name_bytes = kNameBytes);

  struct Item {
    Key key;
    std::uint32_t number;  // in the exact counts, where there are any
    double seconds;
    float count;  // of the item, when it came
  };

  // Makes this group the current one.
  void choose(Key group);
  void clear() { sizes_[current_] = 0; }  // of the current group

  std::uint32_t size() const { return sizes_[current_]; }
  const Item& item(std::uint32_t age) const { return items_[place(age)]; }  // 0: the last
  std::string_view name(std::uint32_t age) const { return names_.view(place(age)); }
  bool shortened(std::uint32_t age) const { return names_.shortened(place(age)); }  // the name was cut
  void add(const Item& item, std::string_view name, bool shortened = false);        // in place of the oldest

  void archive(Archive& archive);

  std::size_t nbytes() const { return bytes_for(groups_.capacity(), window_, name_bytes_); }
  static std::size_t bytes_for(std::uint32_t groups, std::uint32_t window, std::size_t name_bytes = kNameBytes);

 private:
  static std::size_t arena_bytes(std::uint32_t groups, std::uint32_t window, std::size_t name_bytes);
  std::uint32_t place(std::uint32_t age) const {
    const std::uint32_t head = heads_[current_];  // no division: every item asks for all places of its window
    return current_ * window_ + (head > age ? head : head + window_) - 1 - age;
  }

  std::uint32_t window_, current_ = 0;
  std::size_t name_bytes_;
  std::uint64_t clock_ = 0;
  KeyedHeap groups_;
  std::vector<std::uint64_t> used_;           // by group: when last
  std::vector<std::uint32_t> heads_, sizes_;  // where the next item goes, how many there are
  std::vector<Item> items_;                   // group by group
  NameArena names_;
};

}  // namespace wmsketch
