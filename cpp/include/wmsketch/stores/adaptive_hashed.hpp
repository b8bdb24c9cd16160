// Feature hashing with a step size for each cell: a 16-bit weight and a 16-bit sum of squared gradients where a 32-bit
// weight stood.
#pragma once

#include <cmath>
#include <vector>

#include "wmsketch/slots/half.hpp"
#include "wmsketch/stores/store.hpp"

namespace wmsketch {

class AdaptiveHashedStore {
 public:
  static constexpr bool kNeedsUniqueKeys = false;

  explicit AdaptiveHashedStore(const StoreConfig& config)
      : hasher_(config.hash_family, 1, config.seed, config.independence),
        weights_(config.width, 0),
        squares_(config.width, 0) {}

  float dot(const SparseRow& x, float threshold, Scratch& s) const {
    s.fit(x.size);
    hasher_.hash_all(0, x.keys, x.size, s.hash.data());
    for (std::size_t i = 0; i < x.size; ++i) {
      s.word[i] = bucket_of(s.hash[i], width());
      s.signed_value[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(x.values[i]) ^ sign_bit_of(s.hash[i]));
      s.raw[i] = soften(float_of_half(weights_[s.word[i]]), threshold);
    }
    return kernels().dot(s.raw.data(), s.signed_value.data(), x.size);
  }

  // One feature after the other: two of a row may share a cell.
  void add(const SparseRow& x, const AdaptiveStep& step, Scratch& s) {
    for (std::size_t i = 0; i < x.size; ++i) {
      const std::uint32_t random = mix(s.hash[i], {step.seed_low, step.seed_high});
      std::uint16_t &weight = weights_[s.word[i]], &squares = squares_[s.word[i]];
      const float gradient = step.gradient * s.signed_value[i];
      const float sum = float_of_half(squares) + step.square_of(gradient);
      squares = half_rounded_at_random(sum, random >> 16);
      const float change = (step.rate_for(sum) * gradient) * step.per_scale;
      weight = half_rounded_at_random(float_of_half(weight) - change, random);
    }
  }

  void multiply(float factor) {
    for (std::uint16_t& weight : weights_) weight = nearest_half(factor * float_of_half(weight));
  }
  void multiply_squares(float factor) {
    for (std::uint16_t& sum : squares_) sum = nearest_half(factor * float_of_half(sum));
  }
  float raw(Key key) const {
    const std::uint32_t hash = hasher_.hash(0, key);
    return sign_of(hash) * float_of_half(weights_[bucket_of(hash, width())]);
  }
  double noise() const {
    double energy = 0;
    for (const std::uint16_t weight : weights_) energy += double{float_of_half(weight)} * float_of_half(weight);
    return std::sqrt(energy / width());
  }
  const Hasher& hasher() const { return hasher_; }

  void merge(std::span<const AdaptiveHashedStore* const> stores, const MergePlan& plan) {
    for (const AdaptiveHashedStore* store : stores) require_same("width", width(), store->width());
    for (std::size_t c = 0; c < width(); ++c) {
      const MergeReading merged = plan.merged([&](std::size_t i) {
        return MergeReading{float_of_half(stores[i]->weights_[c]), float_of_half(stores[i]->squares_[c])};
      });
      weights_[c] = nearest_half(merged.weight);
      squares_[c] = nearest_half(merged.squares);
    }
  }

  static std::size_t bytes_for(const StoreConfig& config) {
    return std::size_t{config.width} * 4 + Hasher::bytes_for(config.hash_family, 1, config.independence);
  }
  std::size_t nbytes() const { return (weights_.size() + squares_.size()) * 2 + hasher_.nbytes(); }
  std::size_t paper_bytes() const { return 8 * weights_.size(); }

  void archive(Archive& archive) {
    archive.fixed("cells", weights_.data(), weights_.size());
    archive.fixed("squares", squares_.data(), squares_.size());
    if (!archive.loading()) return;
    for (const std::uint16_t weight : weights_)
      require_state(std::isfinite(float_of_half(weight)), "a cell is not finite");
    for (const std::uint16_t sum : squares_)
      require_state(std::isfinite(float_of_half(sum)) && float_of_half(sum) >= 0, "a sum of squares is negative");
  }

 private:
  std::uint32_t width() const { return static_cast<std::uint32_t>(weights_.size()); }

  Hasher hasher_;
  std::vector<std::uint16_t> weights_, squares_;
};

}  // namespace wmsketch
