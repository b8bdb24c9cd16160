// Resizes a sketch: converts its cells to another width.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "wmsketch/stores/sketch_cells.hpp"

namespace wmsketch {

// Buckets come from the high bits of a hash, so adjacent cells of a wide sketch share one cell of a narrow sketch.
// Contents that share a cell are averaged, weighted by their sums of squared gradients. With plain steps, every nonzero
// weight counts the same. If the sketch grows, adjacent cells start with the same weight and share the squares. The
// mapping is exact if one width is a multiple of the other. Otherwise a cell that straddles a boundary goes to the
// larger part.
template <class Cell>
class FoldedCells {
 public:
  using Stored = typename Cell::Stored;

  FoldedCells(const SketchCells<Cell>& from, const Stored* cells, SketchCells<Cell>& to) : to_(to), sums_(to.size()) {
    to.take_unit(from);
    const std::size_t wider = std::max(from.width(), to.width());
    const double share = static_cast<double>(std::min(from.width(), to.width())) / to.width();
    for (std::size_t row = 0; row < to.depth(); ++row) {
      for (std::size_t i = 0; i < wider; ++i) {
        const Stored cell = cells[row * from.width() + nearest(i, wider, from.width())];
        add(row * to.width() + nearest(i, wider, to.width()), Cell::weight(cell), share * from.squares(cell));
      }
    }
  }

  // Adds a key that loses its slot in the active set.
  void add(const Hasher& hasher, Key key, float weight, double squares) {
    for (std::uint32_t row = 0; row < to_.depth(); ++row) {
      const std::uint32_t hash = hasher.hash(row, key);
      add(to_.index(row, hash), sign_of(hash) * weight, squares);
    }
  }

  void write(Stored* cells) const {
    for (std::size_t c = 0; c < sums_.size(); ++c) {
      const Sum& sum = sums_[c];
      const double mean = sum.evidence > 0 ? sum.weighted / sum.evidence : 0;
      cells[c] = Cell::nearest(static_cast<float>(mean), to_.in_units(static_cast<float>(sum.squares)));
    }
  }

 private:
  struct Sum {
    double evidence = 0, weighted = 0, squares = 0;
  };

  // The cell of n that contains the centre of cell i of `of`.
  static std::size_t nearest(std::size_t i, std::size_t of, std::size_t n) { return (2 * i + 1) * n / (2 * of); }

  void add(std::size_t c, double weight, double squares) {
    if (weight == 0 && squares == 0) return;
    // a 16-bit cell may have lost the squares of its first steps
    const double evidence = Cell::kAdaptive ? std::max(squares, 0.5 * to_.unit()) : 1;
    sums_[c].evidence += evidence;
    sums_[c].weighted += evidence * weight;
    sums_[c].squares += squares;
  }

  const SketchCells<Cell>& to_;
  std::vector<Sum> sums_;
};

}  // namespace wmsketch
