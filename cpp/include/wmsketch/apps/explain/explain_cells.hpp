// The numbers of a column, counted in cells that become bins when they are asked for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "wmsketch/data/archive.hpp"

namespace wmsketch {

// A cell is an interval whose rows are counted exactly. Cells do not overlap, and an interval is all numbers that share
// their first bits, so that of two cells of different streams one holds the other or they have nothing in common: they
// merge without loss. Numbers outside all cells widen a light neighbour or begin a new cell; when there are too many,
// the lightest neighbours become one. A cell cannot be parted again. While a column has few whole numbers, each has a
// cell of its own.
class NumberCells {
 public:
  struct Cell {
    std::uint32_t first = 0, last = 0;  // numbers, as integers in the same order
    float least = 0;                    // seen
    std::uint32_t fingerprint = 0;      // of its rows
    std::uint32_t rows = 0;
    std::array<double, 2> amounts{};
  };
  struct Bin {
    std::string label;
    std::uint32_t fingerprint;
    std::array<double, 2> amounts;
  };

  NumberCells() = default;
  NumberCells(std::size_t capacity, std::size_t bins) : capacity_(capacity), n_bins_(bins) {
    cells_.reserve(capacity + 1);
  }
  void choose(const std::vector<double>& sample);  // intervals by some numbers of the stream, with no rows yet

  bool used() const { return capacity_ > 0; }
  void add(float value, bool outlier, double amount, std::uint32_t row_hash);
  void scale(double factor);
  void merge(const NumberCells& other);  // of any capacity

  std::vector<Bin> bins() const;  // about as many rows in each; of few whole numbers, one for each
  std::vector<double> edges() const;

  std::size_t nbytes() const { return bytes_for(capacity_); }
  static std::size_t bytes_for(std::size_t capacity) { return capacity > 0 ? (capacity + 1) * sizeof(Cell) : 0; }

  // All columns' cells, one after the other.
  static void archive(Archive& archive, std::vector<NumberCells*> columns, std::size_t most, std::size_t bins);

 private:
  std::size_t behind(std::uint32_t place) const;  // the first cell that begins behind this number
  std::size_t make_cell(std::uint32_t place, float value);
  void join_lightest();
  void join(std::size_t begin, std::size_t end);  // these cells become one
  std::uint64_t n_rows() const;
  std::vector<std::size_t> groups() const;  // where each bin begins, and the end

  std::vector<Cell> cells_;  // in order
  std::size_t capacity_ = 0, n_bins_ = 0;
  bool cut_ = false;  // cells hold more than one number
};

// A number as people write it.
std::string short_number(double value);

}  // namespace wmsketch
