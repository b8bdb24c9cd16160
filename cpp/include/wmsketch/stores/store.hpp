// The interface of a weight store, which decides where weights live. Learners differ only in their store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/archive_names.hpp"
#include "wmsketch/data/hashing.hpp"
#include "wmsketch/data/name_arena.hpp"
#include "wmsketch/data/sketch_shape.hpp"
#include "wmsketch/data/soften.hpp"
#include "wmsketch/data/sparse_row.hpp"
#include "wmsketch/data/step.hpp"
#include "wmsketch/simd/hasher.hpp"
#include "wmsketch/simd/scratch.hpp"
#include "wmsketch/stores/merge.hpp"

namespace wmsketch {

// What happens to the weight of an evicted key. paper: it is written back, so that the sketch's estimate equals it
// (Algorithm 2). drop: it is lost.
enum class Eviction : std::uint8_t { paper, drop };
inline constexpr const char* kEvictionNames[] = {"paper", "drop"};

// cpp/src/stores/ has a function x_store for the kind x.
enum class StoreKind : std::uint8_t {
  wm,
  awm,
  hashed,
  dense,
  map,
  truncated,
  probabilistic,
  space_saving,
  count_min,
  probabilistic_product,
  space_saving_one,
  mission,
  bear
};
inline constexpr const char* kStoreNames[] = {"wm",
                                              "awm",
                                              "hashed",
                                              "dense",
                                              "map",
                                              "truncated",
                                              "probabilistic",
                                              "space_saving",
                                              "count_min",
                                              "probabilistic_product",
                                              "space_saving_one",
                                              "mission",
                                              "bear"};

// Whether a store has a bounded set of keys, with their names in an arena of fixed size.
constexpr bool has_set(StoreKind kind) {
  return kind != StoreKind::dense && kind != StoreKind::hashed && kind != StoreKind::map;
}
// Whether it has `depth` rows of cells, which keys share.
constexpr bool has_rows(StoreKind kind) {
  return kind == StoreKind::wm || kind == StoreKind::awm || kind == StoreKind::count_min ||
         kind == StoreKind::mission || kind == StoreKind::bear;
}
constexpr bool has_cells(StoreKind kind) { return has_rows(kind) || kind == StoreKind::hashed; }
// Whether the set consists of cache lines.
constexpr bool has_lines(StoreKind kind, bool exact_set) {
  return (kind == StoreKind::wm || kind == StoreKind::awm) && !exact_set;
}
// Whether each cell has one owner. Such cells come in buckets of kWays.
constexpr bool owns_cells(StoreKind kind, bool adaptive) { return kind == StoreKind::awm && adaptive; }

struct StoreConfig {
  std::uint32_t depth = 1, width = 0, active_set_size = 0;
  std::uint32_t name_bytes = 0;  // size of the arena for names of heavy keys; 0 keeps no names
  std::uint64_t n_features = 0;  // dense store only
  Eviction eviction = Eviction::paper;
  HashFamily hash_family = HashFamily::mixer;
  std::uint32_t independence = Hasher::kDefaultIndependence;
  std::uint64_t seed = 0;
  bool averaged = false;

  std::size_t hash_bytes() const { return Hasher::bytes_for(hash_family, depth, independence); }
  std::uint32_t named_entries() const { return name_bytes > 0 ? active_set_size : 0; }
  std::size_t names_nbytes() const { return NameArena::bytes_for(named_entries(), name_bytes); }
};

// A heavy key as a store reports it.
struct HeavyKey {
  Key key;
  float raw;
  std::uint32_t slot;  // index of its name
};

struct HeavyName {
  std::string name;
  bool shortened = false;
};

// Weights are stored raw. The learner applies its lazy scale and lazy L1 threshold. For each row, the update rule calls
// `dot`, then `add` with the same scratch.
class WeightStore {
 public:
  virtual ~WeightStore() = default;

  // The dot product of the row with the thresholded weights.
  virtual float dot(const SparseRow& x, float threshold, Scratch& scratch) const = 0;
  // Applies the step to every weight of the row: plain or adaptive, depending on the slots.
  virtual void add(const SparseRow& x, const RowStep& step, Scratch& scratch) = 0;
  // For steps that use the curvature of the loss (BEAR): called after `add`, and after `dot` with the new weights, with
  // the change of the gradient in the margin.
  virtual bool wants_curvature() const { return false; }
  virtual void add_curvature(const SparseRow&, double /*change*/, double /*scale*/, Scratch&) {}
  virtual Energy energy_of(const SparseRow& x, const Scratch&) const { return kernels().energy_of(x.values, x.size); }
  virtual bool needs_unique_keys() const = 0;
  virtual std::uint64_t key_limit() const { return std::uint64_t{1} << 32; }  // keys must be below this

  virtual void multiply(float factor) = 0;          // multiplies all raw weights: folds the scale
  virtual void multiply_squares(float factor) = 0;  // multiplies all sums of squared gradients

  virtual float raw(Key key) const = 0;  // estimate of one weight
  virtual double noise() const = 0;      // standard deviation of an estimate; NaN: unknown
  // Standard deviation of a key's raw weight from that of a learner without a memory limit, given the noise of the
  // cells.
  virtual double deviation(Key, double noise, const StepsTaken&) const { return noise; }
  virtual float own_squares(Key) const { return 0; }  // squared gradients of this key alone; 0: not stored
  virtual std::optional<float> largest_cell() const { return std::nullopt; }
  virtual std::size_t owned_cells() const { return 0; }  // tagged cells that have an owner

  virtual bool is_active(Key) const { return false; }  // held in the active set of an AWM-Sketch

  virtual bool keeps_keys() const { return true; }
  virtual std::vector<HeavyKey> heavy_keys() const { return {}; }
  virtual const NameArena* name_arena() const { return nullptr; }
  virtual NameArena* name_arena() { return nullptr; }
  virtual HeavyName name_of(std::uint32_t slot) const {
    const NameArena* names = name_arena();
    if (names == nullptr || names->entries() == 0) return {};
    return {names->get(slot), names->shortened(slot)};
  }
  virtual const Hasher* hasher() const { return nullptr; }
  virtual std::uint64_t random_state() const { return 0; }

  // For the variant in Theorem 2 (WM-Sketch): the squared norm of the paper's z, and the average of the iterates.
  virtual double squared_norm() const { return 0; }
  virtual void end_example(double /*scale*/) {}

  // Fast path for several rows of one feature with value 1 each (`read_keys` and `step_keys` in simd/kernels.hpp).
  // `find_rows` returns false if the store has no fast path.
  virtual bool find_rows(const Key*, std::size_t /*n*/, KeyRows&) const { return false; }
  virtual void read_rows(KeyRows&, std::size_t /*first*/) const {}
  virtual std::size_t step_rows(const KeyRows&, std::size_t /*first*/, std::size_t /*most*/, bool& /*enters*/) {
    return 0;
  }

  virtual std::size_t nbytes() const = 0;
  virtual std::size_t paper_bytes() const = 0;
  // Replaces the contents by the merge of all `stores`, which have the same configuration.
  virtual void merge(std::span<const WeightStore* const> stores, const MergePlan& plan) = 0;
  // Replaces the contents by those of another store of the same kind and seed, in the size of this one.
  virtual void take(const WeightStore&) {
    throw std::invalid_argument("cannot change the size: only an AWM-Sketch can be resized");
  }
  // Multiplies the weight of a key and adjusts its squares. Returns false if the key has no slot of its own.
  virtual bool rescale(Key, float /*factor*/) { return false; }
  virtual void shift(Key, float /*amount*/) {}  // adds to the weight of a key that has a slot
  virtual void archive(Archive& archive) = 0;
  virtual std::unique_ptr<WeightStore> copy() const = 0;
};

// Implements copying and merging for a store with `merge_same(std::span<const Store* const>, const MergePlan&)`.
template <class Store>
class StoreOf : public WeightStore {
 public:
  void merge(std::span<const WeightStore* const> stores, const MergePlan& plan) final {
    std::vector<const Store*> same;
    for (const WeightStore* store : stores) {
      same.push_back(dynamic_cast<const Store*>(store));
      if (same.back() == nullptr) throw merge_error("store", "the weights are kept in different kinds of stores");
    }
    static_cast<Store*>(this)->merge_same(same, plan);
  }
  std::unique_ptr<WeightStore> copy() const final { return std::make_unique<Store>(static_cast<const Store&>(*this)); }
};

// A store that keeps the names of its heavy keys in a bounded arena.
template <class Store>
class NamedStoreOf : public StoreOf<Store> {
 public:
  explicit NamedStoreOf(const StoreConfig& config) : names_(config.named_entries(), config.name_bytes) {}
  const NameArena* name_arena() const final { return &names_; }
  NameArena* name_arena() final { return &names_; }

 protected:
  // Stores the name of feature i of a row in the slot that its key has just entered.
  void remember_name(std::uint32_t slot, const SparseRow& x, std::size_t i) {
    if (names_.entries() == 0) return;
    try {
      names_.set(slot, x.name(i));
    } catch (const std::bad_alloc&) {  // the row must not be left half learned
      names_.set(slot, {}, true);      // an empty name, marked as shortened
    }
  }

  NameArena names_;
};

}  // namespace wmsketch
