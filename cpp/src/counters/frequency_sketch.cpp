#include "wmsketch/counters/frequency_sketch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "wmsketch/counters/for_each_hash.hpp"
#include "wmsketch/data/saturating.hpp"
#include "wmsketch/data/sketch_shape.hpp"

namespace wmsketch {
namespace {

// The median. For an even number of values, the mean of the middle two.
double median(std::span<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// The probability that at least half of `depth` rows fail if each fails with probability `row_failure`.
double half_fail(std::uint32_t depth, double row_failure) {
  const std::uint32_t half = (depth + 1) / 2;
  double sum = 0;
  for (std::uint32_t k = half; k <= depth; ++k)
    sum += std::exp(std::lgamma(depth + 1.0) - std::lgamma(k + 1.0) - std::lgamma(depth - k + 1.0) +
                    k * std::log(row_failure) + (depth - k) * std::log1p(-row_failure));
  return sum;
}

// The failure probability of a single row at which the median fails with probability `failure`.
double row_failure_for(std::uint32_t depth, double failure) {
  double low = 0, high = 0.5;
  for (int i = 0; i < 40; ++i) (half_fail(depth, (low + high) / 2) <= failure ? low : high) = (low + high) / 2;
  return std::max(low, 1e-12);
}

std::uint64_t magnitude(std::int64_t amount) {
  const auto bits = static_cast<std::uint64_t>(amount);
  return amount < 0 ? 0 - bits : bits;
}

std::int64_t with_sign(std::uint32_t hash, std::int64_t amount) {
  if ((hash & 1u) == 0) return amount;
  return amount == std::numeric_limits<std::int64_t>::min() ? std::numeric_limits<std::int64_t>::max() : -amount;
}

}  // namespace

FrequencySketch::FrequencySketch(std::uint32_t depth, std::uint32_t width, std::uint64_t seed, HashFamily family)
    : width_(width), seed_(seed) {
  require_shape(depth, width);
  hasher_ = Hasher(family, depth, seed);
  cells_.resize(std::size_t{depth} * width);
}

double FrequencySketch::update(Key key, std::int64_t amount) {
  total_ = add_saturating(total_, magnitude(amount));
  std::array<double, kMaxDepth> rows;
  for (std::uint32_t row = 0; row < depth(); ++row) {
    const std::uint32_t hash = hasher_.hash(row, key);
    std::int32_t& cell = cells_[cell_of(row, hash)];
    cell = add_saturating(cell, with_sign(hash, amount));
    rows[row] = sign_of(hash) * static_cast<double>(cell);
  }
  return median({rows.data(), depth()});
}

void FrequencySketch::update_many(std::span<const Key> keys, std::span<const std::int64_t> amounts) {
  require_as_many(keys.size(), amounts.size());
  const auto amount = [&](std::size_t i) { return amounts.empty() ? std::int64_t{1} : amounts[i]; };
  for_each_hash(hasher_, depth(), keys, [&](std::uint32_t row, std::uint32_t hash, std::size_t i) {
    std::int32_t& cell = cells_[cell_of(row, hash)];
    cell = add_saturating(cell, with_sign(hash, amount(i)));
  });
  for (std::size_t i = 0; i < keys.size(); ++i) total_ = add_saturating(total_, magnitude(amount(i)));
}

double FrequencySketch::estimate(Key key) const {
  std::array<double, kMaxDepth> rows;
  for (std::uint32_t row = 0; row < depth(); ++row) {
    const std::uint32_t hash = hasher_.hash(row, key);
    rows[row] = sign_of(hash) * static_cast<double>(cells_[cell_of(row, hash)]);
  }
  return median({rows.data(), depth()});
}

std::vector<FrequencySketch::RowNoise> FrequencySketch::row_noise(double failure) const {
  const auto all = static_cast<double>(total_);
  std::vector<RowNoise> noise(depth(), {all, all});
  // The key's cell and the other width - 1 cells are exchangeable, so a quantile of the others bounds the noise in the
  // key's cell.
  const auto rank = static_cast<std::size_t>(std::ceil(width_ * (1 - row_failure_for(depth(), failure))));
  if (rank == 0 || rank >= width_) return noise;  // too few cells for this quantile
  std::vector<double> sizes(width_);
  for (std::uint32_t row = 0; row < depth(); ++row) {
    for (std::uint32_t i = 0; i < width_; ++i)
      sizes[i] = std::abs(static_cast<double>(cells_[std::size_t{row} * width_ + i]));
    const auto at = sizes.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::nth_element(sizes.begin(), at, sizes.end());
    noise[row] = {*at, *std::min_element(at + 1, sizes.end())};
  }
  return noise;
}

FrequencySketch::Bounds FrequencySketch::bounds(Key key, std::span<const RowNoise> noise) const {
  const auto all = static_cast<double>(total_);
  std::array<double, kMaxDepth> lows, highs;
  for (std::uint32_t row = 0; row < depth(); ++row) {
    const std::uint32_t hash = hasher_.hash(row, key);
    const double cell = cells_[cell_of(row, hash)];
    const bool full =
        cell >= std::numeric_limits<std::int32_t>::max() || cell <= std::numeric_limits<std::int32_t>::min();
    const double error = full ? all : std::abs(cell) <= noise[row].usual ? noise[row].next : noise[row].usual;
    lows[row] = sign_of(hash) * cell - error;
    highs[row] = sign_of(hash) * cell + error;
  }
  // fewer than half of the rows fail, so the medians of the limits enclose the true count
  return {estimate(key), std::max(-all, median({lows.data(), depth()})),
          std::min(all, median({highs.data(), depth()}))};
}

void FrequencySketch::merge(const FrequencySketch& other) {
  require_same_shape(*this, other);
  for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i] = add_saturating(cells_[i], other.cells_[i]);
  total_ = add_saturating(total_, other.total_);
}

void FrequencySketch::archive(Archive& archive, const std::string& of) {
  archive.fixed("cells" + of, cells_.data(), cells_.size());
  archive.value("total" + of, total_);
}

}  // namespace wmsketch
