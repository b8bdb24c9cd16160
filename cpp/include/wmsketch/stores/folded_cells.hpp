// The cells of a sketch of one width as those of another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "wmsketch/stores/sketch_cells.hpp"

namespace wmsketch {

// Buckets are cut from the high bits of a hash, so that neighbours of a wide sketch share a cell of a narrow one. What
// comes into one cell is averaged by what was seen of it: by its sum of squared gradients, and with plain steps each
// weight that ever moved counts the same. A wider sketch begins with equal neighbours, which share the squares. Where
// one width is a multiple of the other this is exact; else a cell that lies across a border goes to the larger part.
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
        const Stored cell = cells[row * from.width() + place_among(i, wider, from.width())];
        add(row * to.width() + place_among(i, wider, to.width()), Cell::weight(cell), share * from.squares(cell));
      }
    }
  }

  // A key that had a place of its own, and has none any more.
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

  void add(std::size_t c, double weight, double squares) {
    if (weight == 0 && squares == 0) return;
    // a cell of few bits may have lost the squares of its first steps
    const double evidence = Cell::kAdaptive ? std::max(squares, 0.5 * to_.unit()) : 1;
    sums_[c].evidence += evidence;
    sums_[c].weighted += evidence * weight;
    sums_[c].squares += squares;
  }

  const SketchCells<Cell>& to_;
  std::vector<Sum> sums_;
};

}  // namespace wmsketch
