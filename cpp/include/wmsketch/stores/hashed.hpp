// Feature hashing (Weinberger and others, 2009): one row of signed cells, and no keys.
#pragma once

#include <bit>

#include "wmsketch/data/aligned.hpp"
#include "wmsketch/stores/sketch_cells.hpp"
#include "wmsketch/stores/store.hpp"

namespace wmsketch {

template <class Cell>
class HashedStore final : public StoreOf<HashedStore<Cell>> {
 public:
  explicit HashedStore(const StoreConfig& config)
      : hasher_(config.hash_family, 1, config.seed, config.independence),
        sketch_(1, config.width),
        cells_(sketch_.size(), 0) {}

  bool needs_unique_keys() const override { return false; }
  bool keeps_keys() const override { return false; }

  float dot(const SparseRow& x, float threshold, Scratch& s) const override {
    s.fit(x.size);
    hasher_.hash_all(0, x.keys, x.size, s.hash.data());
    for (std::size_t i = 0; i < x.size; ++i) {
      s.word[i] = bucket_of(s.hash[i], sketch_.width());
      s.signed_value[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(x.values[i]) ^ sign_bit_of(s.hash[i]));
    }
    if (threshold == 0.0f) {
      for (std::size_t i = 0; i < x.size; ++i) s.raw[i] = Cell::weight(cells_[s.word[i]]);
    } else {
      for (std::size_t i = 0; i < x.size; ++i) s.raw[i] = soften(Cell::weight(cells_[s.word[i]]), threshold);
    }
    return kernels().dot(s.raw.data(), s.signed_value.data(), x.size);
  }

  // Sequential, because two features of a row may share a cell.
  void add(const SparseRow& x, const RowStep& given, Scratch& s) override {
    const RowStep step = given;  // a copy: with aliasing, the compiler would reload `given` after each store
    for (std::size_t i = 0; i < x.size; ++i) sketch_.step(cells_[s.word[i]], step, s.signed_value[i], s.hash[i]);
  }

  void multiply(float factor) override { sketch_.multiply(cells_.data(), factor); }
  void multiply_squares(float factor) override { sketch_.multiply_squares(cells_.data(), factor); }
  float raw(Key key) const override { return sketch_.estimate(cells_.data(), hasher_, key); }
  double noise() const override { return sketch_.noise(cells_.data()); }
  const Hasher* hasher() const override { return &hasher_; }

  void merge_same(std::span<const HashedStore* const> stores, const MergePlan& plan) {
    std::vector<const Stored*> cells;
    for (const HashedStore* store : stores) {
      require_same("width", cells_.size(), store->cells_.size());
      cells.push_back(store->cells_.data());
    }
    sketch_.merge(cells_.data(), cells, plan);
  }

  static std::size_t bytes_for(const StoreConfig& config) {
    return std::size_t{config.width} * sizeof(Stored) + Hasher::bytes_for(config.hash_family, 1, config.independence);
  }
  std::size_t nbytes() const override { return cells_.size() * sizeof(Stored) + hasher_.nbytes(); }
  std::size_t paper_bytes() const override { return (Cell::kAdaptive ? 8 : 4) * cells_.size(); }
  void archive(Archive& archive) override { sketch_.archive(archive, cells_.data()); }

 private:
  using Stored = typename Cell::Stored;

  Hasher hasher_;
  SketchCells<Cell> sketch_;
  TableVector<Stored> cells_;
};

}  // namespace wmsketch
