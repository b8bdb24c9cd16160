// The AWM-Sketch for examples with one item each.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "wmsketch/apps/diff/deltoids_bounds.hpp"
#include "wmsketch/apps/diff/deltoids_memory.hpp"
#include "wmsketch/apps/diff/deltoids_methods.hpp"
#include "wmsketch/apps/diff/deltoids_slots.hpp"
#include "wmsketch/counters/distinct_counter.hpp"
#include "wmsketch/data/archive_names.hpp"
#include "wmsketch/rule/loss.hpp"

namespace wmsketch {

// With one item in each example, the optimal weight of an item has a closed form: the log ratio of its counts. So the
// active set stores counts instead of weights, which also show how certain the answer is. All other items share cells
// with weights, which suggest which items deserve a place.
//
// The set has lines of eight places. An item has two lines and takes a free place in either, so that few places stay
// empty. Each line has a cell, and 64 bits of a memory of evicted items that were known to be even. Without this
// memory, frequent even items would return with every burst, because they look uneven until the burst is over.
//
// Places never become free again. So an item that finds a free place was never seen before, and its counts cover the
// whole stream. Occurrences of items without a place, and the counts of evicted items, are added to upper bounds. An
// item that replaces another carries the bound on what it may have missed.
class AwmDeltoids final : public DeltoidMethod {
 public:
  static constexpr std::uint32_t kWays = 8;

  struct Shape {
    std::uint32_t lines, bound_width;
    std::size_t name_bytes;  // 0: items are integers
    bool weighted;
    bool operator==(const Shape&) const = default;
  };

  AwmDeltoids(const Shape& shape, std::uint64_t seed)
      : shape_(shape),
        seed_(seed),
        random_(seed),
        seeds_(random_seeds()),
        keys_(std::size_t{shape.lines} * kWays),
        filled_(shape.lines),
        slots_(shape.lines * kWays, named(), shape.weighted),
        cells_(shape.lines),
        even_items_(shape.lines, random_seeds()),
        bounds_(shape.bound_width, random_seeds()),
        names_(named() ? shape.lines * kWays : 0, shape.name_bytes) {}

  void learn(DeltoidItems& items, const DeltoidTotals& totals) override {
    scales_ = totals.scales();
    for (std::size_t i = 0; i < items.size(); ++i)
      if (items.amounts[i] >= 0) learn_one(items, i);
  }

  std::vector<DeltoidRow> rows(const DeltoidTotals& totals) const override {
    std::vector<DeltoidRow> rows;
    each_slot([&](std::uint32_t slot) {
      const PairCount count = slots_.count(slot, bounds_.most(keys_[slot]));
      const double weight = count.log_ratio(totals), spread = kDeviations * std::sqrt(count.variance(totals));
      rows.push_back({keys_[slot], named() ? names_.get(slot) : std::string(), named() && names_.shortened(slot),
                      weight, weight - spread, weight + spread, count});
    });
    return rows;
  }

  double weight(Key key, const DeltoidTotals& totals) const override {
    const std::uint32_t hash = mix(key, seeds_), slot = find(key, hash);
    if (slot != kNone) return slots_.count(slot, bounds_.most(key)).log_ratio(totals);
    const std::uint32_t line = first_line(hash);
    if (filled_[line] < kWays) return 0.0;
    // at most the weight of the lightest item in its line, or the item would be in the set
    const double most = std::abs(slots_.count(lightest(line), {}).log_ratio(totals));
    return std::clamp<double>(sign_of(hash) * cells_[cell_of(hash)], -most, most);
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
    const bool named = shape.name_bytes > 0;
    return std::size_t{shape.lines} * (kWays * sizeof(Key) + sizeof(std::uint8_t) + sizeof(float)) +
           PairSlots::bytes_for(shape.lines * kWays, named, shape.weighted) + FadingSet::bytes_for(shape.lines) +
           PairBounds::bytes_for(shape.bound_width) +
           NameArena::bytes_for(named ? shape.lines * kWays : 0, shape.name_bytes) + sizeof(Shape) + sizeof(Random) +
           sizeof(MixerSeeds) + sizeof(DistinctCounter) + sizeof seed_ + sizeof scales_ + sizeof n_tried_;
  }

  void fade(double kept) override {
    slots_.fade(kept);
    bounds_.fade(kept);
  }
  void merge(const DeltoidMethod& given, const DeltoidTotals& totals) override;
  void archive(Archive& archive) override;
  void reserve(std::span<const Key> keys) override {
    for (const Key key : keys) {
      const std::uint32_t hash = mix(key, seeds_);
      const std::uint32_t slot = find(key, hash) == kNone ? free_place(hash) : kNone;
      if (slot == kNone) continue;
      keys_[slot] = key;
      slots_.begin(slot, {});
      distinct_.add(hash);
    }
    sealed_ = true;
    joined_ = 1;  // from now on, a free place does not mean that an item was never seen
  }
  void open() override { sealed_ = false; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  static constexpr double kEnough = 6, kSurely = 2;    // rows, including the prior; standard deviations
  static constexpr std::uint32_t kSecondChances = 64;  // a known even item may compete in one of this many rows
  static constexpr float kCellStep = 0.6f;
  using Amounts = PairBounds::Amounts;

  void learn_one(DeltoidItems& items, std::size_t i) {
    const Key key = items.keys[i];
    const int side = items.labels[i] > 0 ? 0 : 1;
    const std::uint32_t hash = mix(key, seeds_);
    std::uint32_t slot = find(key, hash);
    if (slot == kNone) {
      distinct_.add(hash);
      slot = sealed_ ? kNone : free_place(hash);
      if (slot != kNone) {
        begin(slot, items, i, joined_ ? bounds_.most(key) : Amounts{});
      } else if (!sealed_ && wins_place(items, i, hash, side)) {
        slot = lightest(first_line(hash));
        const Amounts missed = bounds_.most(key);
        evict(slot);
        begin(slot, items, i, missed);
      } else {
        lost_ = 1;
        bounds_.add(key, side == 0 ? Amounts{items.amounts[i], 0} : Amounts{0, items.amounts[i]});
        return;
      }
    }
    if (sealed_ && named() && slots_.rows(slot, 0) + slots_.rows(slot, 1) == 0)
      names_.set(slot, items.named ? items.name(i) : std::string());
    slots_.add(slot, side, items.amounts[i], random_);
  }

  // Whether an item without a place differs more than the lightest item in its line. If not, updates its cell.
  bool wins_place(const DeltoidItems& items, std::size_t i, std::uint32_t hash, int side) {
    if (even_items_.has(items.keys[i]) && random_.below(kSecondChances) != 0) return false;
    float& cell = cells_[cell_of(hash)];
    const float weight = sign_of(hash) * cell;
    const double row = scales_[side == 0 ? 0 : 1] * items.amounts[i];
    if (in_tail(weight, side, row).ratio() > balanced(lightest(first_line(hash))).ratio()) return true;
    const float label = items.labels[i], step = kCellStep * static_cast<float>(std::min(1.0, row));
    cell += sign_of(hash) * step * label / static_cast<float>(1 + exp_same_everywhere(label * weight));
    return false;
  }

  // Evicts an item. If it has a free place in its other line, it moves there instead. So an evicted item never finds a
  // free place later.
  void evict(std::uint32_t slot) {
    const std::uint32_t free = free_place(mix(keys_[slot], seeds_));
    if (free != kNone) {
      keys_[free] = keys_[slot];
      slots_.move(slot, free);
      if (named()) names_.set(free, names_.get(slot), names_.shortened(slot));
      return;
    }
    lost_ = 1;
    if (is_even(balanced(slot))) even_items_.add(keys_[slot], random_);
    const PairCount count = slots_.count(slot, {});
    bounds_.add(keys_[slot], {count.amounts[0] + count.rounding[0], count.amounts[1] + count.rounding[1]});
  }
  void begin(std::uint32_t slot, const DeltoidItems& items, std::size_t i, const Amounts& missed) {
    keys_[slot] = items.keys[i];
    slots_.begin(slot, missed);
    if (named()) names_.set(slot, items.named ? items.name(i) : std::string());
    ++n_tried_;
  }

  // Counts in units of rows of the shorter stream, with one row added to each (the prior).
  struct Balanced {
    double a, b;
    double ratio() const { return a > b ? a / b : b / a; }  // exp(|weight|)
  };
  Balanced balanced(std::uint32_t slot) const {
    return {1 + scales_[0] * slots_.amount(slot, 0), 1 + scales_[1] * slots_.amount(slot, 1)};
  }
  // Whether an item with enough rows shows no significant difference.
  static bool is_even(const Balanced& count) {
    return count.a + count.b >= kEnough && std::log(count.ratio()) < kSurely * std::sqrt(1 / count.a + 1 / count.b);
  }
  // the counts that match the weight of the cell, plus this row
  static Balanced in_tail(double weight, int side, double row) {
    return {exp_same_everywhere(std::max(0.0, weight)) + (side == 0 ? row : 0.0),
            exp_same_everywhere(std::max(0.0, -weight)) + (side == 0 ? 0.0 : row)};
  }

  std::uint32_t lightest(std::uint32_t line) const {  // requires a full line
    std::uint32_t found = line * kWays;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t slot = found; slot < (line + 1) * kWays; ++slot) {
      const double ratio = balanced(slot).ratio();
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
    return !joined_ && has_free_place(hash) ? Amounts{} : bounds_.most(key);
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
  bool named() const { return shape_.name_bytes > 0; }
  std::uint32_t first_line(std::uint32_t hash) const { return bucket_of(second_hash(hash), shape_.lines); }
  std::uint32_t second_line(std::uint32_t hash) const {
    const std::uint32_t second = second_hash(hash);
    return bucket_of(second_hash(second ^ second >> 15), shape_.lines);
  }
  std::uint32_t cell_of(std::uint32_t hash) const { return bucket_of(hash, shape_.lines); }
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
  std::vector<float> cells_;
  FadingSet even_items_;
  PairBounds bounds_;
  NameArena names_;
  DistinctCounter distinct_;
  std::array<double, 2> scales_{};  // weight of an amount of 1 in each stream
  std::uint64_t n_tried_ = 0;       // how often an item entered the set
  std::uint8_t lost_ = 0;           // whether an item was not counted or was evicted
  bool sealed_ = false;             // only reserved items are counted
  std::uint8_t joined_ = 0;         // after a merge, a free place no longer means that an item was never seen
};

}  // namespace wmsketch
