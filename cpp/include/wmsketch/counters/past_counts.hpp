// Upper bounds on how often a key occurred, on each of two sides, while it was not counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/hashing.hpp"
#include "wmsketch/data/random.hpp"

namespace wmsketch {

// A count in 16 bits: 4 of exponent, 12 of mantissa (a Morris counter). Exact up to 8191. Above that, an increment adds
// 2^k with probability 2^-k, so the expected value is the true count. The largest code means "no bound".
struct ShortCount {
  static constexpr std::uint32_t kMantissaBits = 12, kMask = 0xffff, kExact = 8191;
  static constexpr double kDeviation = 0.0094;  // relative standard deviation of a large count: 1 / sqrt(2^14 ln 2)

  static double value(std::uint16_t code);
  static double most(std::uint16_t code);  // an upper bound on the true count, at three standard deviations
  static std::uint16_t next(std::uint16_t code, Random& random);
  static std::uint16_t at_least(double count);  // the least code of at least this value
  static std::uint16_t at_most(double count);   // the largest code of at most this value
};

// A Count-Min sketch of two rows with conservative updates. It does not underestimate, except with probability 0.1 %
// for counts above 8191. Cells have 16 bits for each side, or are floats, which are rounded up, if amounts are not
// whole.
class PastCounts {
 public:
  static constexpr std::uint32_t kRows = 2;
  using Amounts = std::array<double, 2>;  // on each side

  PastCounts(std::uint32_t width, MixerSeeds seeds, bool fractional);

  Amounts most(Key key) const;
  void add(Key key, const Amounts& amounts);
  // The average cell: what the bound on a key that never occurred is about.
  Amounts load() const { return {total_[0] / n_cells(), total_[1] / n_cells()}; }

  void merge(const PastCounts& other);  // requires the same width and seeds
  void scale(double factor);            // multiplies all amounts; rounds up
  void archive(Archive& archive);

  std::size_t nbytes() const { return bytes_for(width_, fractional()); }
  static std::size_t bytes_for(std::uint32_t width, bool fractional) {
    return kRows * std::size_t{width} * (fractional ? sizeof(FloatCell) : sizeof(Cell)) + sizeof(MixerSeeds) +
           sizeof(Amounts) + sizeof(Random);
  }
  static float up(double amount);  // rounds up to float

 private:
  using Cell = std::array<std::uint16_t, 2>;
  using FloatCell = std::array<float, 2>;

  bool fractional() const { return cells_.empty(); }
  double n_cells() const { return double{kRows} * width_; }
  std::array<std::size_t, 2> places(Key key) const {
    const std::uint32_t hash = mix(key, seeds_);
    return {bucket_of(hash, width_), std::size_t{width_} + bucket_of(second_hash(hash), width_)};
  }
  void add_whole(const std::array<std::size_t, 2>& at, std::size_t side, double amount);
  void sum_up();

  std::uint32_t width_;
  MixerSeeds seeds_;
  Random random_;
  std::vector<Cell> cells_;
  std::vector<FloatCell> floats_;
  Amounts total_{};  // the sum of all cells
};

}  // namespace wmsketch
