// A uniform sample of a stream in fixed space (reservoir sampling).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wmsketch/data/name_arena.hpp"
#include "wmsketch/data/random.hpp"
#include "wmsketch/data/sparse_row.hpp"

namespace wmsketch {

// After n keys, each of them is in the sample with probability capacity / n. So a draw from the sample is a draw from
// the stream so far. A key that occurs several times may be in the sample several times.
class Reservoir {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffu;

  Reservoir() = default;
  Reservoir(std::uint32_t capacity, std::uint64_t seed, std::size_t name_bytes = 0);  // 0: names are not kept

  std::uint32_t add(Key key, std::string_view name = {});  // the slot of the key, or kNone if it was not sampled

  // A slot drawn uniformly; the sample must not be empty. The caller passes the generator, so that drawing is const.
  std::uint32_t draw(Random& random) const { return random.below(size()); }

  std::uint32_t size() const { return size_; }
  std::uint32_t capacity() const { return static_cast<std::uint32_t>(keys_.size()); }
  std::uint64_t n_seen() const { return n_seen_; }
  Key key(std::uint32_t slot) const { return keys_[slot]; }
  std::string name(std::uint32_t slot) const { return names_.entries() == 0 ? std::string() : names_.get(slot); }

  std::span<const Key> keys() const { return {keys_.data(), size_}; }  // by slot
  const NameArena& names() const { return names_; }
  NameArena& names() { return names_; }
  std::uint64_t random_state() const { return random_.state; }
  void restore(std::span<const Key> keys, std::uint64_t n_seen, std::uint64_t random_state);

  std::size_t nbytes() const { return bytes_for(capacity(), names_.arena_bytes()); }
  static std::size_t bytes_for(std::uint32_t capacity, std::size_t name_bytes) {
    return std::size_t{capacity} * sizeof(Key) + (name_bytes == 0 ? 0 : NameArena::bytes_for(capacity, name_bytes));
  }

 private:
  std::vector<Key> keys_;
  std::uint32_t size_ = 0;
  std::uint64_t n_seen_ = 0;
  Random random_;
  NameArena names_;
};

}  // namespace wmsketch
