// The Count-Sketch (Charikar, Chen and Farach-Colton, 2002) over signed integer counts. Amounts may be negative.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/hashing.hpp"
#include "wmsketch/simd/hasher.hpp"

namespace wmsketch {

// The cells are `depth` rows of `width` signed 32-bit counters, which saturate. The learners' sketch of weights has
// floating-point cells and a lazy scale instead. Counting needs neither, and integer sums are exact.
class FrequencySketch {
 public:
  FrequencySketch() = default;
  FrequencySketch(std::uint32_t depth, std::uint32_t width, std::uint64_t seed, HashFamily family = HashFamily::mixer);

  double update(Key key, std::int64_t amount = 1);                                     // returns the new estimate
  void update_many(std::span<const Key> keys, std::span<const std::int64_t> amounts);  // no amounts: 1 each
  double estimate(Key key) const;  // median over the rows: unbiased, too high as often as too low

  // The noise in one row is what other keys add to a key's cell. By symmetry it is distributed like the content of any
  // other cell of that row, so its quantile comes from the row's own cells. A bound from the L2 norm would be wider: a
  // few heavy keys make up most of the norm but occupy few cells.
  struct RowNoise {
    double usual, next;  // neighbours in the sorted |cells|; the key's own cell decides which is the quantile
  };
  std::vector<RowNoise> row_noise(double failure) const;  // one pass over the cells serves the bounds of many keys
  struct Bounds {
    double count, low, high;
  };
  // low and high hold with probability 1 - failure, the `failure` that `noise` was computed for.
  Bounds bounds(Key key, std::span<const RowNoise> noise) const;

  void merge(const FrequencySketch& other);  // adds the counts; throws unless shape, seed and family match

  std::uint32_t depth() const { return hasher_.depth(); }
  std::uint32_t width() const { return width_; }
  std::uint64_t seed() const { return seed_; }
  HashFamily family() const { return hasher_.family(); }
  std::uint64_t total() const { return total_; }  // the sum of all |amounts|

  std::span<const std::int32_t> cells() const { return cells_; }  // in row-major order
  void archive(Archive& archive, const std::string& of = "");     // `of` is the suffix of the array names

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
