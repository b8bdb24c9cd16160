#include "wmsketch/counters/count_min.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "wmsketch/counters/for_each_hash.hpp"
#include "wmsketch/data/saturating.hpp"
#include "wmsketch/data/sketch_shape.hpp"

namespace wmsketch {

CountMin::CountMin(std::uint32_t depth, std::uint32_t width, std::uint64_t seed, HashFamily family, bool conservative)
    : width_(width), seed_(seed), conservative_(conservative) {
  require_shape(depth, width);
  hasher_ = Hasher(family, depth, seed);
  cells_.resize(std::size_t{depth} * width);
}

std::uint32_t CountMin::update(Key key, std::uint64_t amount) {
  total_ = add_saturating(total_, amount);
  if (conservative_) {
    const std::uint32_t raised = add_saturating(estimate(key), amount);
    for (std::uint32_t row = 0; row < depth(); ++row) {
      std::uint32_t& count = cell(row, hasher_.hash(row, key));
      count = std::max(count, raised);
    }
    return raised;
  }
  std::uint32_t least = 0xffffffffu;
  for (std::uint32_t row = 0; row < depth(); ++row) {
    std::uint32_t& count = cell(row, hasher_.hash(row, key));
    count = add_saturating(count, amount);
    least = std::min(least, count);
  }
  return least;
}

void CountMin::update_many(std::span<const Key> keys, std::span<const std::uint64_t> amounts) {
  require_as_many(keys.size(), amounts.size());
  const auto amount = [&](std::size_t i) { return amounts.empty() ? std::uint64_t{1} : amounts[i]; };
  if (conservative_) {  // each update reads what the previous one wrote
    for (std::size_t i = 0; i < keys.size(); ++i) update(keys[i], amount(i));
    return;
  }
  for_each_hash(hasher_, depth(), keys, [&](std::uint32_t row, std::uint32_t hash, std::size_t i) {
    std::uint32_t& count = cell(row, hash);
    count = add_saturating(count, amount(i));
  });
  for (std::size_t i = 0; i < keys.size(); ++i) total_ = add_saturating(total_, amount(i));
}

std::uint32_t CountMin::estimate(Key key) const {
  std::uint32_t least = 0xffffffffu;
  for (std::uint32_t row = 0; row < depth(); ++row) least = std::min(least, cell(row, hasher_.hash(row, key)));
  return least;
}

double CountMin::error_bound(double failure) const {
  // The expected error of a row is total / width. By Markov's inequality, it exceeds c times that in all rows with
  // probability at most c^-depth.
  return std::pow(failure, -1.0 / depth()) * static_cast<double>(total_) / width_;
}

CountMin::Bounds CountMin::bounds(Key key, double failure) const {
  const std::uint32_t count = estimate(key);
  const double low = std::ceil(std::max(0.0, count - error_bound(failure)));
  return {count, static_cast<std::uint64_t>(low),
          count == 0xffffffffu ? total_ : count};  // a saturated cell: the count may be larger
}

void CountMin::merge(const CountMin& other) {
  require_same_shape(*this, other);
  require_same("conservative", conservative_, other.conservative_);
  for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i] = add_saturating(cells_[i], other.cells_[i]);
  total_ = add_saturating(total_, other.total_);
}

void CountMin::restore(std::span<const std::uint32_t> cells, std::uint64_t total) {
  require_cells(cells_.size(), cells.size());
  std::copy(cells.begin(), cells.end(), cells_.begin());
  total_ = total;
}

void CountMin::archive(Archive& archive, const std::string& of) {
  archive.fixed("cells" + of, cells_.data(), cells_.size());
  archive.value("total" + of, total_);
}

}  // namespace wmsketch
