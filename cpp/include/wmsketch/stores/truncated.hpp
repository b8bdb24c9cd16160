// Simple and probabilistic truncation: exact weights for a bounded set of keys, and zero for all others.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "wmsketch/data/random.hpp"
#include "wmsketch/sets/keyed_heap.hpp"
#include "wmsketch/slots/float_slots.hpp"
#include "wmsketch/stores/bounded.hpp"

namespace wmsketch {

// The priority by which keys stay. magnitude: |w|. The other two are random. When a key enters, it draws r uniformly
// from (0, 1) and gets the life E = -log r.
//
// quotient: |w| / E, as in the text of the paper. There the priority is W = r^(1/|w|), updated by W^(|w_old/w_new|).
// The update keeps r, and |w| / -log r has the same order.
//
// product: |w| * E. With the quotient, a key that drew a tiny E stays however light it is. With the product, no draw
// has that effect.
enum class Priority : std::uint8_t { magnitude, quotient, product };

template <class Slots, Priority kPriority>
class TruncatedStore final : public BoundedStoreOf<TruncatedStore<Slots, kPriority>, Slots> {
  static constexpr bool kRandom = kPriority != Priority::magnitude;
  using Base = BoundedStoreOf<TruncatedStore, Slots>;
  using Base::names_;
  using Base::remember_name;
  using Base::slots_;

 public:
  explicit TruncatedStore(const StoreConfig& config)
      : Base(config),
        random_(config.seed),
        heap_(config.active_set_size),
        lives_(kRandom ? config.active_set_size : 0, 1.0f) {}

  const auto& held() const { return heap_; }

  void add(const SparseRow& x, const RowStep& step, Scratch& s) override {
    std::size_t newcomers = 0;
    for (std::size_t i = 0; i < x.size; ++i) {
      if (s.word[i] != KeyedHeap::kNone) {
        slots_.set(s.word[i], Slots::stepped(slots_.at(s.word[i]), step, x.values[i]));
        heap_.changed(s.word[i], priority());
      } else {
        if constexpr (kRandom) s.lightest[i] = static_cast<float>(-std::log(random_.uniform()));
        const SlotValue first = Slots::stepped({}, step, x.values[i]);
        s.entering[i] = first.weight;
        s.squares[i] = first.squares;
        s.estimate[i] = priority_of(first.weight, kRandom ? s.lightest[i] : 1.0f);
        s.candidates[newcomers++] = static_cast<std::uint32_t>(i);
      }
    }
    std::sort(s.candidates.begin(), s.candidates.begin() + static_cast<std::ptrdiff_t>(newcomers),
              [&](std::uint32_t a, std::uint32_t b) {
                return s.estimate[a] > s.estimate[b] || (s.estimate[a] == s.estimate[b] && a < b);
              });
    for (std::size_t c = 0; c < newcomers; ++c) {
      const std::uint32_t i = s.candidates[c];
      if (!enter(x, i, {s.entering[i], s.squares[i]}, s.estimate[i], kRandom ? s.lightest[i] : 1.0f)) return;
    }
  }

  std::uint64_t random_state() const override { return random_.state; }

  // A side that does not hold a key contributes nothing. The keys with the highest priority stay.
  void merge_same(std::span<const TruncatedStore* const> stores, const MergePlan& plan) {
    for (const TruncatedStore* store : stores)
      require_same("active_set_size", heap_.capacity(), store->heap_.capacity());
    plan.refuse_base();
    std::vector<MergedKey> keys = keys_of_all(stores);
    std::vector<Key> kept;
    Slots slots(slots_.size());
    std::vector<float> lives(lives_.size(), 1.0f);
    for (MergedKey& one : keys) {
      const MergeReading merged = plan.merged(
          [&](std::size_t i) { return MergeReading{stores[i]->raw(one.key), stores[i]->own_squares(one.key)}; });
      one.weight = merged.weight;
      one.squares = merged.squares;
      one.priority = priority_of(one.weight, merged_life(one.key, stores, plan));
    }
    sort_heaviest_first(keys);
    keys.resize(std::min<std::size_t>(keys.size(), heap_.capacity()));
    for (MergedKey& one : keys) {
      one.slot = static_cast<std::uint32_t>(kept.size());
      kept.push_back(one.key);
      slots.set(one.slot, {one.weight, one.squares});
      if constexpr (kRandom) lives[one.slot] = merged_life(one.key, stores, plan);
    }
    slots_ = std::move(slots);
    lives_ = std::move(lives);
    heap_.rebuild(kept, priority());
    random_.state = 0;  // a new state, so that no side's random numbers repeat
    for (const TruncatedStore* store : stores) random_.state += store->random_.state;
    deal_names(names_, keys);
  }

  static std::size_t bytes_for(const StoreConfig& config) {
    return KeyedHeap::bytes_for(config.active_set_size) +
           std::size_t{config.active_set_size} * (Slots::kNumbers + kRandom) * sizeof(float) + config.names_nbytes() +
           sizeof(Random);
  }
  std::size_t nbytes() const override {
    return heap_.nbytes() + (Slots::kNumbers * slots_.size() + lives_.size()) * sizeof(float) + names_.nbytes() +
           sizeof random_;
  }
  std::size_t paper_bytes() const override { return 4 * (1 + Slots::kNumbers + kRandom) * heap_.capacity(); }

  void archive(Archive& archive) override {
    std::vector<Key> keys(heap_.keys().begin(), heap_.keys().end());
    archive.growing("active_keys", keys, heap_.capacity());
    slots_.archive(archive, "active_");
    archive.fixed("active_lives", lives_.data(), lives_.size());
    archive.value("random_state", random_.state);
    archive_names(archive, names_);
    if (!archive.loading()) return;
    for (const float life : lives_) require_state(std::isfinite(life) && life > 0, "a reservoir key is not positive");
    heap_.rebuild(keys, priority());
  }

 private:
  static float priority_of(float weight, float life) {
    return kPriority == Priority::product ? std::abs(weight) * life : std::abs(weight) / life;
  }
  auto priority() const {
    return [this](std::uint32_t slot) { return priority_of(slots_.weight(slot), kRandom ? lives_[slot] : 1.0f); };
  }

  // The life of a key that several sides hold. product: the longest life. quotient: life / |w| is an exponential clock
  // of rate |w|, and the minimum of two such clocks is one of rate |a| + |b|. So a key held by several sides stays as
  // likely as if it had been drawn once.
  static float merged_life(Key key, std::span<const TruncatedStore* const> stores, const MergePlan& plan) {
    if constexpr (!kRandom) return 1.0f;
    double clock = HUGE_VAL, rate = 0;
    float shortest = std::numeric_limits<float>::max(), longest = 0;
    for (std::size_t i = 0; i < stores.size(); ++i) {
      const std::uint32_t slot = stores[i]->heap_.find(key);
      if (slot == KeyedHeap::kNone) continue;
      const double weight = std::abs(plan.sides[i].share * plan.sides[i].scale * stores[i]->slots_.weight(slot));
      if (weight > 0) clock = std::min(clock, stores[i]->lives_[slot] / weight);
      rate += weight;
      shortest = std::min(shortest, stores[i]->lives_[slot]);
      longest = std::max(longest, stores[i]->lives_[slot]);
    }
    if constexpr (kPriority == Priority::product) return longest;
    const auto life = static_cast<float>(clock * rate);
    return life > 0 && std::isfinite(life) ? life : shortest;
  }

  bool enter(const SparseRow& x, std::uint32_t i, SlotValue value, float importance, float life) {
    if (heap_.capacity() == 0) return false;
    const bool full = heap_.full();
    const std::uint32_t slot = full ? heap_.least() : heap_.size();
    if (full && !(importance > priority()(slot))) return false;
    slots_.set(slot, value);
    if constexpr (kRandom) lives_[slot] = life;
    if (full) {
      heap_.rename(slot, x.keys[i]);
      heap_.changed(slot, priority());
    } else {
      heap_.insert(x.keys[i], priority());
    }
    remember_name(slot, x, i);
    return true;
  }

  Random random_;
  KeyedHeap heap_;
  std::vector<float> lives_;
};

}  // namespace wmsketch
