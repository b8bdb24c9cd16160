// Upper bounds on how often an item occurred in each of two streams while it was not counted.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/hashing.hpp"

namespace wmsketch {

// A Count-Min sketch of depth two for two streams, with conservative updates. It never underestimates.
class PairBounds {
 public:
  using Amounts = std::array<double, 2>;  // in streams a and b

  PairBounds(std::uint32_t width, MixerSeeds seeds) : width_(width), seeds_(seeds), cells_(2 * std::size_t{width}) {}

  Amounts most(Key key) const {
    const auto [first, second] = places(key);
    return {std::min(cells_[first][0], cells_[second][0]), std::min(cells_[first][1], cells_[second][1])};
  }
  void add(Key key, const Amounts& amounts) {
    const auto [first, second] = places(key);
    for (std::size_t s = 0; s < 2; ++s) {
      if (!(amounts[s] > 0)) continue;
      const float least = up(double{std::min(cells_[first][s], cells_[second][s])} + amounts[s]);
      cells_[first][s] = std::max(cells_[first][s], least);
      cells_[second][s] = std::max(cells_[second][s], least);
    }
  }
  void merge(const PairBounds& other) {  // requires the same width and seeds
    for (std::size_t i = 0; i < cells_.size(); ++i)
      for (std::size_t s = 0; s < 2; ++s) cells_[i][s] = up(double{cells_[i][s]} + other.cells_[i][s]);
  }
  void fade(double kept) {
    for (Cell& cell : cells_)
      for (float& amount : cell) amount = up(amount * kept);
  }

  // Rounds up to float.
  static float up(double amount) {
    const auto rounded = static_cast<float>(amount);
    return rounded < amount ? std::nextafter(rounded, std::numeric_limits<float>::infinity()) : rounded;
  }

  void archive(Archive& archive) {
    archive.fixed("bounds", cells_.empty() ? nullptr : cells_[0].data(), 2 * cells_.size());
    for (const Cell& cell : cells_)
      require_state(cell[0] >= 0 && cell[1] >= 0 && std::isfinite(cell[0] + cell[1]),
                    "a bound on a count is negative or not finite");
  }
  static std::size_t bytes_for(std::uint32_t width) {
    return 2 * std::size_t{width} * sizeof(Cell) + sizeof(MixerSeeds);
  }

 private:
  using Cell = std::array<float, 2>;

  std::array<std::size_t, 2> places(Key key) const {
    const std::uint32_t hash = mix(key, seeds_);
    return {bucket_of(hash, width_), std::size_t{width_} + bucket_of(second_hash(hash), width_)};
  }

  std::uint32_t width_;
  MixerSeeds seeds_;
  std::vector<Cell> cells_;
};

}  // namespace wmsketch
