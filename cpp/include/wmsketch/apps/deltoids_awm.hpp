// The AWM-Sketch for examples of one item each.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "wmsketch/apps/deltoids_memory.hpp"
#include "wmsketch/apps/deltoids_methods.hpp"
#include "wmsketch/apps/deltoids_slots.hpp"

namespace wmsketch {

// With one item in each example the best weight of an item is known in closed form: the log ratio of its counts. So the
// active set holds the counts, and they are the answer's evidence at once. The tail is cells of weights, as ever; they
// say which other items may be worth a place. The set is lines of eight items; to each belong a cell and 64 bits of a
// memory of items that gave way when they were known to be even. Without it frequent items would come back with every
// burst, looking uneven until their burst is over.
class AwmDeltoids final : public DeltoidMethod {
 public:
  static constexpr std::uint32_t kWays = 8;

  AwmDeltoids(std::uint32_t lines, std::size_t name_bytes, bool weighted, std::uint64_t seed)
      : random_(seed),
        seeds_(random_seeds()),
        lines_(lines),
        keys_(std::size_t{lines} * kWays),
        slots_(lines * kWays, name_bytes > 0, weighted),
        cells_(lines),
        known_(lines, random_seeds()),
        names_(name_bytes > 0 ? lines * kWays : 0, name_bytes) {}

  void learn(DeltoidItems& items, const DeltoidTotals& totals) override {
    slots_.see(items.before, items.alone != alone_);
    alone_ = items.alone;
    scales_ = totals.scales({});
    for (std::size_t i = 0; i < items.size(); ++i)
      if (items.amounts[i] >= 0) learn_one(items, i);
  }

  std::vector<DeltoidRow> rows(const DeltoidTotals& totals) const override {
    std::vector<DeltoidRow> rows;
    for (std::uint32_t slot = 0; slot < slots_.capacity(); ++slot) {
      if (!slots_.used(slot)) continue;
      const PairCount count = slots_.count(slot, totals);
      const double weight = count.log_ratio(totals), spread = kDeviations * std::sqrt(count.variance(totals));
      const bool named = names_.entries() > 0;
      rows.push_back({keys_[slot], named ? names_.get(slot) : std::string(), named && names_.shortened(slot), weight,
                      weight - spread, weight + spread, count});
    }
    return rows;
  }

  double weight(Key key, const DeltoidTotals& totals) const override {
    const std::uint32_t hash = mix(key, seeds_), slot = find(key, hash);
    if (slot != kNone) return slots_.count(slot, totals).log_ratio(totals);
    // no more than the lightest of its line: else the item would be held
    const std::uint32_t light = lightest(line_of(hash));
    const double most = slots_.used(light) ? std::abs(slots_.count(light, totals).log_ratio(totals)) : 0.0;
    return std::clamp<double>(sign_of(hash) * cells_[cell_of(hash)], -most, most);
  }
  std::uint64_t n_tried() const override { return n_tried_; }
  std::size_t nbytes() const override { return bytes_for(lines_, names_.arena_bytes(), slots_.weighted()); }
  static std::size_t bytes_for(std::uint32_t lines, std::size_t name_bytes, bool weighted) {
    const bool named = name_bytes > 0;
    return std::size_t{lines} * (kWays * sizeof(Key) + sizeof(float)) +
           PairSlots::bytes_for(lines * kWays, named, weighted) + FadingSet::bytes_for(lines) +
           NameArena::bytes_for(named ? lines * kWays : 0, name_bytes) + sizeof(Random) + sizeof(MixerSeeds) +
           sizeof scales_ + sizeof n_tried_;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  static constexpr double kEnough = 6, kSurely = 2;    // rows, with those added; deviations
  static constexpr std::uint32_t kSecondChances = 64;  // one in so many rows of a known item is let through
  static constexpr float kCellStep = 0.6f;

  void learn_one(DeltoidItems& items, std::size_t i) {
    const Key key = items.keys[i];
    const int side = items.labels[i] > 0 ? 0 : 1;
    const std::uint32_t hash = mix(key, seeds_);
    std::uint32_t slot = find(key, hash);
    if (slot == kNone) {
      if (known_.has(key) && random_.below(kSecondChances) != 0) return;
      slot = lightest(line_of(hash));
      float& cell = cells_[cell_of(hash)];
      const float weight = sign_of(hash) * cell;
      const double row = scales_[side == 0 ? 0 : 1] * items.amounts[i];
      if (slots_.used(slot) && in_tail(weight, side, row).ratio() <= balanced(slot).ratio()) {
        const float label = items.labels[i], step = kCellStep * static_cast<float>(std::min(1.0, row));
        cell += sign_of(hash) * step * label / (1 + std::exp(label * weight));
        return;
      }
      enter(slot, items, i);
    }
    slots_.add(slot, side, items.amounts[i], random_);
  }

  void enter(std::uint32_t slot, const DeltoidItems& items, std::size_t i) {
    if (slots_.used(slot) && is_even(balanced(slot))) known_.add(keys_[slot], random_);
    keys_[slot] = items.keys[i];
    slots_.begin(slot);
    if (names_.entries() > 0) names_.set(slot, items.named ? items.name(i) : std::string());
    ++n_tried_;
  }

  // Counts of both streams in rows of the shorter one, with one row added to each.
  struct Balanced {
    double a, b;
    double ratio() const { return a > b ? a / b : b / a; }  // e to the |weight|
  };
  Balanced balanced(std::uint32_t slot) const {
    return {1 + scales_[0] * slots_.amount(slot, 0), 1 + scales_[1] * slots_.amount(slot, 1)};
  }
  // Enough was seen of the item to say so: it does not surely differ.
  static bool is_even(const Balanced& count) {
    return count.a + count.b >= kEnough && std::log(count.ratio()) < kSurely * std::sqrt(1 / count.a + 1 / count.b);
  }
  // of an item that has counts to match the weight of its cell, and this row
  static Balanced in_tail(double weight, int side, double row) {
    return {std::exp(std::max(0.0, weight)) + (side == 0 ? row : 0.0),
            std::exp(std::max(0.0, -weight)) + (side == 0 ? 0.0 : row)};
  }

  std::uint32_t lightest(std::uint32_t line) const {
    std::uint32_t found = line * kWays;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t slot = found; slot < (line + 1) * kWays; ++slot) {
      if (!slots_.used(slot)) return slot;
      const double ratio = balanced(slot).ratio();
      if (ratio < least) {
        least = ratio;
        found = slot;
      }
    }
    return found;
  }
  std::uint32_t find(Key key, std::uint32_t hash) const {
    const std::uint32_t first = line_of(hash) * kWays;
    for (std::uint32_t slot = first; slot < first + kWays; ++slot)
      if (keys_[slot] == key && slots_.used(slot)) return slot;
    return kNone;
  }
  std::uint32_t line_of(std::uint32_t hash) const { return bucket_of(second_hash(hash), lines_); }
  std::uint32_t cell_of(std::uint32_t hash) const { return bucket_of(hash, lines_); }
  MixerSeeds random_seeds() {
    const std::uint64_t bits = random_.next();
    return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
  }

  Random random_;
  MixerSeeds seeds_;
  std::uint32_t lines_;
  std::vector<Key> keys_;
  PairSlots slots_;
  std::vector<float> cells_;
  FadingSet known_;
  NameArena names_;
  std::array<double, 2> scales_{};  // what a row of each stream counts for
  bool alone_ = false;
  std::uint64_t n_tried_ = 0;  // how often counting an item began
};

}  // namespace wmsketch
