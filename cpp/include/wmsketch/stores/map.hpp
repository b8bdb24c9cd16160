// The reference without a memory limit for any keys: a hash map that grows.
#pragma once

#include <bit>
#include <string>
#include <vector>

#include "wmsketch/data/flat_index.hpp"
#include "wmsketch/slots/float_slots.hpp"
#include "wmsketch/stores/store.hpp"

namespace wmsketch {

// Keys are stored in order of first appearance, with an open-addressing index. Names are kept forever.
template <class Slots>
class MapStore final : public StoreOf<MapStore<Slots>> {
 public:
  explicit MapStore(const StoreConfig& config) : index_(kFirstSize), keep_names_(config.name_bytes > 0) {}

  bool needs_unique_keys() const override { return false; }

  float dot(const SparseRow& x, float threshold, Scratch& s) const override {
    s.fit(x.size);
    for (std::size_t i = 0; i < x.size; ++i) {
      s.word[i] = find(x.keys[i]);
      s.raw[i] = s.word[i] == kNone ? 0.0f : soften(slots_.weight(s.word[i]), threshold);
    }
    return kernels().dot(s.raw.data(), x.values, x.size);
  }
  void add(const SparseRow& x, const RowStep& step, Scratch& s) override {
    for (std::size_t i = 0; i < x.size; ++i) {
      if (s.word[i] == kNone) s.word[i] = find_or_insert(x, i);
      slots_.set(s.word[i], Slots::stepped(slots_.at(s.word[i]), step, x.values[i]));
    }
  }

  void multiply(float factor) override { slots_.multiply(factor); }
  void multiply_squares(float factor) override { slots_.multiply_squares(factor); }
  float raw(Key key) const override {
    const std::uint32_t slot = find(key);
    return slot == kNone ? 0.0f : slots_.weight(slot);
  }
  float own_squares(Key key) const override {
    const std::uint32_t slot = find(key);
    return slot == kNone ? 0.0f : slots_.squares(slot);
  }
  double noise() const override { return 0.0; }

  std::vector<HeavyKey> heavy_keys() const override {
    std::vector<HeavyKey> heavy;
    for (std::uint32_t slot = 0; slot < keys_.size(); ++slot) heavy.push_back({keys_[slot], slots_.weight(slot), slot});
    return heavy;
  }
  HeavyName name_of(std::uint32_t slot) const override {
    return {names_.empty() ? std::string() : names_[slot], false};
  }

  // A side that has not seen a key contributes nothing. The keys are sorted, because an order of first appearance would
  // depend on the order of the sides.
  void merge_same(std::span<const MapStore* const> stores, const MergePlan& plan) {
    const std::vector<MergedKey> merged = keys_of_all(stores);
    Slots slots(merged.size());
    for (std::size_t at = 0; at < merged.size(); ++at) {
      const Key key = merged[at].key;
      const MergeReading now = plan.merged([&](std::size_t i) {
        return MergeReading{stores[i]->raw(key), stores[i]->own_squares(key), stores[i]->find(key) != kNone};
      });
      slots.set(at, {now.weight, now.squares});
    }
    keys_.clear();
    names_.clear();
    for (const MergedKey& one : merged) {
      keys_.push_back(one.key);
      if (keep_names_) names_.push_back(one.name);
    }
    slots_ = std::move(slots);
    index_.rebuild(std::bit_ceil(2 * keys_.size() + kFirstSize), keys_);
  }

  bool rescale(Key key, float factor) override {
    const std::uint32_t slot = find(key);
    if (slot == kNone) return false;
    slots_.set(slot, {factor * slots_.weight(slot), slots_.squares(slot) / (factor * factor)});
    return true;
  }
  void shift(Key key, float amount) override {
    const std::uint32_t slot = find(key);
    if (slot != kNone) slots_.set(slot, {slots_.weight(slot) + amount, slots_.squares(slot)});
  }

  static std::size_t bytes_for(const StoreConfig&) { return FlatIndex::bytes_for(kFirstSize); }
  std::size_t nbytes() const override {
    std::size_t bytes = keys_.capacity() * sizeof(Key) + slots_.capacity_bytes() + index_.nbytes() +
                        names_.capacity() * sizeof(std::string);
    for (const auto& name : names_) bytes += name.capacity() > kInlineName ? name.capacity() + 1 : 0;
    return bytes;
  }
  std::size_t paper_bytes() const override { return 4 * (1 + Slots::kNumbers) * keys_.size(); }

  void archive(Archive& archive) override {
    constexpr std::size_t kMost = 0xfffffffeu;
    archive.growing("keys", keys_, kMost);
    slots_.archive(archive, "", kMost);
    archive_texts(archive, names_, kMost);
    if (!archive.loading()) return;
    require_state(keys_.size() == slots_.size(), "keys and weights differ in length");
    require_state(names_.empty() || names_.size() == keys_.size(), "keys and names differ in length");
    index_.rebuild(std::bit_ceil(2 * keys_.size() + kFirstSize), keys_);
  }

 private:
  static constexpr std::uint32_t kNone = FlatIndex::kNone;
  static constexpr std::size_t kFirstSize = 64, kInlineName = 15;

  std::uint32_t find(Key key) const { return index_.find(key, keys_); }
  template <class Entry>
  static void make_room(std::vector<Entry>& entries) {
    if (entries.size() == entries.capacity()) entries.reserve(std::max<std::size_t>(2 * entries.size(), 1));
  }
  std::uint32_t find_or_insert(const SparseRow& x, std::size_t i) {
    const std::uint32_t found = find(x.keys[i]);  // an earlier repeat within the row has inserted it
    if (found != kNone) return found;
    if (2 * (keys_.size() + 1) > index_.size()) index_.rebuild(2 * index_.size(), keys_);
    // allocate first: if an allocation fails, nothing has changed
    std::string name = keep_names_ ? x.name(i) : std::string();
    make_room(keys_);
    slots_.make_room();
    if (keep_names_) make_room(names_);
    keys_.push_back(x.keys[i]);
    slots_.push_back({});
    if (keep_names_) names_.push_back(std::move(name));
    const auto slot = static_cast<std::uint32_t>(keys_.size() - 1);
    index_.add(slot, keys_);
    return slot;
  }

  std::vector<Key> keys_;
  Slots slots_;
  FlatIndex index_;
  std::vector<std::string> names_;
  bool keep_names_;
};

}  // namespace wmsketch
