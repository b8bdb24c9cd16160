// About how many different keys came, in 256 bytes (HyperLogLog: within 7 % in two of three cases).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "wmsketch/archive.hpp"

namespace wmsketch {

// Takes hashes, not keys: whoever has hashed a key already need not do it again. The same hash counts once.
class DistinctCounter {
 public:
  void add(std::uint32_t hash) {
    const auto rank = static_cast<std::uint8_t>(std::min(25, std::countl_zero(hash << 8) + 1));
    std::uint8_t& most = ranks_[hash >> 24];
    most = std::max(most, rank);
  }

  double estimate() const {
    constexpr double kSize = 256, kCorrection = 0.7213 / (1 + 1.079 / kSize);
    double sum = 0, unused = 0;
    for (const std::uint8_t rank : ranks_) {
      sum += 1.0 / static_cast<double>(std::uint32_t{1} << rank);
      unused += rank == 0;
    }
    const double raw = kCorrection * kSize * kSize / sum;
    return raw <= 2.5 * kSize && unused > 0 ? kSize * std::log(kSize / unused) : raw;
  }

  void merge(const DistinctCounter& other) {
    for (std::size_t i = 0; i < ranks_.size(); ++i) ranks_[i] = std::max(ranks_[i], other.ranks_[i]);
  }
  void archive(Archive& archive) {
    archive.fixed("distinct_ranks", ranks_.data(), ranks_.size());
    for (const std::uint8_t rank : ranks_) require_state(rank <= 25, "a rank of the counter of distinct keys");
  }

 private:
  std::array<std::uint8_t, 256> ranks_{};
};

}  // namespace wmsketch
