// The reference without a memory limit for ids below n_features: an array of weights.
#pragma once

#include "wmsketch/slots/float_slots.hpp"
#include "wmsketch/stores/store.hpp"

namespace wmsketch {

template <class Slots>
class DenseStore final : public StoreOf<DenseStore<Slots>> {
 public:
  explicit DenseStore(const StoreConfig& config) : slots_(config.n_features) {}

  bool needs_unique_keys() const override { return false; }
  std::uint64_t key_limit() const override { return slots_.size(); }

  float dot(const SparseRow& x, float threshold, Scratch& s) const override {
    if (threshold == 0.0f) return slots_.dot_at(x);
    s.fit(x.size);
    for (std::size_t i = 0; i < x.size; ++i) s.raw[i] = soften(slots_.weight(x.keys[i]), threshold);
    return kernels().dot(s.raw.data(), x.values, x.size);
  }
  void add(const SparseRow& x, const RowStep& step, Scratch&) override { slots_.step_all(x, step); }

  void multiply(float factor) override { slots_.multiply(factor); }
  void multiply_squares(float factor) override { slots_.multiply_squares(factor); }
  float raw(Key key) const override { return key < slots_.size() ? slots_.weight(key) : 0.0f; }
  float own_squares(Key key) const override { return key < slots_.size() ? slots_.squares(key) : 0.0f; }
  double noise() const override { return 0.0; }

  std::vector<HeavyKey> heavy_keys() const override {
    std::vector<HeavyKey> heavy;
    for (std::size_t key = 0; key < slots_.size(); ++key)
      if (slots_.weight(key) != 0.0f) heavy.push_back({static_cast<Key>(key), slots_.weight(key), 0});
    return heavy;
  }

  void merge_same(std::span<const DenseStore* const> stores, const MergePlan& plan) {
    for (const DenseStore* store : stores) require_same("n_features", slots_.size(), store->slots_.size());
    for (std::size_t key = 0; key < slots_.size(); ++key) {
      const MergeReading merged = plan.merged(
          [&](std::size_t i) { return MergeReading{stores[i]->slots_.weight(key), stores[i]->slots_.squares(key)}; });
      slots_.set(key, {merged.weight, merged.squares});
    }
  }

  static std::size_t bytes_for(const StoreConfig& config) {
    return config.n_features * sizeof(float) * Slots::kNumbers;
  }
  std::size_t nbytes() const override { return slots_.size() * sizeof(float) * Slots::kNumbers; }
  std::size_t paper_bytes() const override { return 4 * Slots::kNumbers * slots_.size(); }
  void archive(Archive& archive) override { slots_.archive(archive, ""); }

 private:
  Slots slots_;
};

}  // namespace wmsketch
