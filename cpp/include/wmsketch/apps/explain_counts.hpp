// How often the heavy attributes stand in outliers and in inliers, in a fixed number of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wmsketch/apps/explain_attributes.hpp"
#include "wmsketch/hashing.hpp"

namespace wmsketch {

// A key is counted exactly from when it is tracked: from its first row while there is room for all keys, later from
// when it becomes heavy. All that is not tracked goes into a small Count-Min, which is asked once, when tracking
// begins: the cell less its row's median cell (what a key that was never seen would find there), the least over the
// rows; nothing where a cell does not stand out among the largest tenth of its row. Rare keys are thus not credited
// with the noise of others.
class AttributeCounts {
 public:
  struct Count {
    double outliers = 0, inliers = 0;                // exact since tracked, and the estimate of before
    double outliers_before = 0, inliers_before = 0;  // the estimated part
  };

  // capacity: keys that can be tracked at a time.
  AttributeCounts(std::uint32_t capacity, std::size_t bytes, std::uint64_t seed);

  void count(const AttributeBlock& block);
  void track(std::span<const Key> heavy);  // from now on these; others stay while there is room
  Count of(Key key) const;                 // all zero for a key that is not tracked

  std::size_t nbytes() const;
  static std::size_t least_bytes(std::uint32_t capacity);

 private:
  static constexpr std::uint32_t kDepth = 3;
  static constexpr std::uint32_t kLeastWidth = 16;
  static constexpr std::uint32_t kNone = 0xffffffffu;

  struct Cell {
    float outliers = 0, inliers = 0;
  };
  struct Noise {
    Cell typical, large;
  };
  struct Slot {
    Key key = 0;
    std::uint32_t state = 0;  // free, kept or heavy
    double outliers = 0, inliers = 0;
    float outliers_before = 0, inliers_before = 0;
  };

  std::uint32_t find(Key key) const;
  void index(std::uint32_t slot);
  void rebuild_index();
  std::uint32_t track_new(Key key);  // its slot, kNone where none is free
  void add_to_sketch(Key key, float outliers, float inliers);
  std::vector<Noise> noise() const;  // of each row
  Cell estimate(Key key, std::span<const Noise> noise) const;

  Hasher hasher_;
  std::uint32_t width_;
  std::vector<Cell> cells_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> index_;  // open addressing, twice as many places as slots
  std::uint32_t first_free_ = 0;      // no slot before it is free
};

}  // namespace wmsketch
