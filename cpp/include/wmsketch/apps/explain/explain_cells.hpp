// Counts the numbers of a column in cells, from which bins are made when asked for.
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

#include "wmsketch/apps/explain/metric.hpp"
#include "wmsketch/data/archive.hpp"

namespace wmsketch {

// A cell is an interval with an exact count of its rows. Cells do not overlap. An interval contains all numbers with
// the same leading bits. So of two cells of different streams, either one contains the other or they are disjoint, and
// they merge without loss. A number outside all cells extends a light neighbour or starts a new cell. If there are too
// many cells, the lightest neighbours are joined. A cell is never split. While a column has few distinct integers, each
// has its own cell.
class NumberCells {
 public:
  struct Cell {
    std::uint32_t last = 0;         // last number of the interval, as an order-preserving integer
    float least = 0;                // smallest number seen, rounded down
    std::uint32_t fingerprint = 0;  // hash of the set of its rows
    std::uint32_t rows = 0;
    std::array<double, 2> amounts{};
  };
  struct Bin {
    std::string label;
    std::uint32_t fingerprint;
    std::array<double, 2> amounts;
    std::vector<double> moments{};  // of the metric, for each side
  };

  NumberCells() = default;
  NumberCells(std::size_t capacity, std::size_t bins, std::size_t moments = 0)
      : capacity_(capacity), n_bins_(bins), n_moments_(moments) {
    cells_.reserve(capacity + 1);
    firsts_.reserve(capacity + 1);
    moments_.reserve(2 * moments * (capacity + 1));
  }
  void choose(const std::vector<double>& sample);  // chooses empty cells from a sample of the stream

  // Numbers are rounded down, so that those from an edge on are exactly those that lie in the cells from there on.
  static float rounded_down(double value) {
    const auto nearest = static_cast<float>(value);
    return double{nearest} > value ? std::nextafter(nearest, -std::numeric_limits<float>::infinity()) : nearest;
  }

  bool used() const { return capacity_ > 0; }
  void see(double value) {  // before it is rounded
    exact_ = exact_ && double{rounded_down(value)} == value;
    while (decimals_ < kAnyDecimals && !has_decimals(value, decimals_)) ++decimals_;
  }
  void add(float value, bool outlier, double amount, std::uint32_t row_hash, const Metric::Moments& moments = {}) {
    const std::uint32_t place = place_of(value);
    // files are often sorted by a column, so try the cell of the previous row first
    if (latest_ >= cells_.size() || place < firsts_[latest_] || place > cells_[latest_].last) {
      const std::size_t at = first_after(place);
      latest_ = at > 0 && cells_[at - 1].last >= place ? at - 1 : make_cell(place, value);
    }
    Cell& cell = cells_[latest_];
    cell.least = std::min(cell.least, value);
    cell.fingerprint = (cell.fingerprint + row_hash) & 0x3fffffffu;
    cell.rows += cell.rows != 0xffffffffu;
    cell.amounts[outlier] += amount;
    double* const sums = moments_.data() + (2 * latest_ + (outlier ? 1 : 0)) * n_moments_;
    for (std::size_t i = 0; i < n_moments_; ++i) sums[i] += moments[i];
  }
  void scale(double factor);
  void merge(const NumberCells& other);  // capacities may differ

  std::vector<Bin> bins() const;  // of about equal counts; for few integers, one bin each
  std::vector<double> edges() const;

  std::size_t nbytes() const { return capacity_ > 0 ? (capacity_ + 1) * cell_bytes(n_moments_) : 0; }
  static std::size_t cell_bytes(std::size_t moments) {
    return sizeof(Cell) + sizeof(std::uint32_t) + 2 * moments * sizeof(double);
  }

  // Archives the cells of all columns, one column after the other.
  static void archive(Archive& archive, std::vector<NumberCells*> columns, std::size_t most, std::size_t bins,
                      std::size_t moments);

 private:
  // Maps a float to an integer of the same order.
  static std::uint32_t place_of(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value == 0.0f ? 0.0f : value);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
  }
  static double number_of(std::uint32_t place) {
    return std::bit_cast<float>(place >> 31 ? place & 0x7fffffffu : ~place);
  }
  // Index of the first cell that starts after this number. A branchless binary search, because branches on arbitrary
  // numbers would be mispredicted.
  std::size_t first_after(std::uint32_t place) const {
    std::size_t at = 0, n = firsts_.size();
    for (; n > 1; n -= n / 2) at += n / 2 & -std::size_t{firsts_[at + n / 2 - 1] <= place};
    return at + (n == 1 && firsts_[at] <= place);
  }
  std::size_t make_cell(std::uint32_t place, float value);
  void join_lightest();
  void join(std::size_t begin, std::size_t end);  // joins these cells into one
  std::uint64_t n_rows() const;
  std::vector<std::size_t> groups() const;                          // start of each bin, then the end
  bool holds_one_number(std::size_t begin, std::size_t end) const;  // whether these cells have rows of one whole number
  // Whether a number is a decimal number with so many digits behind its point. Adding 1.5 * 2^52 rounds to an integer.
  static bool has_decimals(double value, std::uint8_t decimals) {
    const double scaled = value * kPowers[decimals], rounded = (scaled + 0x1.8p52) - 0x1.8p52;
    return std::abs(scaled - rounded) <= 0x1p-50 * std::abs(scaled) && std::abs(scaled) < 0x1p51;
  }
  double edge(std::size_t cell) const;  // between the numbers of this cell and those before it

  static constexpr std::uint8_t kAnyDecimals = 7;
  static constexpr std::array<double, 7> kPowers = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
  std::vector<std::uint32_t>
      firsts_;               // start of each cell; a separate dense array, because every number is searched in it
  std::vector<Cell> cells_;  // in the same order
  std::size_t capacity_ = 0, n_bins_ = 0, n_moments_ = 0, latest_ = 0;
  std::vector<double> moments_;  // of the metric, for each cell and side
  bool cut_ = false;             // cells contain more than one number
  bool exact_ = true;            // no number was rounded
  std::uint8_t decimals_ = 0;    // of the numbers, at most; kAnyDecimals: more than that
};

// Formats a number for people, with all its digits.
std::string short_number(double value);
// A number with few digits that is at least `least` and at most `most`.
double round_number(double least, double most);

}  // namespace wmsketch
