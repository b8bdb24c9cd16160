// Resizes a sketch: converts its cells to another width.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "wmsketch/stores/sketch_cells.hpp"

namespace wmsketch {

// Buckets come from the high bits of a hash, so adjacent cells of a wide sketch share one cell of a narrow sketch.
// Nonzero weights that share a cell are averaged. If the sketch grows, adjacent cells start with the same weight. The
// mapping is exact if one width is a multiple of the other. Otherwise a cell that straddles a boundary goes to the
// larger part.
class FoldedCells {
 public:
  using Sketch = SketchCells<FloatCell>;

  FoldedCells(const Sketch& from, const float* cells, const Sketch& to) : to_(to), sums_(to.size()) {
    const std::size_t wider = std::max(from.width(), to.width());
    for (std::size_t row = 0; row < to.depth(); ++row)
      for (std::size_t i = 0; i < wider; ++i)
        add(row * to.width() + nearest(i, wider, to.width()),
            cells[row * from.width() + nearest(i, wider, from.width())]);
  }

  // Adds a key that loses its slot in the active set.
  void add(const Hasher& hasher, Key key, float weight) {
    for (std::uint32_t row = 0; row < to_.depth(); ++row) {
      const std::uint32_t hash = hasher.hash(row, key);
      add(to_.index(row, hash), sign_of(hash) * weight);
    }
  }

  void write(float* cells) const {
    for (std::size_t c = 0; c < sums_.size(); ++c)
      cells[c] = sums_[c].n == 0 ? 0.0f : static_cast<float>(sums_[c].weights / static_cast<double>(sums_[c].n));
  }

 private:
  struct Sum {
    std::size_t n = 0;
    double weights = 0;
  };

  // The cell of n that contains the centre of cell i of `of`.
  static std::size_t nearest(std::size_t i, std::size_t of, std::size_t n) { return (2 * i + 1) * n / (2 * of); }

  void add(std::size_t c, double weight) {
    if (weight == 0) return;
    sums_[c].n += 1;
    sums_[c].weights += weight;
  }

  const Sketch& to_;
  std::vector<Sum> sums_;
};

}  // namespace wmsketch
