// The Count-Min sketch (Cormode and Muthukrishnan, 2005) estimates how often each key was seen. An estimate is never
// below the true count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "wmsketch/data/aligned.hpp"
#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/hashing.hpp"
#include "wmsketch/simd/hasher.hpp"

namespace wmsketch {

// The cells are `depth` rows of `width` 32-bit counters. A counter saturates at 2^32 - 1, so an estimate of that value
// means "at least".
class CountMin {
 public:
  CountMin() = default;
  // `conservative`: an update raises only the cells that limit the estimate (conservative update), which gives smaller
  // errors. A merge of such sketches still never underestimates, but it differs from one run over both streams.
  CountMin(std::uint32_t depth, std::uint32_t width, std::uint64_t seed, HashFamily family = HashFamily::mixer,
           bool conservative = false);

  std::uint32_t update(Key key, std::uint64_t amount = 1);                              // returns the new estimate
  void update_many(std::span<const Key> keys, std::span<const std::uint64_t> amounts);  // no amounts: 1 each
  [[gnu::always_inline]] void prefetch(Key key) const {  // for a key that is updated or queried soon
    for (std::uint32_t row = 0; row < depth(); ++row)
      __builtin_prefetch(&cells_[std::size_t{row} * width_ + bucket_of(hasher_.hash(row, key), width_)]);
  }
  std::uint32_t estimate(Key key) const;  // at least the true count (up to saturation)
  // With probability 1 - failure, an estimate exceeds the true count by at most this much (Markov's inequality in each
  // row).
  double error_bound(double failure) const;
  struct Bounds {
    std::uint64_t count, low, high;
  };
  Bounds bounds(Key key, double failure) const;  // high always holds, low with probability 1 - failure

  void merge(const CountMin& other);  // adds the counts; throws unless shape, seed and family match

  std::uint32_t depth() const { return hasher_.depth(); }
  std::uint32_t width() const { return width_; }
  std::uint64_t seed() const { return seed_; }
  HashFamily family() const { return hasher_.family(); }
  const Hasher& hasher() const { return hasher_; }
  bool conservative() const { return conservative_; }
  std::uint64_t total() const { return total_; }  // the sum of all amounts

  std::span<const std::uint32_t> cells() const { return cells_; }  // in row-major order
  void restore(std::span<const std::uint32_t> cells, std::uint64_t total);
  void archive(Archive& archive, const std::string& of = "");  // `of` is the suffix of the array names

  std::size_t nbytes() const { return cells_.size() * sizeof(std::uint32_t) + hasher_.nbytes(); }

 private:
  std::uint32_t& cell(std::uint32_t row, std::uint32_t hash) {
    return cells_[std::size_t{row} * width_ + bucket_of(hash, width_)];
  }
  std::uint32_t cell(std::uint32_t row, std::uint32_t hash) const {
    return cells_[std::size_t{row} * width_ + bucket_of(hash, width_)];
  }

  Hasher hasher_;
  std::uint32_t width_ = 0;
  std::uint64_t seed_ = 0;
  bool conservative_ = false;
  std::uint64_t total_ = 0;
  TableVector<std::uint32_t> cells_;
};

}  // namespace wmsketch
