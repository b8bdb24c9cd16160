#include "wmsketch/apps/explain/explain_cells.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "wmsketch/data/saturating.hpp"

namespace wmsketch {
namespace {

struct Interval {
  std::uint32_t first, last;
};

// The smallest interval of numbers with the same leading bits that contains both.
Interval around(std::uint32_t first, std::uint32_t last) {
  const int width = std::bit_width(first ^ last);
  const std::uint32_t mask = width == 32 ? ~0u : (1u << width) - 1;
  return {first & ~mask, last | mask};
}

bool is_whole(float value) { return value == std::floor(value) && std::abs(value) < 0x1p24f; }

}  // namespace

void NumberCells::choose(const std::vector<double>& sample) {
  std::vector<float> numbers;
  for (const double number : sample) numbers.push_back(rounded_down(number));
  std::sort(numbers.begin(), numbers.end());
  std::vector<std::uint32_t> places;
  std::size_t n_distinct = 0;
  bool whole = true;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    n_distinct += i == 0 || numbers[i] != numbers[i - 1];
    whole = whole && is_whole(numbers[i]);
    places.push_back(place_of(numbers[i]));
  }
  if (numbers.empty() || (whole && n_distinct <= std::min(2 * n_bins_, capacity_))) return;
  cut_ = true;
  struct Part {
    Interval interval;
    std::size_t begin, end;  // range in the sample
  };
  std::vector<Part> parts{{around(places.front(), places.back()), 0, places.size()}};
  const std::size_t most_parts = std::max<std::size_t>(2, capacity_ * 3 / 4);  // the rest is for later numbers
  while (!parts.empty() && parts.size() < most_parts) {
    const auto size_of = [](const Part& part) {
      return part.interval.first == part.interval.last ? 0 : part.end - part.begin;
    };
    const auto heaviest = std::max_element(parts.begin(), parts.end(), [&](const Part& left, const Part& right) {
      return size_of(left) < size_of(right);
    });
    if (size_of(*heaviest) <= 1) break;
    const Part whole_part = *heaviest;
    const std::uint32_t middle = whole_part.interval.first + (whole_part.interval.last - whole_part.interval.first) / 2;
    const auto at = static_cast<std::size_t>(
        std::upper_bound(places.begin() + static_cast<std::ptrdiff_t>(whole_part.begin),
                         places.begin() + static_cast<std::ptrdiff_t>(whole_part.end), middle) -
        places.begin());
    parts.erase(heaviest);
    if (at > whole_part.begin) parts.push_back({{whole_part.interval.first, middle}, whole_part.begin, at});
    if (at < whole_part.end) parts.push_back({{middle + 1, whole_part.interval.last}, at, whole_part.end});
  }
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.begin < b.begin; });
  for (const Part& part : parts) {
    const Interval tight = around(places[part.begin], places[part.end - 1]);  // without gaps at the ends
    Cell cell;
    cell.last = tight.last;
    cell.least = std::numeric_limits<float>::infinity();
    firsts_.push_back(tight.first);
    cells_.push_back(cell);
  }
  moments_.assign(2 * n_moments_ * cells_.size(), 0.0);
}

std::uint64_t NumberCells::n_rows() const {
  std::uint64_t n = 0;
  for (const Cell& cell : cells_) n += cell.rows;
  return n;
}

// Makes a cell for a number outside all cells: extends a light neighbour, or inserts a new cell.
std::size_t NumberCells::make_cell(std::uint32_t place, float value) {
  cut_ = cut_ || !is_whole(value) || cells_.size() >= std::min(2 * n_bins_, capacity_);
  const std::uint64_t light = n_rows() / capacity_;
  const std::size_t next = first_after(place);
  for (const std::size_t at : {next, next - 1}) {  // the next cell, then the previous one
    if (!cut_ || at >= cells_.size() || cells_[at].rows > light) continue;
    const Interval wide = around(std::min(place, firsts_[at]), std::max(place, cells_[at].last));
    const bool clear =
        (at == 0 || cells_[at - 1].last < wide.first) && (at + 1 == cells_.size() || wide.last < firsts_[at + 1]);
    if (!clear) continue;
    firsts_[at] = wide.first;
    cells_[at].last = wide.last;
    return at;
  }
  Cell cell;
  cell.last = place;
  cell.least = value;
  firsts_.insert(firsts_.begin() + static_cast<std::ptrdiff_t>(next), place);
  cells_.insert(cells_.begin() + static_cast<std::ptrdiff_t>(next), cell);
  moments_.insert(moments_.begin() + static_cast<std::ptrdiff_t>(2 * n_moments_ * next), 2 * n_moments_, 0.0);
  if (cells_.size() > capacity_) join_lightest();
  return first_after(place) - 1;
}

// Joins the pair of neighbours with the fewest rows, counting all cells in the interval around both.
void NumberCells::join_lightest() {
  std::size_t best_begin = 0, best_end = cells_.size();
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = 0; i + 1 < cells_.size(); ++i) {
    const Interval wide = around(firsts_[i], cells_[i + 1].last);
    std::size_t begin = i, end = i + 2;
    std::uint64_t rows = std::uint64_t{cells_[i].rows} + cells_[i + 1].rows;
    for (; begin > 0 && cells_[begin - 1].last >= wide.first && rows < least; --begin) rows += cells_[begin - 1].rows;
    for (; end < cells_.size() && firsts_[end] <= wide.last && rows < least; ++end) rows += cells_[end].rows;
    if (rows >= least) continue;
    least = rows;
    best_begin = begin;
    best_end = end;
  }
  join(best_begin, best_end);
}

void NumberCells::join(std::size_t begin, std::size_t end) {
  Cell& all = cells_[begin];
  for (std::size_t i = begin + 1; i < end; ++i) {
    all.rows = add_saturating(all.rows, cells_[i].rows);
    all.least = std::min(all.least, cells_[i].least);
    all.fingerprint = (all.fingerprint + cells_[i].fingerprint) & 0x3fffffffu;
    for (const std::size_t label : {0u, 1u}) all.amounts[label] += cells_[i].amounts[label];
    for (std::size_t m = 0; m < 2 * n_moments_; ++m)
      moments_[2 * n_moments_ * begin + m] += moments_[2 * n_moments_ * i + m];
  }
  const Interval wide = around(firsts_[begin], cells_[end - 1].last);
  firsts_[begin] = wide.first;
  all.last = std::max(wide.last, all.last);
  const auto from = static_cast<std::ptrdiff_t>(begin) + 1, to = static_cast<std::ptrdiff_t>(end);
  firsts_.erase(firsts_.begin() + from, firsts_.begin() + to);
  cells_.erase(cells_.begin() + from, cells_.begin() + to);
  const auto each = static_cast<std::ptrdiff_t>(2 * n_moments_);
  moments_.erase(moments_.begin() + each * from, moments_.begin() + each * to);
}

void NumberCells::scale(double factor) {
  for (Cell& cell : cells_)
    for (double& amount : cell.amounts) amount *= factor;
}

void NumberCells::merge(const NumberCells& other) {
  cut_ = cut_ || other.cut_;
  exact_ = exact_ && other.exact_;
  decimals_ = std::max(decimals_, other.decimals_);
  struct Counted {
    std::uint32_t first;
    Cell cell;
    std::vector<double> sums;
  };
  std::vector<Counted> both;
  for (const NumberCells* each : {static_cast<const NumberCells*>(this), &other})
    for (std::size_t i = 0; i < each->cells_.size(); ++i) {
      const auto begin = each->moments_.begin() + static_cast<std::ptrdiff_t>(2 * n_moments_ * i);
      both.push_back({each->firsts_[i], each->cells_[i], {begin, begin + static_cast<std::ptrdiff_t>(2 * n_moments_)}});
    }
  std::sort(both.begin(), both.end(), [](const Counted& a, const Counted& b) {
    return a.first != b.first ? a.first < b.first : a.cell.last > b.cell.last;
  });
  firsts_.clear();
  cells_.clear();
  moments_.clear();
  for (const auto& [first, cell, sums] : both) {  // a cell comes before the cells it contains
    firsts_.push_back(first);
    cells_.push_back(cell);
    moments_.insert(moments_.end(), sums.begin(), sums.end());
    if (cells_.size() > 1 && cell.last <= cells_[cells_.size() - 2].last) join(cells_.size() - 2, cells_.size());
  }
  cut_ = cut_ || cells_.size() > std::min(2 * n_bins_, capacity_);
  while (cells_.size() > capacity_) join_lightest();
}

// --- bins ---

std::vector<std::size_t> NumberCells::groups() const {
  std::vector<std::size_t> begins;
  const auto total = static_cast<double>(n_rows());
  double before = 0;
  std::size_t last = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (cells_[i].rows == 0) continue;
    const double middle = (before + 0.5 * cells_[i].rows) / total;
    const auto bin = cut_ ? static_cast<std::size_t>(middle * static_cast<double>(n_bins_)) : i;
    if (bin != last) begins.push_back(i);
    last = bin;
    before += cells_[i].rows;
  }
  begins.push_back(cells_.size());
  return begins;
}

// The least number was rounded down. If the numbers have few decimals, it is known: the next such number.
double NumberCells::edge(std::size_t cell) const {
  double least = cells_[cell].least;
  if (decimals_ < kAnyDecimals && !has_decimals(least, decimals_))
    least = std::ceil(least * kPowers[decimals_]) / kPowers[decimals_];
  return cut_ && cell > 0 ? round_number(number_of(cells_[cell - 1].last + 1), least) : least;
}

bool NumberCells::holds_one_number(std::size_t begin, std::size_t end) const {
  for (std::size_t i = begin + 1; i < end; ++i)
    if (cells_[i].rows > 0) return false;
  return exact_ && firsts_[begin] == cells_[begin].last && is_whole(cells_[begin].least);
}

std::vector<double> NumberCells::edges() const {
  std::vector<double> edges;
  const auto begins = groups();
  for (std::size_t i = 1; cut_ && i + 1 < begins.size(); ++i) edges.push_back(edge(begins[i]));
  return edges;
}

std::vector<NumberCells::Bin> NumberCells::bins() const {
  std::vector<Bin> bins;
  const auto begins = groups();
  const auto number = [&](std::size_t bin) { return short_number(edge(begins[bin])); };
  const std::size_t n = begins.size() - 1;
  for (std::size_t bin = 0; bin < n; ++bin) {
    Bin found{number(bin), 0, {}, std::vector<double>(2 * n_moments_)};
    if (cut_ && n > 1)
      found.label = bin == 0       ? "below " + number(1)
                    : bin == n - 1 ? "from " + number(bin)
                                   : number(bin) + " to " + number(bin + 1);
    else if (cut_)
      found.label = "from " + number(bin);
    if (cut_ && holds_one_number(begins[bin], begins[bin + 1])) found.label = short_number(cells_[begins[bin]].least);
    for (std::size_t i = begins[bin]; i < begins[bin + 1]; ++i) {
      found.fingerprint = (found.fingerprint + cells_[i].fingerprint) & 0x3fffffffu;
      for (const std::size_t label : {0u, 1u}) found.amounts[label] += cells_[i].amounts[label];
      for (std::size_t m = 0; m < 2 * n_moments_; ++m) found.moments[m] += moments_[2 * n_moments_ * i + m];
    }
    bins.push_back(std::move(found));
  }
  return bins;
}

void NumberCells::archive(Archive& archive, std::vector<NumberCells*> columns, std::size_t most, std::size_t bins,
                          std::size_t moments) {
  std::vector<std::uint32_t> capacities, sizes, firsts, lasts, fingerprints, rows;
  std::vector<std::uint8_t> cut, exact;
  std::vector<float> leasts;
  std::vector<double> amounts, sums;
  for (const NumberCells* column : columns) {
    capacities.push_back(static_cast<std::uint32_t>(column->capacity_));
    sizes.push_back(static_cast<std::uint32_t>(column->cells_.size()));
    cut.push_back(column->cut_);
    exact.push_back(static_cast<std::uint8_t>(column->exact_ | (kAnyDecimals - column->decimals_) << 1));
    firsts.insert(firsts.end(), column->firsts_.begin(), column->firsts_.end());
    for (const Cell& cell : column->cells_) {
      lasts.push_back(cell.last);
      fingerprints.push_back(cell.fingerprint);
      rows.push_back(cell.rows);
      leasts.push_back(cell.least);
      amounts.insert(amounts.end(), cell.amounts.begin(), cell.amounts.end());
    }
    sums.insert(sums.end(), column->moments_.begin(), column->moments_.end());
  }
  archive.growing("cell_capacities", capacities, columns.size());
  archive.growing("cell_sizes", sizes, columns.size());
  archive.growing("cells_cut", cut, columns.size());
  archive.growing("cells_exact", exact, columns.size());
  archive.growing("cell_firsts", firsts, most);
  archive.growing("cell_lasts", lasts, most);
  archive.growing("cell_fingerprints", fingerprints, most);
  archive.growing("cell_rows", rows, most);
  archive.growing("cell_leasts", leasts, most);
  archive.growing("cell_amounts", amounts, 2 * most);
  if (moments > 0) archive.growing("cell_moments", sums, 2 * moments * most);
  if (!archive.loading()) return;
  require_state(capacities.size() == columns.size() && sizes.size() == columns.size() && cut.size() == columns.size() &&
                    exact.size() == columns.size() && lasts.size() == firsts.size() &&
                    fingerprints.size() == firsts.size() && rows.size() == firsts.size() &&
                    leasts.size() == firsts.size() && amounts.size() == 2 * firsts.size() &&
                    sums.size() == 2 * moments * firsts.size(),
                "the arrays of number cells differ in length");
  for (const double sum : sums) require_state(std::isfinite(sum), "a sum of the metric is not finite");
  std::size_t i = 0;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    require_state(
        sizes[column] <= capacities[column] && sizes[column] <= firsts.size() - i && capacities[column] <= most,
        "more cells than a column has room for");
    *columns[column] = capacities[column] > 0 ? NumberCells(capacities[column], bins, moments) : NumberCells();
    columns[column]->cut_ = cut[column] != 0;
    columns[column]->exact_ = exact[column] & 1;
    columns[column]->decimals_ = static_cast<std::uint8_t>(kAnyDecimals - (exact[column] >> 1 & kAnyDecimals));
    for (std::uint32_t n = 0; n < sizes[column]; ++n, ++i) {
      require_state(firsts[i] <= lasts[i] && (n == 0 || lasts[i - 1] < firsts[i]), "cells of numbers overlap");
      require_state(!std::isnan(leasts[i]), "the least number of a cell is NaN");
      for (const std::size_t label : {0u, 1u})
        require_state(amounts[2 * i + label] >= 0 && std::isfinite(amounts[2 * i + label]),
                      "a count of a cell is negative or not finite");
      columns[column]->firsts_.push_back(firsts[i]);
      columns[column]->cells_.push_back(
          {lasts[i], leasts[i], fingerprints[i] & 0x3fffffffu, rows[i], {amounts[2 * i], amounts[2 * i + 1]}});
    }
    const auto end = sums.begin() + static_cast<std::ptrdiff_t>(2 * moments * i);
    columns[column]->moments_.assign(end - static_cast<std::ptrdiff_t>(2 * moments * sizes[column]), end);
  }
  require_state(i == firsts.size(), "there are cells without a column");
}

}  // namespace wmsketch
