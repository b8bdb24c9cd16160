// The unconstrained references: an array over ids known beforehand, and a hash map that grows with what it sees.
#pragma once

#include <bit>
#include <cmath>
#include <vector>

#include "wmsketch/data/table_hash.hpp"
#include "wmsketch/stores/store.hpp"

namespace wmsketch {

inline void step_by_itself(float& weight, float& squares, const AdaptiveStep& step, float value) {
  const float gradient = step.gradient * value;
  squares += step.square_of(gradient);
  weight -= (step.rate_for(squares) * gradient) * step.per_scale;
}

inline void require_squares(const std::vector<float>& squares) {
  for (const float sum : squares) require_state(std::isfinite(sum) && sum >= 0, "a sum of squares is negative");
}

// kAdaptive: a sum of squared gradients beside each weight, so that each has a step of its own.
template <bool kAdaptive>
class DenseStore {
 public:
  static constexpr bool kNeedsUniqueKeys = false;

  explicit DenseStore(const StoreConfig& config)
      : weights_(config.n_features, 0.0f), squares_(kAdaptive ? config.n_features : 0, 0.0f) {}

  std::uint64_t n_features() const { return weights_.size(); }

  float dot(const SparseRow& x, float threshold, Scratch& s) const {
    if (threshold == 0.0f) return kernels().dot_at(weights_.data(), x.keys, x.values, x.size);
    s.fit(x.size);
    for (std::size_t i = 0; i < x.size; ++i) s.raw[i] = soften(weights_[x.keys[i]], threshold);
    return kernels().dot(s.raw.data(), x.values, x.size);
  }
  void add(const SparseRow& x, float step, Scratch&)
    requires(!kAdaptive)
  {
    // Some at a time, their products first: the fewer instructions, the sooner those of the next row begin.
    constexpr std::size_t kAtOnce = 8;
    std::size_t i = 0;
    for (; i + kAtOnce <= x.size; i += kAtOnce) {
      float deltas[kAtOnce];
      for (std::size_t l = 0; l < kAtOnce; ++l) deltas[l] = step * x.values[i + l];
      for (std::size_t l = 0; l < kAtOnce; ++l) weights_[x.keys[i + l]] += deltas[l];
    }
    for (; i < x.size; ++i) weights_[x.keys[i]] += step * x.values[i];
  }
  void add(const SparseRow& x, const AdaptiveStep& step, Scratch&)
    requires kAdaptive
  {
    for (std::size_t i = 0; i < x.size; ++i)
      step_by_itself(weights_[x.keys[i]], squares_[x.keys[i]], step, x.values[i]);
  }
  void multiply(float factor) {
    for (float& weight : weights_) weight *= factor;
  }
  void multiply_squares(float factor) {
    for (float& sum : squares_) sum *= factor;
  }
  float raw(Key key) const { return key < weights_.size() ? weights_[key] : 0.0f; }
  float own_squares(Key key) const
    requires kAdaptive
  {
    return key < squares_.size() ? squares_[key] : 0.0f;
  }
  double noise() const { return 0.0; }

  template <class Visit>
  void for_each_heavy(Visit visit) const {
    for (std::size_t key = 0; key < weights_.size(); ++key)
      if (weights_[key] != 0.0f) visit(HeavyKey{static_cast<Key>(key), weights_[key], 0});
  }
  bool is_heavy(Key) const { return true; }

  void merge(std::span<const DenseStore* const> stores, const MergePlan& plan) {
    for (const DenseStore* store : stores) require_same("n_features", weights_.size(), store->weights_.size());
    for (std::size_t key = 0; key < weights_.size(); ++key) {
      const MergeReading merged = plan.merged([&](std::size_t i) { return stores[i]->reading(key); });
      weights_[key] = merged.weight;
      if (kAdaptive) squares_[key] = merged.squares;
    }
  }

  static std::size_t bytes_for(const StoreConfig& config) {
    return config.n_features * sizeof(float) * (kAdaptive ? 2 : 1);
  }
  std::size_t nbytes() const { return (weights_.size() + squares_.size()) * sizeof(float); }
  std::size_t paper_bytes() const { return 4 * (weights_.size() + squares_.size()); }

  void archive(Archive& archive) {
    archive.fixed("weights", weights_.data(), weights_.size());
    if (kAdaptive) archive.fixed("squares", squares_.data(), squares_.size());
    if (!archive.loading()) return;
    for (const float weight : weights_) require_state(std::isfinite(weight), "a weight is not finite");
    require_squares(squares_);
  }

 private:
  MergeReading reading(std::size_t key) const { return {weights_[key], kAdaptive ? squares_[key] : 0}; }

  std::vector<float> weights_, squares_;
};

// Keys in order of first appearance, with an open-addressing index over them. Names are kept for ever, as is all else
// in the reference that has no limit.
template <bool kAdaptive>
class MapStore {
 public:
  static constexpr bool kNeedsUniqueKeys = false;

  explicit MapStore(const StoreConfig& config) : index_(kFirstSize, 0), keep_names_(config.name_bytes > 0) {}

  float dot(const SparseRow& x, float threshold, Scratch& s) const {
    s.fit(x.size);
    for (std::size_t i = 0; i < x.size; ++i) {
      s.word[i] = find(x.keys[i]);
      s.raw[i] = s.word[i] == kNone ? 0.0f : soften(weights_[s.word[i]], threshold);
    }
    return kernels().dot(s.raw.data(), x.values, x.size);
  }
  void add(const SparseRow& x, float step, Scratch& s)
    requires(!kAdaptive)
  {
    for (std::size_t i = 0; i < x.size; ++i) {
      if (s.word[i] == kNone) s.word[i] = find_or_insert(x, i);
      weights_[s.word[i]] += step * x.values[i];
    }
  }
  void add(const SparseRow& x, const AdaptiveStep& step, Scratch& s)
    requires kAdaptive
  {
    for (std::size_t i = 0; i < x.size; ++i) {
      if (s.word[i] == kNone) s.word[i] = find_or_insert(x, i);
      step_by_itself(weights_[s.word[i]], squares_[s.word[i]], step, x.values[i]);
    }
  }
  void multiply(float factor) {
    for (float& weight : weights_) weight *= factor;
  }
  void multiply_squares(float factor) {
    for (float& sum : squares_) sum *= factor;
  }
  float raw(Key key) const {
    const std::uint32_t slot = find(key);
    return slot == kNone ? 0.0f : weights_[slot];
  }
  float own_squares(Key key) const
    requires kAdaptive
  {
    return squares_of(key);
  }
  double noise() const { return 0.0; }

  template <class Visit>
  void for_each_heavy(Visit visit) const {
    for (std::uint32_t slot = 0; slot < keys_.size(); ++slot) visit(HeavyKey{keys_[slot], weights_[slot], slot});
  }
  bool is_heavy(Key key) const { return find(key) != kNone; }
  const std::vector<std::string>& names() const { return names_; }

  // A side that has not seen a key has nothing to say of it. Keys are listed anew in their own order, because an order
  // of first appearance would depend on which side is asked first.
  void merge(std::span<const MapStore* const> stores, const MergePlan& plan) {
    const std::vector<MergedKey> merged = keys_of_all(stores);
    std::vector<float> weights, squares;
    for (const MergedKey& one : merged) {
      const MergeReading now = plan.merged([&](std::size_t i) {
        const bool known = stores[i]->is_heavy(one.key);
        return MergeReading{stores[i]->raw(one.key), kAdaptive ? stores[i]->squares_of(one.key) : 0, known};
      });
      weights.push_back(now.weight);
      if (kAdaptive) squares.push_back(now.squares);
    }
    keys_.clear();
    names_.clear();
    for (const MergedKey& one : merged) {
      keys_.push_back(one.key);
      if (keep_names_) names_.push_back(one.name);
    }
    weights_ = std::move(weights);
    squares_ = std::move(squares);
    rebuild_index(std::bit_ceil(2 * keys_.size() + kFirstSize));
  }

  bool rescale(Key key, float factor) {  // false: the key has not been seen
    const std::uint32_t slot = find(key);
    if (slot == kNone) return false;
    weights_[slot] *= factor;
    if (kAdaptive) squares_[slot] /= factor * factor;
    return true;
  }
  void shift(Key key, float amount) {  // of a key that has been seen
    const std::uint32_t slot = find(key);
    if (slot != kNone) weights_[slot] += amount;
  }

  static std::size_t bytes_for(const StoreConfig&) { return kFirstSize * sizeof(std::uint32_t); }
  std::size_t nbytes() const {
    std::size_t bytes = keys_.capacity() * sizeof(Key) + (weights_.capacity() + squares_.capacity()) * sizeof(float) +
                        index_.size() * sizeof(std::uint32_t) + names_.capacity() * sizeof(std::string);
    for (const auto& name : names_) bytes += name.capacity() > kInlineName ? name.capacity() + 1 : 0;
    return bytes;
  }
  std::size_t paper_bytes() const { return (kAdaptive ? 12 : 8) * keys_.size(); }

  void archive(Archive& archive) {
    constexpr std::size_t kMost = 0xfffffffeu;
    archive.growing("keys", keys_, kMost);
    archive.growing("weights", weights_, kMost);
    if (kAdaptive) archive.growing("squares", squares_, kMost);
    archive_texts(archive, names_, kMost);
    if (!archive.loading()) return;
    require_state(keys_.size() == weights_.size(), "keys and weights differ in length");
    require_state(squares_.size() == (kAdaptive ? keys_.size() : 0), "keys and squares differ in length");
    require_squares(squares_);
    require_state(names_.empty() || names_.size() == keys_.size(), "keys and names differ in length");
    for (const float weight : weights_) require_state(std::isfinite(weight), "a weight is not finite");
    rebuild_index(std::bit_ceil(2 * keys_.size() + kFirstSize));
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  static constexpr std::size_t kFirstSize = 64, kInlineName = 15;

  std::size_t home(Key key) const { return table_hash(key) & (index_.size() - 1); }
  std::uint32_t find(Key key) const {
    for (std::size_t at = home(key);; at = (at + 1) & (index_.size() - 1)) {
      if (index_[at] == 0) return kNone;
      if (keys_[index_[at] - 1] == key) return index_[at] - 1;
    }
  }
  template <class Entry>
  static void make_room(std::vector<Entry>& entries) {
    if (entries.size() == entries.capacity()) entries.reserve(std::max<std::size_t>(2 * entries.size(), 1));
  }
  std::uint32_t find_or_insert(const SparseRow& x, std::size_t i) {
    const std::uint32_t found = find(x.keys[i]);  // a repeat within the row is there by now
    if (found != kNone) return found;
    if (2 * (keys_.size() + 1) > index_.size()) rebuild_index(2 * index_.size());
    // all memory first: where there is none, nothing has changed
    std::string name = keep_names_ ? x.name(i) : std::string();
    make_room(keys_);
    make_room(weights_);
    if (kAdaptive) make_room(squares_);
    if (keep_names_) make_room(names_);
    keys_.push_back(x.keys[i]);
    weights_.push_back(0.0f);
    if (kAdaptive) squares_.push_back(0.0f);
    if (keep_names_) names_.push_back(std::move(name));
    put_in_index(static_cast<std::uint32_t>(keys_.size()));
    return static_cast<std::uint32_t>(keys_.size() - 1);
  }
  float squares_of(Key key) const {
    const std::uint32_t slot = find(key);
    return slot == kNone ? 0.0f : squares_[slot];
  }
  void put_in_index(std::uint32_t slot_plus_one) {
    std::size_t at = home(keys_[slot_plus_one - 1]);
    while (index_[at] != 0) at = (at + 1) & (index_.size() - 1);
    index_[at] = slot_plus_one;
  }
  void rebuild_index(std::size_t size) {
    index_.assign(size, 0);
    for (std::uint32_t slot = 1; slot <= keys_.size(); ++slot) put_in_index(slot);
  }

  std::vector<Key> keys_;
  std::vector<float> weights_, squares_;
  std::vector<std::uint32_t> index_;
  std::vector<std::string> names_;
  bool keep_names_;
};

}  // namespace wmsketch
