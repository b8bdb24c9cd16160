// Quantiles of a stream in a fixed number of bytes: the KLL sketch (Karnin, Lang and Liberty, 2016).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/random.hpp"

namespace wmsketch {

// A value at level h represents 2^h values of the stream. When the buffer is full, the lowest level that has reached
// its capacity is sorted, and every other value moves one level up. Capacities grow towards the top, where each value
// represents more.
class QuantileSketch {
 public:
  static constexpr std::size_t kLeastBytes = 2048;

  // Allocates all of `bytes` here and nothing later.
  explicit QuantileSketch(std::size_t bytes, std::uint64_t seed = 0);

  void add(double value);
  // The least stored value that at least a fraction p of the stream does not exceed. NaN if the stream is empty.
  double quantile(double p) const;

  std::uint64_t count() const { return count_; }
  std::size_t nbytes() const { return items_.size() * sizeof(double) + kMostLevels * sizeof(std::uint32_t); }

  void archive(Archive& archive, const std::string& name);

 private:
  static constexpr std::uint32_t kMostLevels = 48;  // enough for a stream of 2^48 buffers
  static constexpr std::uint32_t kLeastCapacity = 2;

  std::uint32_t n_levels() const { return static_cast<std::uint32_t>(starts_.size()) - 1; }
  std::uint32_t size_of(std::uint32_t level) const { return starts_[level + 1] - starts_[level]; }
  std::uint32_t capacity_of(std::uint32_t level) const;
  void make_room();
  void halve(std::uint32_t level);

  std::vector<double> items_;          // free space, then level 0, level 1, ...
  std::vector<std::uint32_t> starts_;  // start of each level in items_, then the end
  std::uint64_t count_ = 0;
  Random random_;
};

}  // namespace wmsketch
