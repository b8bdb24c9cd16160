// Estimates the number of distinct keys in 512 bytes: HyperLogLog (Flajolet, Fusy, Gandouet and Meunier, 2007).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/row_block.hpp"
#include "wmsketch/simd/kernels.hpp"

namespace wmsketch {

// It takes hashes rather than keys, because most callers have the hash already. The standard error is 4.6 %.
class DistinctCounter {
 public:
  void add(std::uint32_t hash) {
    const auto rank = static_cast<std::uint8_t>(std::min(kMostRank, std::countl_zero(hash << kBits) + 1));
    std::uint8_t& most = ranks_[hash >> (32 - kBits)];
    most = std::max(most, rank);
  }

  void add(const RowBlock& block) {  // all features of its rows
    constexpr std::size_t kAtOnce = 512;
    std::uint32_t hashes[kAtOnce];
    const auto end = static_cast<std::size_t>(block.starts.back());
    for (auto i = static_cast<std::size_t>(block.starts.front()); i < end; i += kAtOnce) {
      const std::size_t n = std::min(kAtOnce, end - i);
      kernels().mix_all(block.keys.data() + i, n, seeds_of(1), hashes);  // integer keys are not hashed yet
      // Only ranks above the least of all can change anything, and few hashes have such a rank. These are listed first,
      // without a branch that would be mispredicted.
      std::uint8_t least = kMostRank;
      for (const std::uint8_t rank : ranks_) least = std::min(least, rank);
      const std::uint32_t limit = least >= kMostRank ? 0 : ~std::uint32_t{0} >> least;
      std::size_t n_high = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const std::uint32_t hash = hashes[j];
        hashes[n_high] = hash;
        n_high += hash << kBits <= limit;
      }
      for (std::size_t j = 0; j < n_high; ++j) add(hashes[j]);
    }
  }

  double estimate() const {
    constexpr double kSize = kRegisters, kCorrection = 0.7213 / (1 + 1.079 / kSize);
    double sum = 0, unused = 0;
    for (const std::uint8_t rank : ranks_) {
      sum += 1.0 / static_cast<double>(std::uint32_t{1} << rank);
      unused += rank == 0;
    }
    const double raw = kCorrection * kSize * kSize / sum;
    if (raw <= 2.5 * kSize && unused > 0) return kSize * std::log(kSize / unused);
    constexpr double kHashes = 0x1p32;  // large counts are corrected for collisions of 32-bit hashes
    return raw > kHashes / 30 ? -kHashes * std::log1p(-std::min(raw / kHashes, 0.999)) : raw;
  }

  void merge(const DistinctCounter& other) {
    for (std::size_t i = 0; i < kRegisters; ++i) ranks_[i] = std::max(ranks_[i], other.ranks_[i]);
  }
  void archive(Archive& archive, std::string_view name = "distinct_ranks") {
    archive.fixed(name, ranks_.data(), ranks_.size());
    for (const std::uint8_t rank : ranks_)
      require_state(rank <= kMostRank, "a rank of the distinct counter is too large");
  }

 private:
  static constexpr int kBits = 9, kMostRank = 32 - kBits + 1;
  static constexpr std::size_t kRegisters = std::size_t{1} << kBits;
  std::array<std::uint8_t, kRegisters> ranks_{};
};

}  // namespace wmsketch
