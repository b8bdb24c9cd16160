// depth x width signed cells over a borrowed buffer: the projection shared by the WM- and the AWM-Sketch.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "wmsketch/data/hashing.hpp"
#include "wmsketch/rule/merge.hpp"
#include "wmsketch/rule/step.hpp"
#include "wmsketch/slots/cells.hpp"

namespace wmsketch {

// Of n places, the one in which the middle of the i-th of `of` lies: who has the one by the high bits of a hash, has
// the other.
inline std::size_t place_among(std::size_t i, std::size_t of, std::size_t n) { return (2 * i + 1) * n / (2 * of); }

// The paper keeps z and projects with R = A / sqrt(depth). We keep u = sqrt(depth) * z instead: then the prediction is
// the mean over rows, the step on every row is the plain step, and the estimate is the median with no factor.
//
// Cells with sums of squared gradients answer for those too: a sum is never too small, so the estimate is the least
// over rows. Sums are raw; where a cell has few bits for them they are counted in units.
template <class Cell>
class SketchCells {
 public:
  using Stored = typename Cell::Stored;
  static constexpr std::uint32_t kMostDepth = 64;

  SketchCells() = default;
  SketchCells(std::uint32_t depth, std::uint32_t width) : depth_(depth), width_(width) {}

  static std::size_t stored_for(std::size_t cells) { return cells; }
  std::uint32_t depth() const { return depth_; }
  std::uint32_t width() const { return width_; }
  std::size_t size() const { return std::size_t{depth_} * width_; }
  float unit() const { return unit_; }

  std::size_t index(std::uint32_t row, std::uint32_t hash) const {
    return std::size_t{row} * width_ + bucket_of(hash, width_);
  }
  float squares(Stored cell) const { return Cell::kHasUnit ? unit_ * Cell::squares(cell) : Cell::squares(cell); }

  // The median over rows (the mean of the middle two where depth is even).
  float estimate(const Stored* cells, const Hasher& hasher, Key key) const {
    float values[kMostDepth];
    for (std::uint32_t row = 0; row < depth_; ++row) {
      const std::uint32_t hash = hasher.hash(row, key);
      values[row] = sign_of(hash) * Cell::weight(cells[index(row, hash)]);
    }
    return median(values, depth_);
  }
  float estimate_squares(const Stored* cells, const Hasher& hasher, Key key) const {
    float least = squares(cells[index(0, hasher.hash(0, key))]);
    for (std::uint32_t row = 1; row < depth_; ++row)
      least = std::min(least, squares(cells[index(row, hasher.hash(row, key))]));
    return least;
  }

  // One cell takes the step of a feature, whose value has the sign of the cell.
  void step(Stored& cell, const RowStep& step, float signed_value, std::uint32_t hash) const {
    if constexpr (!Cell::kAdaptive) {
      cell += -step.gradient * signed_value;
    } else {
      const float gradient = step.gradient * signed_value, sum = squares(cell) + step.square_of(gradient);
      const float change = (step.rate_for(sum) * gradient) * step.per_scale;
      cell = Cell::rounded_at_random(Cell::weight(cell) - change, in_units(sum),
                                     mix(hash, {step.seed_low, step.seed_high}));
    }
  }

  // Adds `amount` to a key's weight as every row sees it.
  void add(Stored* cells, const Hasher& hasher, Key key, float amount) const
    requires(!Cell::kAdaptive)
  {
    for (std::uint32_t row = 0; row < depth_; ++row) {
      const std::uint32_t hash = hasher.hash(row, key);
      cells[index(row, hash)] += sign_of(hash) * amount;
    }
  }

  // Makes these the estimates of a key; with more rows than one, up to rounding, by moving every row by the same
  // amount. `rounded(weight, squares in units, hash)` makes a cell.
  template <class Rounded>
  void set(Stored* cells, const Hasher& hasher, Key key, float weight, float sum, Rounded rounded) const {
    const float per_unit = Cell::kHasUnit ? (unit_ > 0 ? 1 / unit_ : 0) : 1;
    if (depth_ == 1) {
      const std::uint32_t hash = hasher.hash(0, key);
      cells[index(0, hash)] = rounded(sign_of(hash) * weight, in_units(sum), hash);
      return;
    }
    const float change = weight - estimate(cells, hasher, key), more = sum - estimate_squares(cells, hasher, key);
    for (std::uint32_t row = 0; row < depth_; ++row) {
      const std::uint32_t hash = hasher.hash(row, key);
      Stored& cell = cells[index(row, hash)];
      const float squares_now = std::max(Cell::squares(cell) + more * per_unit, 0.0f);
      cell = rounded(Cell::weight(cell) + sign_of(hash) * change, squares_now, hash);
    }
  }
  // Makes both estimates of a key 0.
  template <class Rounded>
  void clear(Stored* cells, const Hasher& hasher, Key key, Rounded rounded) const {
    if (depth_ == 1)
      cells[index(0, hasher.hash(0, key))] = 0;
    else
      set(cells, hasher, key, 0, 0, rounded);
  }
  void set_nearest(Stored* cells, const Hasher& hasher, Key key, float weight, float sum) const {
    set(cells, hasher, key, weight, sum, [](float w, float s, std::uint32_t) { return Cell::nearest(w, s); });
  }

  void multiply(Stored* cells, float factor) const {
    for (std::size_t i = 0; i < size(); ++i)
      cells[i] = Cell::nearest(factor * Cell::weight(cells[i]), Cell::squares(cells[i]));
  }
  void multiply_squares(Stored* cells, float factor) {
    if constexpr (Cell::kHasUnit) {
      unit_ *= factor;
    } else {
      for (std::size_t i = 0; i < size(); ++i)
        cells[i] = Cell::nearest(Cell::weight(cells[i]), factor * Cell::squares(cells[i]));
    }
  }

  float in_units(float sum) const {
    if constexpr (!Cell::kHasUnit) return sum;
    return unit_ > 0 ? sum / unit_ : 0;
  }
  void take_unit(const SketchCells& other) { unit_ = other.unit_; }
  // Sums have four bits: their unit follows the stream's gradients, at a distance.
  void start_unit(float unit) {
    if (Cell::kHasUnit && unit_ == 0) unit_ = unit;
  }
  void follow_unit(Stored* cells, float wanted) {
    if constexpr (Cell::kHasUnit) {
      if (wanted <= kFarUnits * unit_ && unit_ <= kFarUnits * wanted) return;
      const float factor = unit_ / wanted;
      for (std::size_t i = 0; i < size(); ++i)
        cells[i] = Cell::nearest(Cell::weight(cells[i]), factor * Cell::squares(cells[i]));
      unit_ = wanted;
    }
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

  // Each cell by itself, of several sketches. With a base: cells have few bits, and one that did not change knows
  // nothing since; those that did are averaged.
  void merge(Stored* cells, std::span<const SketchCells* const> sketches, std::span<const Stored* const> all_cells,
             const MergePlan& plan) {
    const bool few_bits = Cell::kHasUnit && plan.based;
    const float unit = unit_of_all(sketches, plan);
    const float per_unit = Cell::kHasUnit ? (unit > 0 ? 1 / unit : 0) : 1;
    for (std::size_t c = 0; c < size(); ++c) {
      const auto read = [&](std::size_t i) {
        const Stored cell = all_cells[i][c];
        return MergeReading{Cell::weight(cell), sketches[i]->squares(cell), !few_bits || cell != all_cells.back()[c]};
      };
      const MergeReading merged = few_bits ? plan.averaged(read) : plan.merged(read);
      cells[c] = Cell::nearest(merged.weight, per_unit * merged.squares);
    }
    if (Cell::kHasUnit) unit_ = unit;
  }

  // A key without a place of its own is averaged with what stands in its cells.
  void average_into(Stored* cells, const Hasher& hasher, Key key, float weight, float sum, double prior) const {
    const double known = estimate_squares(cells, hasher, key), own = sum + prior, all = known + own;
    const double both = known * estimate(cells, hasher, key) + own * weight;
    const float squares_now = std::max(static_cast<float>(known), sum);
    set_nearest(cells, hasher, key, static_cast<float>(all > 0 ? both / all : 0), squares_now);
  }

  static constexpr std::size_t kBytesBeside = Cell::kHasUnit ? sizeof(float) : 0;
  void archive(Archive& archive, Stored* cells) {
    Cell::archive(archive, cells, size());
    if constexpr (Cell::kHasUnit) {
      archive.value("unit_of_squares", unit_);
      if (archive.loading())
        require_state(unit_ >= 0 && std::isfinite(unit_), "the unit of the cells' sums is negative or not finite");
    }
  }

  static float median(float* values, std::uint32_t n) {
    std::sort(values, values + n);
    return n % 2 == 1 ? values[n / 2] : 0.5f * (values[n / 2 - 1] + values[n / 2]);
  }

 protected:
  template <class Sketch>
  static float unit_of_all(std::span<const Sketch* const> sketches, const MergePlan& plan) {
    float unit = 0;
    for (std::size_t i = 0; i < sketches.size() && Cell::kHasUnit; ++i)
      unit = std::max(unit, static_cast<float>(plan.sides[i].squares_scale) * sketches[i]->unit());
    return unit;
  }

 private:
  static constexpr float kFarUnits = 8;

  std::uint32_t depth_ = 0, width_ = 0;

 protected:
  float unit_ = Cell::kHasUnit ? 0 : 1;  // of the sums of squares, raw
};

}  // namespace wmsketch
