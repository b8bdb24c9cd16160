// Feature hashing: one row of signed cells and no identifiers.
#pragma once

#include <cmath>

#include "wmsketch/data/aligned.hpp"
#include "wmsketch/stores/sketch_cells.hpp"
#include "wmsketch/stores/store.hpp"

namespace wmsketch {

class HashedStore {
 public:
  static constexpr bool kNeedsUniqueKeys = false;

  explicit HashedStore(const StoreConfig& config)
      : hasher_(config.hash_family, 1, config.seed, config.independence),
        sketch_(1, config.width),
        cells_(sketch_.size(), 0.0f) {}

  float dot(const SparseRow& x, float threshold, Scratch& s) const {
    s.fit(x.size);
    hasher_.hash_all(0, x.keys, x.size, s.hash.data());
    for (std::size_t i = 0; i < x.size; ++i) {
      s.word[i] = bucket_of(s.hash[i], sketch_.width());
      s.signed_value[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(x.values[i]) ^ sign_bit_of(s.hash[i]));
    }
    if (threshold == 0.0f) {
      for (std::size_t i = 0; i < x.size; ++i) s.raw[i] = cells_[s.word[i]];
    } else {
      for (std::size_t i = 0; i < x.size; ++i) s.raw[i] = soften(cells_[s.word[i]], threshold);
    }
    return kernels().dot(s.raw.data(), s.signed_value.data(), x.size);
  }

  void add(const SparseRow& x, float step, Scratch& s) {
    for (std::size_t i = 0; i < x.size; ++i) cells_[s.word[i]] += step * s.signed_value[i];
  }

  void multiply(float factor) {
    for (float& cell : cells_) cell *= factor;
  }
  float raw(Key key) const { return sketch_.estimate(cells_.data(), hasher_, key); }
  double noise() const { return sketch_.noise(cells_.data()); }
  const Hasher& hasher() const { return hasher_; }

  void merge(std::span<const HashedStore* const> stores, const MergePlan& plan) {
    for (const HashedStore* store : stores) require_same("width", cells_.size(), store->cells_.size());
    for (std::size_t c = 0; c < cells_.size(); ++c)
      cells_[c] = plan.merged([&](std::size_t i) { return MergeReading{stores[i]->cells_[c]}; }).weight;
  }

  static std::size_t bytes_for(const StoreConfig& config) {
    return std::size_t{config.width} * sizeof(float) + Hasher::bytes_for(config.hash_family, 1, config.independence);
  }
  std::size_t nbytes() const { return cells_.size() * sizeof(float) + hasher_.nbytes(); }
  std::size_t paper_bytes() const { return 4 * cells_.size(); }

  void archive(Archive& archive) {
    archive.fixed("cells", cells_.data(), cells_.size());
    if (!archive.loading()) return;
    for (const float cell : cells_) require_state(std::isfinite(cell), "a cell is not finite");
  }

 private:
  Hasher hasher_;
  SketchCells sketch_;
  Words cells_;
};

}  // namespace wmsketch
