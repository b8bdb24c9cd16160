#include "wmsketch/counters/quantile_sketch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace wmsketch {

QuantileSketch::QuantileSketch(std::size_t bytes, std::uint64_t seed) : random_(seed) {
  if (bytes < kLeastBytes)
    throw std::invalid_argument("a quantile sketch needs at least " + std::to_string(kLeastBytes) + " bytes, got " +
                                std::to_string(bytes));
  items_.resize((bytes - kMostLevels * sizeof(std::uint32_t)) / sizeof(double));
  starts_.reserve(kMostLevels);
  starts_.assign(2, static_cast<std::uint32_t>(items_.size()));
}

std::uint32_t QuantileSketch::capacity_of(std::uint32_t level) const {
  // Capacities shrink by 2/3 per level from the top down, so they sum to less than three times the capacity of the top,
  // plus the minimum of each level.
  const double top = (static_cast<double>(items_.size()) - kMostLevels * kLeastCapacity) / 3;
  const double capacity = top * std::pow(2.0 / 3.0, n_levels() - 1 - level);
  return std::max(kLeastCapacity, static_cast<std::uint32_t>(capacity));
}

void QuantileSketch::add(double value) {
  if (starts_[0] == 0) make_room();
  items_[--starts_[0]] = value;
  ++count_;
}

void QuantileSketch::make_room() {
  for (std::uint32_t level = 0; level < n_levels(); ++level)
    if (size_of(level) >= capacity_of(level))
      return halve(level);  // the capacities sum to at most the buffer, so some level has reached its own
}

void QuantileSketch::halve(std::uint32_t level) {
  if (level + 1 == n_levels()) starts_.push_back(starts_.back());
  const std::uint32_t end = starts_[level + 1], odd = size_of(level) % 2, begin = starts_[level] + odd;
  const auto at = [&](std::uint32_t i) { return items_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::sort(at(begin), at(end));
  const std::uint32_t half = (end - begin) / 2, first = begin + static_cast<std::uint32_t>(random_.next() & 1);
  for (std::uint32_t i = half; i-- > 0;) items_[end - half + i] = items_[first + 2 * i];
  std::move_backward(at(starts_[0]), at(begin), at(end - half));  // closes the gap below
  starts_[level + 1] = end - half;
  for (std::uint32_t lower = 0; lower <= level; ++lower) starts_[lower] += end - half - begin;
}

double QuantileSketch::quantile(double p) const {
  if (count_ == 0) return std::numeric_limits<double>::quiet_NaN();
  std::vector<std::pair<double, std::uint64_t>> kept;  // value, number of stream values it represents
  kept.reserve(items_.size() - starts_[0]);
  std::uint64_t all = 0;
  for (std::uint32_t level = 0; level < n_levels(); ++level)
    for (std::uint32_t i = starts_[level]; i < starts_[level + 1]; ++i) {
      kept.emplace_back(items_[i], std::uint64_t{1} << level);
      all += kept.back().second;
    }
  const double wanted = p * static_cast<double>(all);
  std::uint64_t before = 0;  // number of stream values below `begin`
  auto begin = kept.begin(), end = kept.end();
  while (end - begin > 1) {  // quickselect, faster than sorting all
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end, [](const auto& a, const auto& b) { return a.first < b.first; });
    std::uint64_t passed = before;
    for (auto each = begin; each != middle; ++each) passed += each->second;
    if (static_cast<double>(passed) >= wanted) {
      end = middle;
    } else {
      begin = middle;
      before = passed;
    }
  }
  return begin->first;
}

void QuantileSketch::archive(Archive& archive, const std::string& name) {
  archive.fixed(name + ".items", items_.data(), items_.size());
  archive.growing(name + ".starts", starts_, kMostLevels + 1);
  archive.value(name + ".count", count_);
  archive.value(name + ".random", random_.state);
  require_state(starts_.size() >= 2 && starts_.back() == items_.size(),
                "the levels of a quantile sketch do not fill its buffer");
  require_state(std::is_sorted(starts_.begin(), starts_.end()), "the levels of a quantile sketch overlap");
}

}  // namespace wmsketch
