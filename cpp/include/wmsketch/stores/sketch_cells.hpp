// depth x width signed cells over a borrowed buffer: the projection shared by the WM- and the AWM-Sketch.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "wmsketch/data/hashing.hpp"

namespace wmsketch {

// The paper keeps z and projects with R = A / sqrt(depth). We keep u = sqrt(depth) * z instead: then the prediction is
// the mean over rows, the step on every row is the plain step, and the estimate is the median with no factor.
class SketchCells {
 public:
  SketchCells() = default;
  SketchCells(std::uint32_t depth, std::uint32_t width) : depth_(depth), width_(width) {}

  std::uint32_t depth() const { return depth_; }
  std::uint32_t width() const { return width_; }
  std::size_t size() const { return std::size_t{depth_} * width_; }

  std::size_t index(std::uint32_t row, std::uint32_t hash) const {
    return std::size_t{row} * width_ + bucket_of(hash, width_);
  }

  // The median over rows (the mean of the middle two where depth is even).
  float estimate(const float* cells, const Hasher& hasher, Key key) const {
    float values[kMostDepth];
    for (std::uint32_t row = 0; row < depth_; ++row) {
      const std::uint32_t hash = hasher.hash(row, key);
      values[row] = sign_of(hash) * cells[index(row, hash)];
    }
    return median(values, depth_);
  }

  // Adds `amount` to a key's weight as every row sees it.
  void add(float* cells, const Hasher& hasher, Key key, float amount) const {
    for (std::uint32_t row = 0; row < depth_; ++row) {
      const std::uint32_t hash = hasher.hash(row, key);
      cells[index(row, hash)] += sign_of(hash) * amount;
    }
  }

  // Makes `weight` the estimate of a key; with more rows than one, up to rounding.
  void set(float* cells, const Hasher& hasher, Key key, float weight) const {
    if (depth_ == 1) {
      const std::uint32_t hash = hasher.hash(0, key);
      cells[index(0, hash)] = sign_of(hash) * weight;
    } else {
      add(cells, hasher, key, weight - estimate(cells, hasher, key));
    }
  }

  // The standard deviation of the noise that collisions put on an estimate, from the cells themselves: a cell holds
  // the signed sum of its keys, so its mean square is the energy per bucket.
  double noise(const float* cells) const {
    if (size() == 0) return 0.0;
    double energy = 0;
    for (std::size_t i = 0; i < size(); ++i) energy += double{cells[i]} * cells[i];
    const double of_row = std::sqrt(energy / static_cast<double>(size()));
    // the median of n normal values spreads about sqrt(pi / 2n); one or two rows are a mean
    return of_row * std::sqrt((depth_ < 3 ? 1.0 : 1.5707963267948966) / depth_);
  }

  float largest(const float* cells) const {  // no estimate is larger
    float most = 0;
    for (std::size_t i = 0; i < size(); ++i) most = std::max(most, std::abs(cells[i]));
    return most;
  }

  static constexpr std::uint32_t kMostDepth = 64;

  static float median(float* values, std::uint32_t n) {
    std::sort(values, values + n);
    return n % 2 == 1 ? values[n / 2] : 0.5f * (values[n / 2 - 1] + values[n / 2]);
  }

 private:
  std::uint32_t depth_ = 0, width_ = 0;
};

}  // namespace wmsketch
