// The Count-Sketch of a stream's counts: integer cells, signed, so that amounts may also be taken away.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/hashing.hpp"

namespace wmsketch {

// `depth` rows of `width` 4-byte cells, which stop at the ends of their range. (The learners' Count-Sketch of weights
// has floating-point cells and a lazy scale; counting needs neither and gains exact sums.)
class FrequencySketch {
 public:
  FrequencySketch() = default;
  FrequencySketch(std::uint32_t depth, std::uint32_t width, std::uint64_t seed, HashFamily family = HashFamily::mixer);

  double update(Key key, std::int64_t amount = 1);                                     // returns the new estimate
  void update_many(std::span<const Key> keys, std::span<const std::int64_t> amounts);  // no amounts: each 1
  double estimate(Key key) const;  // the median over the rows; too high as often as too low

  // What other keys add to a key's cell in one row is, by chance, what stands in any other cell of the row. So the
  // row's own cells say how large that is in all but few cases; no bound from the norm could be as close, because a
  // few heavy keys make up most of the norm but stand in few cells.
  struct RowNoise {
    double usual, next;  // two neighbours in the order of |cells|: which is meant depends on where the key's own stands
  };
  std::vector<RowNoise> row_noise(double failure) const;  // one pass over the cells, for the bounds of many keys
  struct Bounds {
    double count, low, high;
  };
  // low and high hold with probability 1 - failure, the one that `noise` was computed for.
  Bounds bounds(Key key, std::span<const RowNoise> noise) const;

  void merge(const FrequencySketch& other);  // adds the other's counts; throws if depth, width or seed differ

  std::uint32_t depth() const { return hasher_.depth(); }
  std::uint32_t width() const { return width_; }
  std::uint64_t seed() const { return seed_; }
  HashFamily family() const { return hasher_.family(); }
  std::uint64_t total() const { return total_; }  // the sum of all |amounts|

  std::span<const std::int32_t> cells() const { return cells_; }  // row after row
  void archive(Archive& archive, const std::string& of = "");     // `of` ends the names of the arrays

  std::size_t nbytes() const { return cells_.size() * sizeof(std::int32_t) + hasher_.nbytes(); }

 private:
  std::size_t cell_of(std::uint32_t row, std::uint32_t hash) const {
    return std::size_t{row} * width_ + bucket_of(hash, width_);
  }

  Hasher hasher_;
  std::uint32_t width_ = 0;
  std::uint64_t seed_ = 0;
  std::uint64_t total_ = 0;
  std::vector<std::int32_t> cells_;
};

}  // namespace wmsketch
