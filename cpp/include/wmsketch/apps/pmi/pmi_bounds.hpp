// Upper bounds on the counts of very many distinct keys in few bytes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "wmsketch/data/aligned.hpp"
#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/hashing.hpp"

namespace wmsketch {

// A Count-Min sketch with three rows of cells with 4, 8 and 32 bits, and the same number of bytes each. Most keys are
// rare, so many small cells mean few collisions. A saturated cell is ignored, and the larger ones answer. Updates are
// conservative. Keys are given by their hashes.
class TowerBounds {
 public:
  explicit TowerBounds(std::uint32_t width)  // width: number of 32-bit cells
      : small_(std::size_t{4} * width), middle_(std::size_t{4} * width), large_(width) {}

  [[gnu::always_inline]] void prefetch(std::uint32_t hash) const {
    const Places at = places_of(hash);
    __builtin_prefetch(&small_[at.small / 2], 1);
    __builtin_prefetch(&middle_[at.middle], 1);
    __builtin_prefetch(&large_[at.large], 1);
  }
  std::uint32_t most(std::uint32_t hash) const { return most(places_of(hash)); }
  void add(std::uint32_t hash, std::uint32_t n);

  void halve();
  void merge(const TowerBounds& other);
  void archive(Archive& archive);

  std::size_t nbytes() const { return bytes_for(static_cast<std::uint32_t>(large_.size())); }
  static std::size_t bytes_for(std::uint32_t width) { return std::size_t{12} * width; }

 private:
  static constexpr std::uint32_t kSmall = 15, kMiddle = 255;  // saturated
  struct Places {
    std::size_t small, middle, large;
  };
  Places places_of(std::uint32_t hash) const {
    const std::uint32_t second = second_hash(hash ^ hash >> 16), third = second_hash(second ^ second >> 15);
    return {bucket_of(hash, static_cast<std::uint32_t>(2 * small_.size())),
            bucket_of(second, static_cast<std::uint32_t>(middle_.size())),
            bucket_of(third, static_cast<std::uint32_t>(large_.size()))};
  }
  std::uint32_t small(std::size_t i) const { return small_[i / 2] >> (i % 2 * 4) & kSmall; }
  void set_small(std::size_t i, std::uint32_t value) {
    std::uint8_t& both = small_[i / 2];
    both = static_cast<std::uint8_t>((both & (0xf0u >> (i % 2 * 4))) | value << (i % 2 * 4));
  }
  std::uint32_t most(const Places& at) const {
    std::uint32_t least = large_[at.large];
    if (middle_[at.middle] < kMiddle) least = std::min<std::uint32_t>(least, middle_[at.middle]);
    if (small(at.small) < kSmall) least = std::min(least, small(at.small));
    return least;
  }

  TableVector<std::uint8_t> small_, middle_;  // two small cells per byte
  TableVector<std::uint32_t> large_;
};

}  // namespace wmsketch
