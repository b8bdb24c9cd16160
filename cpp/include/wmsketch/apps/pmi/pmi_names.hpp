// The names of the items of counted pairs, each stored once, in a fixed number of bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wmsketch/data/aligned.hpp"
#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/flat_index.hpp"
#include "wmsketch/data/name_arena.hpp"
#include "wmsketch/data/sparse_row.hpp"

namespace wmsketch {

// Names are reference-counted: each `take` needs a matching `give_back`.
class ItemNames {
 public:
  ItemNames(std::uint32_t capacity, std::size_t name_bytes);

  [[gnu::always_inline]] void prefetch(Key key) const { index_.prefetch(key); }  // for a key that is taken soon
  bool full() const { return free_.empty(); }
  std::size_t n_free() const { return free_.size(); }
  bool has(Key key) const { return find(key) != kNone; }
  bool take(Key key, std::string_view name, bool shortened);  // false: there is no room
  void give_back(Key key);
  std::string get(Key key) const;  // empty: no such item
  bool shortened(Key key) const;
  std::uint32_t n_shortened() const { return names_.n_shortened(); }
  std::uint32_t size() const { return capacity() - static_cast<std::uint32_t>(free_.size()); }
  std::uint32_t capacity() const { return static_cast<std::uint32_t>(keys_.size()); }

  // Recounts the references: each_use(use) must call use(key) for every reference. Names without a reference are
  // dropped.
  template <class EachUse>
  void count_uses(EachUse each_use) {
    std::vector<std::uint32_t> uses(capacity());
    each_use([&](Key key) {
      const std::uint32_t slot = find(key);
      if (slot != kNone) ++uses[slot];
    });
    uses_ = std::move(uses);
    for (std::uint32_t slot = 0; slot < capacity(); ++slot)
      if (uses_[slot] == 0) names_.clear(slot);
    rebuild();
  }

  void archive(Archive& archive);
  std::size_t nbytes() const { return bytes_for(capacity(), names_.arena_bytes()); }
  static std::size_t bytes_for(std::uint32_t capacity, std::size_t name_bytes);

 private:
  static constexpr std::uint32_t kNone = FlatIndex::kNone;
  std::uint32_t find(Key key) const { return index_.find(key, keys_); }
  void rebuild();  // rebuilds the index and the list of free slots

  TableVector<Key> keys_;
  std::vector<std::uint32_t> uses_;  // 0: free
  std::vector<std::uint32_t> free_;
  FlatIndex index_;
  NameArena names_;
};

}  // namespace wmsketch
