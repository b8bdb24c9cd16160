// Counts which attributes outliers have, and how many other rows have them, in a fixed number of bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wmsketch/counters/distinct_counter.hpp"
#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/hashing.hpp"
#include "wmsketch/data/name_arena.hpp"

namespace wmsketch {

// Amounts of other rows and of outliers, indexed by whether the row is an outlier.
using Amounts = std::array<double, 2>;

// An attribute is held from its first row while there is room. When the table is full, it evicts the quarter that
// matters least among outliers and other rows, and adds their counts to a Count-Min sketch. An attribute that enters
// late or again carries an upper bound on what it missed. Conjunctions are held only while their parts are.
//
// A conjunction combines a shorter one (left) and a single attribute (right) by their keys. The keys of its attributes
// are in ascending order.
class AttributeTable {
 public:
  static constexpr std::uint32_t kLeastCapacity = 16;

  struct Shape {
    std::uint32_t capacity = kLeastCapacity;  // number of attributes and conjunctions
    std::uint32_t width = 16;                 // of the sketch of evicted attributes
    std::size_t name_bytes = 5 * kLeastCapacity;
  };
  static std::size_t bytes_for(const Shape& shape);

  AttributeTable(const Shape& shape, std::uint64_t seed);

  // Sets the row that `add` and `enter` count.
  void start_row(bool outlier, double amount, std::uint32_t row_hash) {
    outlier_ = outlier;
    amount_ = amount;
    row_hash_ = row_hash;
  }
  // Counts the attribute if it is held. If not, returns false, and the caller should `enter` it. left and right tell
  // apart attributes with the same key.
  bool add(Key key, Key left, Key right) {
    const std::uint32_t at = find(key, left, right);
    if (at == kNone) return false;
    Slot& slot = slots_[at];
    slot.count[outlier_] += amount_;
    slot.fingerprint = (slot.fingerprint + row_hash_) & 0x3fffffffu;
    return true;
  }
  // Prefetch for a key that is added soon: first its place in the index, then its slot.
  [[gnu::always_inline]] void prefetch_index(Key key) const {
    __builtin_prefetch(&index_[mix(key, hashes_[0]) & mask_]);
  }
  [[gnu::always_inline]] void prefetch_slot(Key key) const {
    const std::uint32_t slot = index_[mix(key, hashes_[0]) & mask_];
    if (slot != kNone) __builtin_prefetch(&slots_[slot], 1);
  }
  bool holds(Key key) const { return find(key) != kNone; }
  void enter(Key key, std::uint32_t more, std::uint32_t column, std::string_view name);
  void enter_conjunction(Key key, Key left, Key right);                     // held only if both parts are held
  void skip_conjunction(Key key) { distinct_[1].add(hash_to_count(key)); }  // if its parts are not both held
  // Enters an attribute that all rows before this one had, for example that a column that appears late was missing.
  void enter_from_start(Key key, std::uint32_t column, std::string_view name, Amounts before,
                        std::uint32_t fingerprint);

  // Enters the conjunctions, up to `order`, of everything held with an attribute that all rows before this one had.
  void enter_with_all(Key key, std::uint32_t order);

  void scale(double factor);  // multiplies all counts
  // Adds the other's counts. `column_of` maps its columns to the columns here.
  void merge(const AttributeTable& other, std::span<const std::uint32_t> column_of);

  struct Held {
    Key key, left, right;  // left, right of a single attribute: more bits of its hash, and its column
    std::uint32_t slot, order, fingerprint;
    Amounts counted, missed;  // the true count is from `counted` to `counted + missed`
  };
  std::vector<Held> held() const;
  std::string name(std::uint32_t slot) const { return names_.get(slot); }
  bool shortened(std::uint32_t slot) const { return names_.shortened(slot); }
  std::uint32_t slot_of(Key key) const { return find(key); }  // kNone: not held
  Amounts sketch_load() const { return load_; }  // the sketch's average estimate for a key that was never evicted

  std::size_t size() const { return n_held_; }
  std::size_t capacity() const { return slots_.size(); }
  std::size_t n_names_cut() const { return names_.n_shortened(); }
  bool complete() const { return n_evicted_ == 0; }  // everything seen is held and every count is exact
  // An attribute of more outliers than this is held. Conjunctions may be missing.
  double most_outliers_evicted() const { return most_evicted_; }
  double n_distinct(bool conjunctions) const;
  double mean_name_bytes() const;

  std::size_t nbytes() const;
  void archive(Archive& archive);

  // Called when the table is full. Returns the totals of the rows so far.
  std::function<Amounts()> totals;

 private:
  static constexpr std::uint32_t kDepth = 3;
  static constexpr std::uint32_t kNone = 0xffffffffu;
  struct Slot {
    Key key = 0, left = 0, right = 0;
    std::uint32_t order : 2 = 0, fingerprint : 30 = 0;  // order 0: free
    Amounts count{};
    std::array<float, 2> missed{};
  };

  std::uint32_t find(Key key, Key left, Key right) const {
    for (std::size_t at = mix(key, hashes_[0]) & mask_;; at = (at + 1) & mask_) {
      const std::uint32_t slot = index_[at];
      if (slot == kNone) return slot;
      const Slot& found = slots_[slot];
      if (found.key == key && found.left == left && found.right == right) return slot;
    }
  }
  std::uint32_t find(Key key) const {
    for (std::size_t at = mix(key, hashes_[0]) & mask_;; at = (at + 1) & mask_) {
      const std::uint32_t slot = index_[at];
      if (slot == kNone || slots_[slot].key == key) return slot;
    }
  }
  static bool has_part(const Slot& slot, Key key) { return slot.order > 1 && (slot.left == key || slot.right == key); }
  Amounts missed_of(Key left, Key right, Key key, std::uint32_t order) const;  // for a key that is not held
  static void add_missed(Slot& slot, Amounts more);
  void put(const Slot& slot, Key right, std::string_view name, bool shortened);
  Slot& place(Key key, Key left, Key right, std::uint32_t order);
  void index(std::uint32_t slot);
  void rebuild_index();
  std::uint32_t bucket(std::uint32_t row, Key key) const {
    return row * width_ + bucket_of(mix(key, hashes_[row]), width_);
  }
  void make_room();
  std::vector<std::pair<double, std::uint32_t>> ranked(Amounts totals) const;  // least important first
  void evict(std::uint32_t slot);
  Amounts estimate(Key key) const;  // upper bound on what was evicted
  void add_to_sketch(Key key, Amounts amounts);
  void measure_load();

  std::array<MixerSeeds, kDepth> hashes_;
  std::uint32_t width_;
  std::vector<Amounts> cells_;
  std::vector<Slot> slots_;
  std::size_t mask_;                  // the index uses only as much as it needs, for locality
  std::vector<std::uint32_t> index_;  // open addressing, at most three quarters full
  NameArena names_;
  static std::uint32_t hash_to_count(Key key) { return mix(key, {0x2545f491u, 0x9e3779b9u}); }

  std::array<DistinctCounter, 2> distinct_;  // single attributes, conjunctions
  Amounts load_{};
  std::uint64_t n_evicted_ = 0, n_names_ = 0, name_bytes_seen_ = 0;
  double most_evicted_ = 0;
  std::uint32_t n_held_ = 0, first_free_ = 0;  // no slot before first_free_ is free
  bool outlier_ = false;
  double amount_ = 0;
  std::uint32_t row_hash_ = 0;
};

}  // namespace wmsketch
