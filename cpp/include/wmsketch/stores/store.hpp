// What a weight store is: the one place where the learners differ.
#pragma once

#include <concepts>
#include <cstdint>
#include <new>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/hashing.hpp"
#include "wmsketch/data/name_arena.hpp"
#include "wmsketch/data/scratch.hpp"
#include "wmsketch/data/sparse_row.hpp"
#include "wmsketch/rule/merge.hpp"
#include "wmsketch/rule/soften.hpp"
#include "wmsketch/rule/step_rule.hpp"
#include "wmsketch/stores/archive_names.hpp"
#include "wmsketch/stores/sketch_shape.hpp"

namespace wmsketch {

// paper: the sketch's answer for an evicted key is set to its weight. drop: nothing is written back.
enum class Eviction : std::uint8_t { paper, drop };

struct StoreConfig {
  std::uint32_t depth = 1, width = 0, active_set_size = 0;
  std::uint32_t name_bytes = 0;  // arena for the names of heavy keys; 0 keeps none
  std::uint64_t n_features = 0;  // of the dense store
  Eviction eviction = Eviction::paper;
  HashFamily hash_family = HashFamily::mixer;
  std::uint32_t independence = Hasher::kDefaultIndependence;
  std::uint64_t seed = 0;
  bool averaged = false;

  std::size_t hash_bytes() const { return Hasher::bytes_for(hash_family, depth, independence); }
  std::uint32_t named_entries() const { return name_bytes > 0 ? active_set_size : 0; }
  std::size_t names_nbytes() const { return NameArena::bytes_for(named_entries(), name_bytes); }
};

// Each follows a dot of the same row: w += amount * x, or every weight by a rate of its own. A store that takes
// adaptive steps also has multiply_squares, which folds the lazy scale of its sums of squared gradients.
template <class S>
concept TakesPlainSteps = requires(S store, const SparseRow& x, Scratch& scratch) { store.add(x, 1.0f, scratch); };
template <class S>
concept TakesAdaptiveSteps =
    requires(S store, const SparseRow& x, Scratch& scratch) { store.add(x, AdaptiveStep{}, scratch); };

// Weights are kept raw: the learner's lazy scale and lazy threshold turn them into real ones.
template <class S>
concept WeightStore =
    (TakesPlainSteps<S> || TakesAdaptiveSteps<S>) &&
    requires(S store, const S& read, const SparseRow& x, Scratch& scratch, Key key, float amount, Archive& archive) {
      { read.dot(x, amount, scratch) } -> std::convertible_to<double>;  // sum of softened weights times values
      store.multiply(amount);                                           // all raw weights at once: folds the scale
      { read.raw(key) } -> std::convertible_to<float>;                  // estimate of one weight
      { read.noise() } -> std::convertible_to<double>;                  // deviation of an estimate; NaN: not known
      { read.nbytes() } -> std::convertible_to<std::size_t>;
      { S::bytes_for(StoreConfig{}) } -> std::convertible_to<std::size_t>;  // nbytes() of a new store
      { read.paper_bytes() } -> std::convertible_to<std::size_t>;
      store.merge(std::span<const S* const>(), MergePlan{});  // becomes that of all these, of its configuration
      store.archive(archive);
      { S::kNeedsUniqueKeys } -> std::convertible_to<bool>;
    };

// A heavy key as a store reports it.
struct HeavyKey {
  Key key;
  float raw;
  std::uint32_t slot;  // of its name
};

// Keeps the name of feature i of a row for the slot its key has just been given.
inline void remember_name(NameArena& names, std::uint32_t slot, const SparseRow& x, std::size_t i) {
  if (names.entries() == 0) return;
  try {
    names.set(slot, x.name(i));
  } catch (const std::bad_alloc&) {  // in the middle of a row, which must not be left half learned
    names.set(slot, {}, true);       // cut to nothing, and counted as shortened
  }
}

}  // namespace wmsketch
