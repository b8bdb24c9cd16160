// Frequent features: exact weights for the most frequent keys, found by Space Saving or by a Count-Min sketch.
#pragma once

#include <cmath>
#include <vector>

#include "wmsketch/counters/count_min.hpp"
#include "wmsketch/counters/space_saving.hpp"
#include "wmsketch/data/random.hpp"
#include "wmsketch/sets/keyed_heap.hpp"
#include "wmsketch/slots/float_slots.hpp"
#include "wmsketch/stores/bounded.hpp"

namespace wmsketch {

// Finds frequent keys by Space Saving. With kOneNewcomer, only one of an example's unmonitored keys, drawn at random,
// replaces another, and the rest are not counted. The authors of the paper ran it like this. Otherwise each unmonitored
// key replaces one, so that a long row evicts much of what was learned.
template <bool kOneNewcomer>
class SpaceSavingCounter {
 public:
  explicit SpaceSavingCounter(const StoreConfig& config) : counts_(config.active_set_size), random_(config.seed) {}

  bool waits(Key key) const { return kOneNewcomer && counts_.full() && counts_.find(key) == KeyedHeap::kNone; }
  // Reservoir sampling of one key: each of the n has the same probability.
  bool draw_last_of(std::uint32_t n) { return random_.below(n) == 0; }
  std::uint64_t random_state() const { return kOneNewcomer ? random_.state : 0; }

  std::uint32_t find(Key key) const { return counts_.find(key); }
  std::uint32_t size() const { return counts_.size(); }
  Key key(std::uint32_t slot) const { return counts_.key(slot); }
  // Counts one occurrence.
  SpaceSaving::Touched count(Key key) { return counts_.update(key); }

  void merge(const SpaceSavingCounter& other, const std::vector<MergedKey>&) {
    counts_.merge(other.counts_);
    random_.state += other.random_.state;  // a new state, so that no side's random numbers repeat
  }

  static std::size_t bytes_for(const StoreConfig& config) {
    return SpaceSaving::bytes_for(config.active_set_size) + (kOneNewcomer ? sizeof(Random) : 0);
  }
  static std::size_t paper_bytes(const StoreConfig& config) { return 4 * std::size_t{config.active_set_size}; }

  void archive(Archive& archive) {
    const std::size_t most = counts_.capacity();
    std::vector<Key> keys(counts_.keys().begin(), counts_.keys().end());
    std::vector<std::uint64_t> counts(counts_.counts().begin(), counts_.counts().end());
    std::vector<std::uint64_t> errors(counts_.errors().begin(), counts_.errors().end());
    std::uint64_t total = counts_.total();
    archive.growing("active_keys", keys, most);
    archive.growing("active_counts", counts, most);
    archive.growing("active_count_errors", errors, most);
    archive.value("count_total", total);
    if constexpr (kOneNewcomer) archive.value("random_state", random_.state);
    if (archive.loading()) counts_.restore(keys, counts, errors, total);
  }

 private:
  SpaceSaving counts_;
  Random random_;
};

// Finds frequent keys by a Count-Min sketch and a heap of the keys with the largest estimates.
class CountMinCounter {
  auto by_count() const {
    return [this](std::uint32_t slot) { return counts_[slot]; };
  }

 public:
  explicit CountMinCounter(const StoreConfig& config)
      : sketch_(config.depth, config.width, config.seed, config.hash_family),
        heap_(config.active_set_size),
        counts_(config.active_set_size, 0) {}

  std::uint32_t find(Key key) const { return heap_.find(key); }
  std::uint32_t size() const { return heap_.size(); }
  Key key(std::uint32_t slot) const { return heap_.key(slot); }
  const Hasher& hasher() const { return sketch_.hasher(); }

  bool waits(Key) const { return false; }
  bool draw_last_of(std::uint32_t) { return true; }
  std::uint64_t random_state() const { return 0; }
  SpaceSaving::Touched count(Key key) {
    sketch_.update(key);
    const std::uint32_t count = sketch_.estimate(key);
    const std::uint32_t known = heap_.find(key);
    if (known != KeyedHeap::kNone) {
      counts_[known] = count;
      heap_.changed(known, by_count());
      return {known, false, false};
    }
    if (!heap_.full()) {
      counts_[heap_.size()] = count;
      return {heap_.insert(key, by_count()), true, false};
    }
    const std::uint32_t least = heap_.least();
    if (count <= counts_[least]) return {KeyedHeap::kNone, false, false};
    heap_.rename(least, key);
    counts_[least] = count;
    heap_.changed(least, by_count());
    return {least, true, true};
  }

  // `candidates`: the keys that any side holds.
  void merge(const CountMinCounter& other, std::vector<MergedKey> candidates) {
    require_same("active_set_size", heap_.capacity(), other.heap_.capacity());
    sketch_.merge(other.sketch_);
    for (MergedKey& one : candidates) one.priority = sketch_.estimate(one.key);
    sort_heaviest_first(candidates);
    candidates.resize(std::min<std::size_t>(candidates.size(), heap_.capacity()));
    std::fill(counts_.begin(), counts_.end(), 0);
    std::vector<Key> kept;
    for (const MergedKey& one : candidates) {
      counts_[kept.size()] = static_cast<std::uint32_t>(one.priority);
      kept.push_back(one.key);
    }
    heap_.rebuild(kept, by_count());
  }

  static std::size_t bytes_for(const StoreConfig& config) {
    return std::size_t{config.depth} * config.width * sizeof(std::uint32_t) + config.hash_bytes() +
           KeyedHeap::bytes_for(config.active_set_size) + config.active_set_size * sizeof(std::uint32_t);
  }
  static std::size_t paper_bytes(const StoreConfig& config) {
    return 4 * (std::size_t{config.active_set_size} + std::size_t{config.depth} * config.width);
  }

  void archive(Archive& archive) {
    std::vector<Key> keys(heap_.keys().begin(), heap_.keys().end());
    std::vector<std::uint32_t> cells(sketch_.cells().begin(), sketch_.cells().end());
    std::uint64_t total = sketch_.total();
    archive.growing("active_keys", keys, heap_.capacity());
    archive.fixed("active_counts", counts_.data(), counts_.size());
    archive.fixed("count_cells", cells.data(), cells.size());
    archive.value("count_total", total);
    if (!archive.loading()) return;
    sketch_.restore(cells, total);
    heap_.rebuild(keys, by_count());
  }

 private:
  CountMin sketch_;
  KeyedHeap heap_;
  std::vector<std::uint32_t> counts_;
};

// Weights for the keys that the counter holds. A key that enters starts at weight zero.
template <class Counter, class Slots>
class FrequentStore final : public BoundedStoreOf<FrequentStore<Counter, Slots>, Slots> {
  using Base = BoundedStoreOf<FrequentStore, Slots>;
  using Base::names_;
  using Base::remember_name;
  using Base::slots_;

 public:
  explicit FrequentStore(const StoreConfig& config)
      : Base(config),
        paper_bytes_(4 * (1 + Slots::kNumbers) * std::size_t{config.active_set_size} + Counter::paper_bytes(config)),
        counter_(config),
        counter_bytes_(Counter::bytes_for(config)) {}

  const auto& held() const { return counter_; }

  void add(const SparseRow& x, const RowStep& step, Scratch&) override {
    std::uint32_t waiting = 0;
    std::size_t newcomer = 0;
    for (std::size_t i = 0; i < x.size; ++i) {
      if (!counter_.waits(x.keys[i]))
        count(x, i);
      else if (counter_.draw_last_of(++waiting))
        newcomer = i;
    }
    if (waiting > 0) count(x, newcomer);
    for (std::size_t i = 0; i < x.size; ++i) {  // look up again: a later key of the row may have evicted an earlier one
      const std::uint32_t slot = counter_.find(x.keys[i]);
      if (slot != KeyedHeap::kNone) slots_.set(slot, Slots::stepped(slots_.at(slot), step, x.values[i]));
    }
  }

  std::uint64_t random_state() const override { return counter_.random_state(); }
  const Hasher* hasher() const override {
    if constexpr (requires { counter_.hasher(); }) return &counter_.hasher();
    return nullptr;
  }

  // Counts are added, and decide which keys are frequent in all streams together. A side that did not hold a key
  // contributes nothing to its weight.
  void merge_same(std::span<const FrequentStore* const> stores, const MergePlan& plan) {
    plan.refuse_base();
    std::vector<MergedKey> keys = keys_of_all(stores);
    for (MergedKey& one : keys) {
      const MergeReading merged = plan.merged(
          [&](std::size_t i) { return MergeReading{stores[i]->raw(one.key), stores[i]->own_squares(one.key)}; });
      one.weight = merged.weight;
      one.squares = merged.squares;
    }
    for (const FrequentStore* store : stores.subspan(1)) counter_.merge(store->counter_, keys);
    slots_ = Slots(slots_.size());
    for (MergedKey& one : keys) {
      one.slot = counter_.find(one.key);
      if (one.slot != kNoSlot) slots_.set(one.slot, {one.weight, one.squares});
    }
    deal_names(names_, keys);
  }

  static std::size_t bytes_for(const StoreConfig& config) {
    return Counter::bytes_for(config) + Slots::kNumbers * config.active_set_size * sizeof(float) +
           config.names_nbytes();
  }
  std::size_t nbytes() const override {
    return counter_bytes_ + Slots::kNumbers * slots_.size() * sizeof(float) + names_.nbytes();
  }
  std::size_t paper_bytes() const override { return paper_bytes_; }

  void archive(Archive& archive) override {
    counter_.archive(archive);
    slots_.archive(archive, "active_");
    archive_names(archive, names_);
  }

 private:
  void count(const SparseRow& x, std::size_t i) {
    const auto [slot, entered, replaced] = counter_.count(x.keys[i]);
    if (!entered) return;
    slots_.set(slot, {});
    remember_name(slot, x, i);
  }

  std::size_t paper_bytes_;
  Counter counter_;
  std::size_t counter_bytes_;
};

}  // namespace wmsketch
