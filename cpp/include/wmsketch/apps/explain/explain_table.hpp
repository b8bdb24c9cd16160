// Counts which attributes outliers have, and how many other rows have them, in a fixed number of bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wmsketch/apps/explain/metric.hpp"
#include "wmsketch/counters/distinct_counter.hpp"
#include "wmsketch/counters/past_counts.hpp"
#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/hashing.hpp"
#include "wmsketch/data/name_arena.hpp"

namespace wmsketch {

// Identifies an attribute or a conjunction in 64 bits. That of a single attribute has its key in the upper half, and
// more bits of its hash in the lower half.
using AttributeId = std::uint64_t;
inline AttributeId attribute_id(Key key, std::uint32_t more) { return AttributeId{key} << 32 | more; }
inline AttributeId combine_ids(AttributeId left, AttributeId right) {
  std::uint64_t bits = left * 0x9e3779b97f4a7c15u + right;
  bits = (bits ^ (bits >> 32)) * 0xd6e8feb86659fd93u;
  bits = (bits ^ (bits >> 32)) * 0xd6e8feb86659fd93u;
  return bits ^ (bits >> 32);
}

// Amounts of other rows and of outliers, indexed by whether the row is an outlier.
using Amounts = PastCounts::Amounts;

// An attribute is held from its first row while there is room. When the table is full, it evicts those that
// matter least, most of all to outliers, and adds their counts to a Count-Min sketch. An attribute that enters
// late or again carries an upper bound on what it missed. Conjunctions are held only while their parts are, and single
// attributes keep at least half of the table.
//
// A conjunction combines a shorter one (left) and a single attribute (right). The ids of its attributes are in
// ascending order.
class AttributeTable {
 public:
  static constexpr std::uint32_t kLeastCapacity = 16;
  static constexpr std::uint32_t kNone = 0xffffffffu;  // no slot

  struct Shape {
    std::uint32_t capacity = kLeastCapacity;  // number of attributes and conjunctions
    std::uint32_t width = 16;                 // of the sketch of evicted attributes
    std::size_t name_bytes = 5 * kLeastCapacity;
    std::uint32_t moments = 0;  // of a metric, summed for each attribute and side
  };
  static std::size_t bytes_for(const Shape& shape);

  AttributeTable(const Shape& shape, std::uint64_t seed);

  // Sets the row that `add` and `enter` count.
  void start_row(bool outlier, double amount, std::uint32_t row_hash, const Metric::Moments& moments = {}) {
    outlier_ = outlier;
    amount_ = amount;
    row_hash_ = row_hash;
    row_moments_ = moments;
  }
  // Counts the attribute if it is held. If not, returns false, and the caller should `enter` it.
  bool add(AttributeId id) {
    const std::uint32_t at = find(id);
    if (at != kNone) add_at(at);
    return at != kNone;
  }
  // The same, if the slot of the attribute may be known from before: kNone if not. Sets it.
  bool add(AttributeId id, std::uint32_t& known) {
    if (known >= slots_.size() || slots_[known].id != id || slots_[known].order == 0) known = find(id);
    if (known != kNone) add_at(known);
    return known != kNone;
  }
  // The same for several rows at once, while the table takes all.
  bool add(AttributeId id, const Amounts& amounts, std::uint32_t fingerprint) {
    const std::uint32_t at = find(id);
    if (at != kNone) add_rows(slots_[at], amounts, fingerprint);
    return at != kNone;
  }
  // Whether so many more attributes have room, and every attribute is counted.
  bool takes_all(std::size_t more) const { return complete() && !sealed_ && n_held_ + more <= slots_.size(); }
  // Prefetch for an attribute that is added soon: first its place in the index, then its slot.
  [[gnu::always_inline]] void prefetch_index(AttributeId id) const { __builtin_prefetch(&index_[start_of(id)]); }
  [[gnu::always_inline]] void prefetch_slot(AttributeId id) const {
    const std::uint32_t slot = index_[start_of(id)];
    if (slot != kNone) __builtin_prefetch(&slots_[slot], 1);
  }
  void prefetch(std::uint32_t slot) const {
    if (slot != kNone) __builtin_prefetch(&slots_[slot], 1);
  }
  bool holds(AttributeId id) const { return find(id) != kNone; }
  void enter(AttributeId id, std::uint32_t column, std::string_view name);
  void enter(AttributeId id, std::uint32_t column, std::string_view name, const Amounts& amounts,
             std::uint32_t fingerprint) {
    start_row(false, 0, 0);
    enter(id, column, name);
    add_rows(slots_[first_free_], amounts, fingerprint);
  }
  void enter_conjunction(AttributeId id, AttributeId left, AttributeId right);  // held only if both parts are held
  // Enters an attribute that all rows before this one had, for example that a column that appears late was missing.
  void enter_from_start(AttributeId id, std::uint32_t column, std::string_view name, Amounts before,
                        std::uint32_t fingerprint, const Metric& metric_before);

  // Enters the conjunctions, up to `order`, of everything held with an attribute that all rows before this one had.
  void enter_with_all(AttributeId id, std::uint32_t order);

  // From now on only these enter, until `open`: a second pass counts the candidates of a first, exactly. No other
  // attribute has more outliers than `most_outliers`.
  void seal(std::vector<AttributeId> ids, double most_outliers);
  void open();

  void scale(double factor);  // multiplies all counts
  // Adds the other's counts. `column_of` maps its columns to the columns here.
  void merge(const AttributeTable& other, std::span<const std::uint32_t> column_of);

  struct Held {
    AttributeId id;
    Key key;                          // in a model of whole rows
    std::uint32_t left, right, slot;  // left, right: slots of the parts; right of a single attribute: its column
    std::uint32_t order, fingerprint;
    Amounts counted, missed;  // the true count is from `counted` to `counted + missed`
  };
  // Those that probably have at least so many outliers, and the parts of conjunctions among them.
  std::vector<Held> held(double least_outliers = 0) const;
  std::string name(std::uint32_t slot) const { return names_.get(slot); }
  bool shortened(std::uint32_t slot) const { return names_.shortened(slot); }
  // The sums of the moments of the metric: those of other rows, then those of outliers.
  std::span<const double> moments(std::uint32_t slot) const {
    return std::span(moments_).subspan(std::size_t{2} * n_moments_ * slot, std::size_t{2} * n_moments_);
  }
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
  struct Slot {
    AttributeId id = 0;
    std::uint32_t left = kNone, right = 0;              // slots of the parts; right of a single attribute: its column
    std::uint32_t order : 2 = 0, fingerprint : 30 = 0;  // order 0: free
    std::array<float, 2> missed{};
    Amounts count{};
  };

  static std::uint32_t fold(AttributeId id) { return static_cast<std::uint32_t>(id ^ (id >> 32)); }
  std::size_t start_of(AttributeId id) const { return mix(fold(id), hash_) & mask_; }
  std::uint32_t find(AttributeId id) const {
    for (std::size_t at = start_of(id);; at = (at + 1) & mask_) {
      const std::uint32_t slot = index_[at];
      if (slot == kNone || slots_[slot].id == id) return slot;
    }
  }
  void add_at(std::uint32_t at) {
    Slot& slot = slots_[at];
    slot.count[outlier_] += amount_;
    slot.fingerprint = (slot.fingerprint + row_hash_) & 0x3fffffffu;
    if (n_moments_ > 0) add_row_moments(at);
  }
  static void add_rows(Slot& slot, const Amounts& amounts, std::uint32_t fingerprint) {
    for (const std::size_t label : {0u, 1u}) slot.count[label] += amounts[label];
    slot.fingerprint = (slot.fingerprint + fingerprint) & 0x3fffffffu;
  }
  std::span<double> own_moments(std::uint32_t slot) {
    return std::span(moments_).subspan(std::size_t{2} * n_moments_ * slot, std::size_t{2} * n_moments_);
  }
  void add_row_moments(std::uint32_t slot) {
    double* const sums = own_moments(slot).data() + (outlier_ ? n_moments_ : 0);
    for (std::uint32_t i = 0; i < n_moments_; ++i) sums[i] += row_moments_[i];
  }
  void add_moments(std::uint32_t slot, std::span<const double> more) {
    const std::span<double> sums = own_moments(slot);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += more[i];
  }
  bool has_part(const Slot& slot, AttributeId id) const {
    return slot.order > 1 && (slots_[slot.left].id == id || slots_[slot.right].id == id);
  }
  bool holds_parts(const Slot& slot) const { return slots_[slot.left].order != 0 && slots_[slot.right].order != 0; }
  Key key_of(const Slot& slot) const;  // in a model of whole rows
  // Upper bound on what was missed of an id that is not held; left and right are the ids of its parts.
  Amounts missed_of(AttributeId left, AttributeId right, AttributeId id, std::uint32_t order) const;
  Amounts missed_of_part(AttributeId id) const;
  static void add_missed(Slot& slot, Amounts more);
  Slot& place(AttributeId id, std::uint32_t order, Amounts missed);
  void put_conjunction(const Slot& counted, std::span<const double> moments, AttributeId id, AttributeId left,
                       AttributeId right, std::uint32_t order);
  bool stays_out(AttributeId id) const {
    return sealed_ && !std::binary_search(candidates_.begin(), candidates_.end(), id);
  }
  void leave_out(AttributeId id, bool conjunction);
  void index(std::uint32_t slot);
  void rebuild_index();
  void make_room();
  std::vector<std::pair<double, std::uint32_t>> ranked(Amounts totals) const;  // least important first
  void evict(std::uint32_t slot);
  Amounts estimate(AttributeId id) const { return past_.most(fold(id)); }  // upper bound on what was evicted
  void add_to_sketch(AttributeId id, Amounts amounts) { past_.add(fold(id), amounts); }

  MixerSeeds hash_;
  PastCounts past_;  // what was evicted
  std::vector<Slot> slots_;
  std::size_t mask_;                  // the index uses only as much as it needs, for locality
  std::vector<std::uint32_t> index_;  // open addressing, at most three quarters full
  NameArena names_;
  std::uint32_t n_moments_;
  std::vector<double> moments_;  // of the metric, for each slot and side
  static std::uint32_t hash_to_count(AttributeId id) { return mix(fold(id), {0x2545f491u, 0x9e3779b9u}); }

  std::array<DistinctCounter, 2> distinct_;  // single attributes, conjunctions
  Amounts load_{};
  std::uint64_t n_evicted_ = 0, n_names_ = 0, name_bytes_seen_ = 0;
  double most_evicted_ = 0;
  std::uint32_t n_held_ = 0, first_free_ = 0;  // no slot before first_free_ is free
  std::vector<AttributeId> candidates_;        // sorted
  bool sealed_ = false;
  bool outlier_ = false;
  double amount_ = 0;
  std::uint32_t row_hash_ = 0;
  Metric::Moments row_moments_{};
};

}  // namespace wmsketch
