#include "wmsketch/apps/explain_columns.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "wmsketch/hashing.hpp"

namespace wmsketch {
namespace {

constexpr std::size_t kNodeBytes = 64;  // in the index of names, about

bool belongs(std::string_view name, std::string_view prefix) {
  return name.size() >= prefix.size() ? name.starts_with(prefix)
                                      : name.size() + 1 == prefix.size() && prefix.starts_with(name);
}

}  // namespace

std::string short_number(double value) {
  std::array<char, 32> text;
  char *const begin = text.data(), *const end = begin + text.size();
  if (value == std::floor(value) && std::abs(value) < 1e9)
    return {begin, std::to_chars(begin, end, static_cast<std::int64_t>(value)).ptr};
  return {begin, std::to_chars(begin, end, value, std::chars_format::general, 6).ptr};
}

std::size_t ExplainColumn::bin_of(double value) const {
  return static_cast<std::size_t>(std::upper_bound(edges.begin(), edges.end(), value) - edges.begin());
}

std::string ExplainColumn::bin_label(std::size_t bin) const {
  if (bin == 0) return "below " + short_number(edges.front());
  if (bin == edges.size()) return "from " + short_number(edges.back());
  return short_number(edges[bin - 1]) + " to " + short_number(edges[bin]);
}

void ExplainColumn::choose_edges(std::size_t bins) {
  std::vector<double> sorted;
  sorted.swap(first_values);
  std::sort(sorted.begin(), sorted.end());
  std::size_t n_distinct = 0;
  bool whole = true;  // single precision tells whole numbers apart up to 2^24
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    n_distinct += i == 0 || sorted[i] != sorted[i - 1];
    whole = whole && sorted[i] == std::floor(sorted[i]) && std::abs(sorted[i]) < 0x1p24;
  }
  if (sorted.empty() || (whole && n_distinct <= 2 * bins)) return;
  for (std::size_t bin = 1; bin < bins; ++bin) {
    const double edge = sorted[bin * sorted.size() / bins];
    if (edge > sorted.front() && (edges.empty() || edge > edges.back())) edges.push_back(edge);
  }
  if (edges.empty()) edges.push_back(sorted.back());
  for (std::size_t bin = 0; bin <= edges.size(); ++bin) bin_keys.push_back(key_of_name(prefix + bin_label(bin)));
}

std::size_t ExplainColumn::nbytes() const {
  return sizeof(ExplainColumn) + 2 * prefix.size() + kNodeBytes + edges.size() * sizeof(double) +
         bin_keys.size() * sizeof(Key);
}

std::uint32_t ExplainColumns::find(std::string_view name, std::uint32_t last) {
  constexpr std::uint32_t kTries = 4;
  const auto n = static_cast<std::uint32_t>(columns_.size());
  for (std::uint32_t i = 0, at = last + 1; i < std::min(n, kTries); ++i, ++at) {
    if (at >= n) at = 0;
    if (belongs(name, columns_[at].prefix)) return at;
  }
  const std::string_view column = name.substr(0, name.find('='));
  if (const auto found = ids_.find(std::string(column)); found != ids_.end()) return found->second;
  return add(column);
}

std::uint32_t ExplainColumns::add(std::string_view name) {
  ExplainColumn column;
  column.prefix = std::string(name) + '=';
  if (columns_.size() >= kMost || used_ + column.nbytes() > bytes_) {
    ++n_left_out_;
    return kNone;
  }
  used_ += column.nbytes();
  const auto id = static_cast<std::uint32_t>(columns_.size());
  ids_.emplace(std::string(name), id);
  columns_.push_back(std::move(column));
  return id;
}

void ExplainColumns::choose_edges(std::size_t bins) {
  for (ExplainColumn& column : columns_) {
    const std::size_t before = column.nbytes();
    // bins that do not fit are made fewer
    for (std::size_t n = bins; n > 1 && !column.first_values.empty(); n /= 2) {
      if (used_ + (n - 1) * sizeof(double) + n * sizeof(Key) > bytes_) continue;
      column.choose_edges(n);
    }
    column.first_values = {};
    used_ += column.nbytes() - before;
  }
}

}  // namespace wmsketch
