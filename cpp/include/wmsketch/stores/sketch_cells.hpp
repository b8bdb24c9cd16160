// depth x width signed cells over a borrowed buffer: the projection shared by the WM- and the AWM-Sketch.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "wmsketch/data/hashing.hpp"
#include "wmsketch/data/step.hpp"
#include "wmsketch/simd/hasher.hpp"
#include "wmsketch/slots/cells.hpp"
#include "wmsketch/stores/merge.hpp"

namespace wmsketch {

// The paper keeps z and projects with R = A / sqrt(depth). We keep u = sqrt(depth) * z instead: then the prediction is
// the mean over rows, the step on every row is the plain step, and the estimate is the median with no factor.
template <class Cell>
class SketchCells {
 public:
  using Stored = typename Cell::Stored;
  static constexpr std::uint32_t kMostDepth = 64;

  SketchCells() = default;
  SketchCells(std::uint32_t depth, std::uint32_t width) : depth_(depth), width_(width) {}

  static constexpr std::size_t kUnitBytes = 0;  // besides the cells
  static std::size_t stored_for(std::size_t cells) { return cells; }
  std::uint32_t depth() const { return depth_; }
  std::uint32_t width() const { return width_; }
  std::size_t size() const { return std::size_t{depth_} * width_; }

  std::size_t index(std::uint32_t row, std::uint32_t hash) const {
    return std::size_t{row} * width_ + bucket_of(hash, width_);
  }

  // The median over rows (the mean of the middle two where depth is even).
  float estimate(const Stored* cells, const Hasher& hasher, Key key) const {
    float values[kMostDepth];
    for (std::uint32_t row = 0; row < depth_; ++row) {
      const std::uint32_t hash = hasher.hash(row, key);
      values[row] = sign_of(hash) * Cell::weight(cells[index(row, hash)]);
    }
    return median(values, depth_);
  }
  // Applies the step of a feature to one cell. The value must have the sign of the cell.
  void step(Stored& cell, const RowStep& step, float signed_value, std::uint32_t hash) const {
    if constexpr (!Cell::kAdaptive) {
      cell += -step.gradient * signed_value;
    } else {
      const float gradient = step.gradient * signed_value, sum = Cell::squares(cell) + step.square_of(gradient);
      const float change = (step.rate_for(sum) * gradient) * step.per_scale;
      cell = Cell::rounded_at_random(Cell::weight(cell) - change, sum, mix(hash, {step.seed_low, step.seed_high}));
    }
  }

  // Adds `amount` to the estimate of a key in every row.
  void add(Stored* cells, const Hasher& hasher, Key key, float amount) const
    requires(!Cell::kAdaptive)
  {
    for (std::uint32_t row = 0; row < depth_; ++row) {
      const std::uint32_t hash = hasher.hash(row, key);
      cells[index(row, hash)] += sign_of(hash) * amount;
    }
  }

  // Sets the estimate of a key. Several rows all move by the same amount, so it is exact only up to rounding.
  void set(Stored* cells, const Hasher& hasher, Key key, float weight) const
    requires(!Cell::kAdaptive)
  {
    if (depth_ > 1) return add(cells, hasher, key, weight - estimate(cells, hasher, key));
    const std::uint32_t hash = hasher.hash(0, key);
    cells[index(0, hash)] = sign_of(hash) * weight;
  }

  void multiply(Stored* cells, float factor) const {
    for (std::size_t i = 0; i < size(); ++i)
      cells[i] = Cell::nearest(factor * Cell::weight(cells[i]), Cell::squares(cells[i]));
  }
  void multiply_squares(Stored* cells, float factor) const {
    for (std::size_t i = 0; i < size(); ++i)
      cells[i] = Cell::nearest(Cell::weight(cells[i]), factor * Cell::squares(cells[i]));
  }

  // The standard deviation of the noise that collisions put on an estimate, from the cells themselves: a cell holds
  // the signed sum of its keys, so its mean square is the energy per bucket.
  double noise(const Stored* cells) const {
    if (size() == 0) return 0.0;
    double energy = 0;
    for (std::size_t i = 0; i < size(); ++i) energy += double{Cell::weight(cells[i])} * Cell::weight(cells[i]);
    const double of_row = std::sqrt(energy / static_cast<double>(size()));
    // the median of n normal values spreads about sqrt(pi / 2n); one or two rows are a mean
    return of_row * std::sqrt((depth_ < 3 ? 1.0 : 1.5707963267948966) / depth_);
  }

  float largest(const Stored* cells) const {  // no estimate is larger
    float most = 0;
    for (std::size_t i = 0; i < size(); ++i) most = std::max(most, std::abs(Cell::weight(cells[i])));
    return most;
  }

  // Merges several sketches cell by cell.
  void merge(Stored* cells, std::span<const Stored* const> all_cells, const MergePlan& plan) const {
    for (std::size_t c = 0; c < size(); ++c) {
      const auto read = [&](std::size_t i) {
        return MergeReading{Cell::weight(all_cells[i][c]), Cell::squares(all_cells[i][c])};
      };
      const MergeReading merged = plan.merged(read);
      cells[c] = Cell::nearest(merged.weight, merged.squares);
    }
  }

  void archive(Archive& archive, Stored* cells) const { Cell::archive(archive, cells, size()); }

  static float median(float* values, std::uint32_t n) {
    std::sort(values, values + n);
    return n % 2 == 1 ? values[n / 2] : 0.5f * (values[n / 2 - 1] + values[n / 2]);
  }

 private:
  std::uint32_t depth_ = 0, width_ = 0;
};

}  // namespace wmsketch
