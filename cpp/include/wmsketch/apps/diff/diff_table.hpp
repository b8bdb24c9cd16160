// The table of counts: for each item its counts in both streams, in a fixed number of places.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "wmsketch/apps/diff/diff_methods.hpp"
#include "wmsketch/apps/diff/diff_slots.hpp"
#include "wmsketch/counters/distinct_counter.hpp"
#include "wmsketch/counters/past_counts.hpp"
#include "wmsketch/counters/slot_names.hpp"
#include "wmsketch/data/random.hpp"
#include "wmsketch/simd/kernels.hpp"

namespace wmsketch {

// With one item in each example, the optimal weight of an item has a closed form: the log ratio of its counts. So the
// active set stores counts instead of weights, which also show how certain the answer is. All other items share the
// cells of a Count-Min sketch. Its counts suggest which items deserve a place, and bound what an item missed.
//
// The set has lines of eight places. An item has two lines and takes a free place in either, so that few places stay
// empty. Places never become free again. So an item that finds a free place was never seen before, and its counts cover
// the whole stream. Occurrences of items without a place, and the counts of evicted items, go into the sketch. An item
// that replaces another carries the bound on what it may have missed.
class DiffTable final : public DiffMethod {
 public:
  struct Shape {
    std::uint32_t lines, past_width;
    std::uint32_t names;     // as many as places, or fewer; 0: items are integers
    std::size_t name_bytes;  // for all names together
    bool weighted;
    std::uint32_t places() const { return lines * kWays; }
    bool operator==(const Shape&) const = default;
  };

  DiffTable(const Shape& shape, std::uint64_t seed)
      : shape_(shape),
        seed_(seed),
        random_(seed),
        seeds_(random_seeds()),
        keys_(shape.places()),
        filled_(shape.lines),
        slots_(shape.places(), named() || shape.weighted, shape.weighted),
        past_(shape.past_width, random_seeds(), shape.weighted),
        names_(named() ? shape.places() : 0, shape.names, shape.name_bytes) {}

  void learn(DiffItems& items, const DiffTotals& totals) override {
    scales_ = totals.scales();
    load_ = past_.load();
    for (std::size_t i = 0; i < items.size(); ++i)
      if (items.amounts[i] >= 0) {
        std::uint32_t known = kNone;
        learn_one(items.keys[i], items.labels[i] > 0 ? 0 : 1, items.amounts[i], known,
                  [&] { return items.named ? items.name(i) : std::string(); });
      }
  }
  bool takes_ones() const override { return true; }
  void learn_ones(DiffOnes& ones, const DiffTotals& totals) override {
    scales_ = totals.scales();
    load_ = past_.load();
    // the memory of all is asked for before it is needed: first that of the lines of new items, then that of the slots
    new_items_.clear();
    for (const DiffOnes::Item item : ones.items) {
      if (const std::uint32_t slot = ones.slot(item); slot != kNone) {
        slots_.prefetch(slot);
        continue;
      }
      const std::uint32_t hash = mix(ones.key(item), seeds_);
      for (const std::uint32_t line : {first_line(hash), second_line(hash)}) {
        __builtin_prefetch(&filled_[line], 1);
        __builtin_prefetch(&keys_[line * kWays], 1);
      }
      new_items_.emplace_back(item, hash);
    }
    for (const auto& [item, hash] : new_items_) {
      const std::uint32_t slot = find(ones.key(item), hash);
      if (slot != kNone) slots_.prefetch(slot);
      ones.slot(item) = slot;
    }
    for (const DiffOnes::Item item : ones.items)
      learn_one(ones.key(item), static_cast<int>(item.side), 1.0f, ones.slot(item),
                [&] { return ones.sides[item.side].block->name(item.feature); });
  }

  std::size_t n_rows() const override { return n_held(); }
  void each_row(const DiffTotals& totals, const UseRow& use) const override {
    each_slot([&](std::uint32_t slot) {
      const bool missed_some = slots_.missed(slot, 0) > 0 || slots_.missed(slot, 1) > 0;
      PairCount count = slots_.count(slot, missed_some ? past_.most(keys_[slot]) : Amounts{});
      for (std::size_t s = 0; s < 2; ++s)
        count.missed[s] = std::min(count.missed[s], std::max(0.0, totals.amounts[s] - count.amounts[s]));
      const double weight = count.log_ratio(totals), spread = kDeviations95 * std::sqrt(count.variance(totals));
      const bool nameless = named() && !names_.has(slot);
      use({keys_[slot], named() ? names_.get(slot) : std::string(), named() && names_.shortened(slot), weight,
           weight - spread, weight + spread, count, nameless});
    });
  }

  double weight(Key key, const DiffTotals& totals) const override {
    const std::uint32_t hash = mix(key, seeds_), slot = find(key, hash), line = first_line(hash);
    if (slot != kNone) return slots_.count(slot, {}).log_ratio(totals);
    if (filled_[line] < kWays) return 0.0;
    PairCount count;  // what other items add to the cells is about the same share of both streams
    for (std::size_t s = 0; s < 2; ++s) count.amounts[s] = std::min(past_.most(key)[s], totals.amounts[s]);
    double most = std::abs(count.log_ratio(totals));  // probably no item in its line is lighter
    for (std::uint32_t held = line * kWays; held < (line + 1) * kWays; ++held)
      most = std::min(most, std::abs(slots_.count(held, {}).log_ratio(totals)));
    return std::copysign(most, count.log_ratio(totals));
  }
  // each distinct item once, however the streams were divided and merged
  std::uint64_t n_tried() const override { return static_cast<std::uint64_t>(std::llround(*n_distinct())); }
  std::optional<double> n_distinct() const override {
    const auto held = static_cast<double>(n_held());
    return lost_ ? std::max(held, distinct_.estimate()) : held;
  }
  bool is_whole() const override { return !lost_; }
  std::size_t nbytes() const override { return bytes_for(shape_); }
  static std::size_t bytes_for(const Shape& shape) {
    return std::size_t{shape.places()} * sizeof(Key) + shape.lines * sizeof(std::uint8_t) +
           PairSlots::bytes_for(shape.places(), shape.names > 0 || shape.weighted, shape.weighted) +
           PastCounts::bytes_for(shape.past_width, shape.weighted) +
           SlotNames::bytes_for(shape.names > 0 ? shape.places() : 0, shape.names, shape.name_bytes) + sizeof(Shape) +
           sizeof(Random) + sizeof(MixerSeeds) + sizeof(DistinctCounter) + sizeof seed_ + sizeof scales_;
  }

  void fade(double kept) override {
    slots_.fade(kept);
    past_.scale(kept);
  }
  void merge(const DiffMethod& given, const DiffTotals& totals) override;
  void archive(Archive& archive) override;
  void reserve(std::span<const Key> keys) override {
    for (const Key key : keys) {
      const std::uint32_t hash = mix(key, seeds_);
      const std::uint32_t slot = find(key, hash) == kNone ? free_place(hash) : kNone;
      if (slot == kNone) continue;
      keys_[slot] = key;
      slots_.begin(slot, {});
      if (named()) names_.reserve(slot);
      distinct_.add(hash);
    }
    sealed_ = true;
    joined_ = 1;  // from now on, a free place does not mean that an item was never seen
  }
  void open() override {
    sealed_ = false;
    if (named()) names_.release_unset();
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  static constexpr double kEntering = 0.8;
  using Amounts = PastCounts::Amounts;

  // `known`: a slot where the item may be.
  template <class NameOf>
  void learn_one(Key key, int side, float amount, std::uint32_t& known, const NameOf& name_of) {
    if (known == kNone || keys_[known] != key) known = place_of(key, side, amount);
    const std::uint32_t slot = known;
    if (slot == kNone) return;
    const bool first = slots_.rows(slot, 0) + slots_.rows(slot, 1) == 0;
    slots_.add(slot, side, amount, random_);
    if (named() && ((first && names_.has(slot)) || (!sealed_ && wants_name(slot)))) names_.set(slot, name_of(), false);
  }

  // The slot of an item, perhaps a new one; kNone if it has none, and its amount is in the bounds.
  std::uint32_t place_of(Key key, int side, float amount) {
    const std::uint32_t hash = mix(key, seeds_);
    std::uint32_t slot = find(key, hash);
    if (slot == kNone) {
      distinct_.add(hash);
      slot = sealed_ ? kNone : free_place(hash);
      if (slot != kNone) {
        begin(slot, key, joined_ ? past_.most(key) : Amounts{});
      } else if (const Amounts missed = past_.most(key); !sealed_ && wins_place(missed, hash, side, amount)) {
        slot = lightest(first_line(hash));
        evict(slot);
        begin(slot, key, missed);
      } else {
        lost_ = 1;
        past_.add(key, side == 0 ? Amounts{amount, 0} : Amounts{0, amount});
      }
    }
    return slot;
  }
  bool wants_name(std::uint32_t slot) {
    return !names_.has(slot) &&
           names_.wants(slot, held(slot).least_ratio(), [&](std::uint32_t at) { return held(at).least_ratio(); });
  }
  void take_name(std::uint32_t slot, const DiffTable& other, std::uint32_t there);

  // Whether an item takes the place of the lightest in its line: with probability .8 (x - 1) / (x + y - 1), if x and y
  // are the ratios of their counts. So a frequent item that is even does not return with every burst.
  bool wins_place(const Amounts& missed, std::uint32_t hash, int side, double amount) {
    Amounts amounts = beyond_load(missed);
    amounts[static_cast<std::size_t>(side)] += amount;
    const double draw = random_.uniform(), beyond = balanced(amounts).ratio() - 1;
    return draw < kEntering && draw * (beyond + held(lightest(first_line(hash))).ratio()) < kEntering * beyond;
  }

  // Evicts an item. If it has a free place in its other line, it moves there instead. So an evicted item never finds a
  // free place later.
  void evict(std::uint32_t slot) {
    const std::uint32_t free = free_place(mix(keys_[slot], seeds_));
    if (free != kNone) {
      keys_[free] = keys_[slot];
      slots_.move(slot, free);
      if (named()) names_.move(slot, free);
      return;
    }
    lost_ = 1;
    past_.add(keys_[slot], {slots_.amount(slot, 0), slots_.amount(slot, 1)});
    if (named()) names_.clear(slot);
  }
  void begin(std::uint32_t slot, Key key, const Amounts& missed) {
    keys_[slot] = key;
    slots_.begin(slot, missed);
  }

  // Counts in units of rows of the shorter stream, with one row added to each (the prior).
  struct Balanced {
    double a, b;
    double ratio() const { return a > b ? a / b : b / a; }  // exp(|weight|)
    double least_ratio() const {  // about the end of the range of the ratio that is nearer to 1
      const double more = std::max(a, b), less = std::min(a, b);
      return (more - kDeviations95 * std::sqrt(more)) / (less + kDeviations95 * std::sqrt(less));
    }
  };
  Balanced balanced(const Amounts& amounts) const { return {1 + scales_[0] * amounts[0], 1 + scales_[1] * amounts[1]}; }
  // What an item probably missed: its bound beyond what others add to a cell.
  Amounts beyond_load(const Amounts& missed) const {
    return {std::max(0.0, missed[0] - load_[0]), std::max(0.0, missed[1] - load_[1])};
  }
  Balanced held(std::uint32_t slot) const { return balanced({slots_.amount(slot, 0), slots_.amount(slot, 1)}); }

  std::uint32_t lightest(std::uint32_t line) const {  // requires a full line
    std::uint32_t found = line * kWays;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t slot = found; slot < (line + 1) * kWays; ++slot) {
      const double ratio = held(slot).ratio();
      if (ratio < least) {
        least = ratio;
        found = slot;
      }
    }
    return found;
  }
  std::uint32_t find(Key key, std::uint32_t hash) const {
    for (const std::uint32_t line : {first_line(hash), second_line(hash)})
      for (std::uint32_t way = 0; way < filled_[line]; ++way)
        if (keys_[line * kWays + way] == key) return line * kWays + way;
    return kNone;
  }
  std::uint32_t free_place(std::uint32_t hash) {  // takes a place in the emptier of its two lines
    const std::uint32_t first = first_line(hash), second = second_line(hash);
    const std::uint32_t line = filled_[first] <= filled_[second] ? first : second;
    return filled_[line] < kWays ? line * kWays + filled_[line]++ : kNone;
  }
  bool has_free_place(std::uint32_t hash) const {
    return filled_[first_line(hash)] < kWays || filled_[second_line(hash)] < kWays;
  }
  // Upper bound on what was missed of an item without a place.
  Amounts missed_of(Key key, std::uint32_t hash) const {
    return !joined_ && has_free_place(hash) ? Amounts{} : past_.most(key);
  }

  template <class Use>
  void each_slot(Use use) const {
    for (std::uint32_t line = 0; line < shape_.lines; ++line)
      for (std::uint32_t way = 0; way < filled_[line]; ++way) use(line * kWays + way);
  }
  std::size_t n_held() const {
    std::size_t n = 0;
    for (const std::uint8_t filled : filled_) n += filled;
    return n;
  }
  bool named() const { return shape_.names > 0; }
  std::uint32_t first_line(std::uint32_t hash) const { return bucket_of(second_hash(hash), shape_.lines); }
  std::uint32_t second_line(std::uint32_t hash) const {
    const std::uint32_t second = second_hash(hash);
    return bucket_of(second_hash(second ^ second >> 15), shape_.lines);
  }
  MixerSeeds random_seeds() {
    const std::uint64_t bits = random_.next();
    return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
  }

  Shape shape_;
  std::uint64_t seed_;
  Random random_;
  MixerSeeds seeds_;
  std::vector<Key> keys_;
  std::vector<std::uint8_t> filled_;  // number of used places in each line
  PairSlots slots_;
  PastCounts past_;
  SlotNames names_;
  DistinctCounter distinct_;
  std::array<double, 2> scales_{};                                   // weight of an amount of 1 in each stream
  std::vector<std::pair<DiffOnes::Item, std::uint32_t>> new_items_;  // of a batch, with their hashes
  Amounts load_{};           // what the bound on an item that never occurred is about
  std::uint8_t lost_ = 0;    // whether an item was not counted or was evicted
  bool sealed_ = false;      // only reserved items are counted
  std::uint8_t joined_ = 0;  // after a merge, a free place no longer means that an item was never seen
};

}  // namespace wmsketch
