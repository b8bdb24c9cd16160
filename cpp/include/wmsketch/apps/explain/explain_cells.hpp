// The numbers of a column, counted in cells that become bins when they are asked for.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
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
    std::uint32_t last = 0;         // of its numbers, as an integer in the same order
    float least = 0;                // seen, rounded down
    std::uint32_t fingerprint = 0;  // of its rows
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
    firsts_.reserve(capacity + 1);
  }
  void choose(const std::vector<double>& sample);  // intervals by some numbers of the stream, with no rows yet

  // Numbers are rounded down, so that those from an edge on are exactly those that lie in the cells from there on.
  static float rounded_down(double value) {
    const auto nearest = static_cast<float>(value);
    return double{nearest} > value ? std::nextafter(nearest, -std::numeric_limits<float>::infinity()) : nearest;
  }

  bool used() const { return capacity_ > 0; }
  void add(float value, bool outlier, double amount, std::uint32_t row_hash) {
    const std::uint32_t place = place_of(value);
    // files are often sorted by some column: the cell of the row before is tried first
    if (latest_ >= cells_.size() || place < firsts_[latest_] || place > cells_[latest_].last) {
      const std::size_t at = behind(place);
      latest_ = at > 0 && cells_[at - 1].last >= place ? at - 1 : make_cell(place, value);
    }
    Cell& cell = cells_[latest_];
    cell.least = std::min(cell.least, value);
    cell.fingerprint = (cell.fingerprint + row_hash) & 0x3fffffffu;
    cell.rows += cell.rows != 0xffffffffu;
    cell.amounts[outlier] += amount;
  }
  void scale(double factor);
  void merge(const NumberCells& other);  // of any capacity

  std::vector<Bin> bins() const;  // about as many rows in each; of few whole numbers, one for each
  std::vector<double> edges() const;

  std::size_t nbytes() const { return bytes_for(capacity_); }
  static constexpr std::size_t kCellBytes = sizeof(Cell) + sizeof(std::uint32_t);
  static std::size_t bytes_for(std::size_t capacity) { return capacity > 0 ? (capacity + 1) * kCellBytes : 0; }

  // All columns' cells, one after the other.
  static void archive(Archive& archive, std::vector<NumberCells*> columns, std::size_t most, std::size_t bins);

 private:
  // Floating-point numbers as integers in the same order.
  static std::uint32_t place_of(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value == 0.0f ? 0.0f : value);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
  }
  static double number_of(std::uint32_t place) {
    return std::bit_cast<float>(place >> 31 ? place & 0x7fffffffu : ~place);
  }
  // The first cell that begins behind this number. The search has no branch that depends on the number: numbers come
  // in no order that a processor could guess.
  std::size_t behind(std::uint32_t place) const {
    std::size_t at = 0, n = firsts_.size();
    for (; n > 1; n -= n / 2) at += n / 2 & -std::size_t{firsts_[at + n / 2 - 1] <= place};
    return at + (n == 1 && firsts_[at] <= place);
  }
  std::size_t make_cell(std::uint32_t place, float value);
  void join_lightest();
  void join(std::size_t begin, std::size_t end);  // these cells become one
  std::uint64_t n_rows() const;
  std::vector<std::size_t> groups() const;  // where each bin begins, and the end
  double edge(std::size_t cell) const;      // between the numbers of this cell and those before it

  std::vector<std::uint32_t> firsts_;  // where each cell begins, close together: every number is looked for in them
  std::vector<Cell> cells_;            // in the same order
  std::size_t capacity_ = 0, n_bins_ = 0, latest_ = 0;
  bool cut_ = false;  // cells hold more than one number
};

// A number as people write it, with all its digits.
std::string short_number(double value);
// A number with few digits that is at least `least` and at most `most`.
double round_number(double least, double most);

}  // namespace wmsketch
