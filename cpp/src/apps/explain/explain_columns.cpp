#include "wmsketch/apps/explain/explain_columns.hpp"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "wmsketch/data/archive_names.hpp"
#include "wmsketch/data/table_hash.hpp"

namespace wmsketch {
std::string short_number(double value) {
  std::array<char, 32> text;
  char *const begin = text.data(), *const end = begin + text.size();
  if (value == std::floor(value) && std::abs(value) < 1e9)
    return {begin, std::to_chars(begin, end, static_cast<std::int64_t>(value)).ptr};
  return {begin, std::to_chars(begin, end, value).ptr};
}

double round_number(double least, double most) {
  for (int digits = 6; digits < 17; ++digits) {
    std::array<char, 32> text;
    const char* const end =
        std::to_chars(text.data(), text.data() + text.size(), most, std::chars_format::general, digits).ptr;
    double rounded = most;
    fast_float::from_chars(text.data(), end, rounded);
    if (rounded >= least && rounded <= most) return rounded;
  }
  return most;
}

ExplainColumn::ExplainColumn(std::string_view name, const NameSecret& secret)
    : prefix(std::string(name) + '='), missing_key(key_of_name(prefix + '\x1f', secret)) {}

Key ExplainColumns::key_of_number(std::uint32_t column, double value) {
  const std::uint32_t hash = (std::bit_cast<std::uint32_t>(static_cast<float>(value)) + column) * 0x9e3779b1u;
  NumberKey& known = number_keys_[hash >> 24];
  if (known.column != column || known.value != value)
    known = {column, value, key_of_name(columns_[column].prefix + short_number(value), secret_)};
  return known.key;
}

void ExplainColumns::forget_row() {
  for (ExplainColumn& column : columns_) column.row = 0;
}

void ExplainColumns::keep_number(std::uint32_t column, double value) {
  if (first_values_.size() <= column) first_values_.resize(column + 1);
  first_values_[column].push_back(value);
}

std::string ExplainColumn::bin_label(std::size_t bin) const {
  if (bin == 0) return "below " + short_number(edges.front());
  if (bin == edges.size()) return "from " + short_number(edges.back());
  const double first = edges[bin - 1], next = edges[bin];
  const bool whole = std::all_of(edges.begin(), edges.end(), [](double edge) { return edge == std::floor(edge); });
  if (whole && next == first + 1) return short_number(first);
  return short_number(first) + " to " + short_number(next);
}

void ExplainColumn::choose_edges(std::vector<double> sorted, std::size_t bins) {
  std::sort(sorted.begin(), sorted.end());
  std::size_t n_distinct = 0;
  bool whole = true;  // integers below 2^24 are exact in single precision
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    n_distinct += i == 0 || sorted[i] != sorted[i - 1];
    whole = whole && sorted[i] == std::floor(sorted[i]) && std::abs(sorted[i]) < 0x1p24;
  }
  if (sorted.empty() || (whole && n_distinct <= 2 * bins)) return;
  for (std::size_t bin = 1; bin < bins; ++bin) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), sorted[bin * sorted.size() / bins]);
    const double below = at == sorted.begin() ? *at : at[-1];
    const double edge = round_number(std::nextafter(below, *at), *at);
    if (edge > sorted.front() && (edges.empty() || edge > edges.back())) edges.push_back(edge);
  }
  if (edges.empty()) edges.push_back(sorted.back());
}

void ExplainColumn::name_bins(const NameSecret& secret) {
  bin_keys.clear();
  for (std::size_t bin = 0; bin <= edges.size() && !edges.empty(); ++bin)
    bin_keys.push_back(key_of_name(prefix + bin_label(bin), secret));
}

std::size_t ExplainColumn::nbytes() const {
  return sizeof(ExplainColumn) + prefix.size() + 6 * sizeof(std::uint32_t) + edges.size() * sizeof(double) +
         bin_keys.size() * sizeof(Key) + cells.nbytes();
}

std::uint32_t ExplainColumns::find(std::string_view name) {
  for (std::size_t at = table_hash(name); !ids_.empty(); ++at) {
    const std::uint32_t id = ids_[at & (ids_.size() - 1)];
    if (id == kNone) break;
    if (columns_[id].name() == name) return id;
  }
  return add(name);
}

void ExplainColumns::index(std::uint32_t column) {
  std::size_t at = table_hash(columns_[column].name());
  while (ids_[at & (ids_.size() - 1)] != kNone) ++at;
  ids_[at & (ids_.size() - 1)] = column;
}

std::uint32_t ExplainColumns::add(std::string_view name) {
  ExplainColumn column(name, secret_);
  if (columns_.size() >= kMost || used_ + column.nbytes() > bytes_) {
    leave_out(name);
    return kNone;
  }
  used_ += column.nbytes();
  const auto id = static_cast<std::uint32_t>(columns_.size());
  columns_.push_back(std::move(column));
  if (2 * columns_.size() > ids_.size()) {
    ids_.assign(std::bit_ceil(2 * columns_.size()), kNone);
    for (std::uint32_t i = 0; i < id; ++i) index(i);
  }
  index(id);
  return id;
}

void ExplainColumns::leave_out(std::string_view name) {
  constexpr std::size_t kLongest = 64;
  ++n_left_out_;
  if (left_out_.size() == kMostNamed) return;
  std::string cut(name.substr(0, kLongest));
  if (std::find(left_out_.begin(), left_out_.end(), cut) == left_out_.end()) left_out_.push_back(std::move(cut));
}

void ExplainColumns::choose_edges(std::size_t bins) {
  for (std::size_t i = 0; i < first_values_.size(); ++i) {
    ExplainColumn& column = columns_[i];
    const std::size_t before = column.nbytes();
    // use fewer bins if they do not fit
    for (std::size_t n = bins; n > 1 && !first_values_[i].empty(); n /= 2) {
      if (used_ + (n - 1) * sizeof(double) + n * sizeof(Key) > bytes_) continue;
      column.choose_edges(std::move(first_values_[i]), n);
      column.name_bins(secret_);
      break;
    }
    used_ += column.nbytes() - before;
  }
  first_values_ = {};
}

bool ExplainColumns::make_cells(std::uint32_t id, std::size_t bins, std::size_t share) {
  constexpr std::size_t kLeast = 8;
  const std::size_t room = (bytes_ - used_) / share / NumberCells::cell_bytes(n_moments_);
  if (room <= kLeast) return false;
  ExplainColumn& column = columns_[id];
  used_ -= column.nbytes();
  column.cells = NumberCells(std::min(room - 1, std::max<std::size_t>(128, 8 * bins)), bins, n_moments_);
  used_ += column.nbytes();
  return true;
}

void ExplainColumns::choose_cells(std::size_t bins) {
  std::size_t n = 0;
  for (const auto& values : first_values_) n += !values.empty();
  for (std::uint32_t i = 0; i < first_values_.size();
       ++i)  // one share for each column, and one for columns that appear later
    if (!first_values_[i].empty() && give_cells(i, bins, ++n)) columns_[i].cells.choose(first_values_[i]);
  first_values_ = {};
}

void ExplainColumns::archive_cells(Archive& archive, std::size_t bins) {
  std::vector<NumberCells*> cells;
  for (ExplainColumn& column : columns_) cells.push_back(&column.cells);
  NumberCells::archive(archive, cells, bytes_ / NumberCells::cell_bytes(n_moments_), bins, n_moments_);
}

void ExplainColumns::archive(Archive& archive, std::size_t bins) {
  std::vector<std::string> names;
  std::vector<double> edges;
  std::vector<std::uint64_t> edge_ends;
  for (const ExplainColumn& column : columns_) {
    names.emplace_back(column.name());
    edges.insert(edges.end(), column.edges.begin(), column.edges.end());
    edge_ends.push_back(edges.size());
  }
  archive_texts(archive, names, kMost, "column");
  archive.growing("edges", edges, bytes_ / sizeof(double));
  archive.growing("edge_ends", edge_ends, kMost);
  archive_texts(archive, left_out_, kMostNamed, "left_out");
  archive.value("n_left_out", n_left_out_);
  if (!archive.loading()) return archive_cells(archive, bins);
  require_state(edge_ends.size() == names.size(), "columns and bins differ in number");
  for (std::size_t i = 0, begin = 0; i < names.size(); begin = edge_ends[i++]) {
    const std::uint32_t known = find(names[i]);
    require_state(known == i, "a column occurs twice or does not fit into the budget");
    require_state(begin <= edge_ends[i] && edge_ends[i] <= edges.size(),
                  "the bins of a column end outside their array");
    ExplainColumn& column = columns_[i];
    used_ -= column.nbytes();
    column.edges.assign(edges.begin() + static_cast<std::ptrdiff_t>(begin),
                        edges.begin() + static_cast<std::ptrdiff_t>(edge_ends[i]));
    column.name_bins(secret_);
    used_ += column.nbytes();
  }
  for (const ExplainColumn& column : columns_) used_ -= column.nbytes();
  archive_cells(archive, bins);
  for (const ExplainColumn& column : columns_) used_ += column.nbytes();
  require_state(used_ <= bytes_, "the columns take more bytes than allowed");
}

}  // namespace wmsketch
