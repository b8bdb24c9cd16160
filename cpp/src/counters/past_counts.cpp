#include "wmsketch/counters/past_counts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wmsketch {

double ShortCount::value(std::uint16_t code) {
  const std::uint32_t exponent = code >> kMantissaBits, mantissa = code & ((1u << kMantissaBits) - 1);
  return exponent == 0 ? mantissa : static_cast<double>(((1u << kMantissaBits) + mantissa) << (exponent - 1));
}

double ShortCount::most(std::uint16_t code) {
  if (code == kMask) return std::numeric_limits<double>::infinity();
  return code <= kExact ? code : std::ceil(value(code) * (1 + 3 * kDeviation));
}

std::uint16_t ShortCount::next(std::uint16_t code, Random& random) {
  const std::uint32_t exponent = code >> kMantissaBits;
  if (code == kMask || (exponent > 1 && random.next() >> (65 - exponent) != 0)) return code;
  return static_cast<std::uint16_t>(code + 1);
}

std::uint16_t ShortCount::at_least(double count) {
  if (count <= kExact) return static_cast<std::uint16_t>(std::ceil(count));
  std::uint32_t low = kExact, high = kMask;
  while (low + 1 < high) {
    const std::uint32_t middle = (low + high) / 2;
    (value(static_cast<std::uint16_t>(middle)) < count ? low : high) = middle;
  }
  return static_cast<std::uint16_t>(high);
}

std::uint16_t ShortCount::at_most(double count) {
  const std::uint16_t code = at_least(count);
  return value(code) > count ? static_cast<std::uint16_t>(code - 1) : code;
}

PastCounts::PastCounts(std::uint32_t width, MixerSeeds seeds, bool fractional)
    : width_(width),
      seeds_(seeds),
      random_(std::uint64_t{seeds.first} << 32 | seeds.second),
      cells_(fractional ? 0 : std::size_t{kRows} * width),
      floats_(fractional ? std::size_t{kRows} * width : 0) {}

float PastCounts::up(double amount) {
  const auto rounded = static_cast<float>(amount);
  return rounded < amount ? std::nextafter(rounded, std::numeric_limits<float>::infinity()) : rounded;
}

PastCounts::Amounts PastCounts::most(Key key) const {
  const auto [first, second] = places(key);
  Amounts found;
  for (std::size_t s = 0; s < 2; ++s)
    found[s] = fractional() ? std::min(floats_[first][s], floats_[second][s])
                            : ShortCount::most(std::min(cells_[first][s], cells_[second][s]));
  return found;
}

void PastCounts::add(Key key, const Amounts& amounts) {
  const auto at = places(key);
  for (std::size_t s = 0; s < 2; ++s) {
    if (!(amounts[s] > 0)) continue;
    if (!fractional()) {
      add_whole(at, s, amounts[s]);
      continue;
    }
    const float least = up(double{std::min(floats_[at[0]][s], floats_[at[1]][s])} + amounts[s]);
    for (const std::size_t place : at) {
      float& cell = floats_[place][s];
      total_[s] += std::max(0.0, double{least} - cell);
      cell = std::max(cell, least);
    }
  }
}

void PastCounts::add_whole(const std::array<std::size_t, 2>& at, std::size_t side, double amount) {
  const std::uint16_t before = std::min(cells_[at[0]][side], cells_[at[1]][side]);
  const std::uint16_t now =
      amount == 1 ? ShortCount::next(before, random_) : ShortCount::at_least(ShortCount::value(before) + amount);
  for (const std::size_t place : at) {
    std::uint16_t& cell = cells_[place][side];
    if (cell >= now) continue;
    total_[side] += ShortCount::value(now) - ShortCount::value(cell);
    cell = now;
  }
}

void PastCounts::merge(const PastCounts& other) {
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t i = 0; i < cells_.size(); ++i)
      cells_[i][s] = ShortCount::at_least(ShortCount::value(cells_[i][s]) + ShortCount::value(other.cells_[i][s]));
    for (std::size_t i = 0; i < floats_.size(); ++i) floats_[i][s] = up(double{floats_[i][s]} + other.floats_[i][s]);
  }
  sum_up();
}

void PastCounts::scale(double factor) {
  for (std::size_t s = 0; s < 2; ++s) {
    for (Cell& cell : cells_) cell[s] = ShortCount::at_least(ShortCount::value(cell[s]) * factor);
    for (FloatCell& cell : floats_) cell[s] = up(cell[s] * factor);
  }
  sum_up();
}

void PastCounts::sum_up() {
  total_ = {};
  for (std::size_t s = 0; s < 2; ++s) {
    for (const Cell& cell : cells_) total_[s] += ShortCount::value(cell[s]);
    for (const FloatCell& cell : floats_) total_[s] += cell[s];
  }
}

void PastCounts::archive(Archive& archive) {
  archive.fixed("past", cells_.empty() ? nullptr : cells_[0].data(), 2 * cells_.size());
  archive.fixed("past_amounts", floats_.empty() ? nullptr : floats_[0].data(), 2 * floats_.size());
  archive.fixed("past_total", total_.data(), 2);
  archive.value("past_random", random_.state);
  for (const FloatCell& cell : floats_)
    require_state(cell[0] >= 0 && cell[1] >= 0 && std::isfinite(cell[0] + cell[1]),
                  "a bound on a count is negative or not finite");
  require_state(total_[0] >= 0 && total_[1] >= 0 && std::isfinite(total_[0] + total_[1]),
                "the sum of the bounds is negative or not finite");
}

}  // namespace wmsketch
