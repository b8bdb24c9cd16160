// AWM-Sketch with step sizes of their own for heavy keys and cells, in the bytes of the plain one or fewer: a slot is a
// 20-bit weight and a 12-bit sum of squared gradients where a 32-bit weight stood, and a cell the same in 16 bits, so
// there are twice as many. A cell is a slot without a name: a key that enters takes both numbers along and leaves an
// empty cell, and one that is evicted puts both into its own.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "wmsketch/data/aligned.hpp"
#include "wmsketch/rule/merge.hpp"
#include "wmsketch/sets/active_set.hpp"
#include "wmsketch/slots/half.hpp"
#include "wmsketch/stores/store.hpp"

namespace wmsketch {

static_assert(std::endian::native == std::endian::little, "slots are read as a weight above its squares");

class AdaptiveAwmStore {
 public:
  static constexpr bool kNeedsUniqueKeys = true;
  static constexpr bool kAdaptive = true;

  explicit AdaptiveAwmStore(const StoreConfig& config)
      : hasher_(config.hash_family, 1, config.seed, config.independence),
        lines_(config.active_set_size / kWays),
        width_(config.width),
        cells_at_(lines_ * kLineHalves),
        halves_(std::size_t{cells_at_} + width_, 0),
        names_(config.named_entries(), config.name_bytes) {
    crowded_line_ = line_of(hasher_.hash(0, kEmpty));
    while (line_of(hasher_.hash(0, other_empty_)) == crowded_line_) --other_empty_;
    for (std::uint32_t slot = 0; slot < capacity(); ++slot) set_key(slot, empty_key(slot / kWays));
  }

  std::uint32_t capacity() const { return lines_ * kWays; }

  float dot(const SparseRow& x, float threshold, Scratch& s) const {
    s.fit(x.size);
    hasher_.hash_all(0, x.keys, x.size, s.hash.data());
    const HalfBuffer buffer{halves_.data(), lines_, width_, unit_};
    s.row = kernels().locate_halves(buffer, x.keys, x.values, x.size, s.located_halves());
    if (threshold == 0.0f) return s.row.dot;
    for (std::size_t i = 0; i < x.size; ++i) s.estimate[i] = soften(s.raw[i], threshold);
    return kernels().dot(s.estimate.data(), s.signed_value.data(), x.size);
  }

  static const Energy& energy_of(const Scratch& s) { return s.row.energy; }  // after `dot`

  // All weights step, then those of the tail that have become heavy enough enter, heaviest first.
  void add(const SparseRow& x, const AdaptiveStep& step, Scratch& s) {
    if (s.row.any_tail == 0) return kernels().step_slots(halves_.data(), x.size, step, s.located_halves());
    if (unit_ == 0) unit_ = step.unit();
    const CellsOfHalves cells{cells_at_, unit_};
    const std::size_t found = kernels().step_halves(halves_.data(), cells, x.size, step, s.located_halves());
    if (found > 1) sort_heaviest_first(s, found);
    for (std::size_t c = 0; c < found; ++c) try_to_enter(x, s.candidates[c], step, s);
    count_in(step.unit());
  }

  void multiply(float factor) {
    for (std::uint32_t slot = 0; slot < capacity(); ++slot)
      set_slot(slot, PackedSlot::nearest(factor * weight(slot), squares(slot)));
    for (std::uint16_t& cell : cells())
      cell = PackedCell::nearest(factor * PackedCell::weight(cell), PackedCell::squares(cell));
  }
  void multiply_squares(float factor) {
    for (std::uint32_t slot = 0; slot < capacity(); ++slot)
      set_slot(slot, PackedSlot::nearest(weight(slot), factor * squares(slot)));
    unit_ *= factor;
  }

  float raw(Key key) const {
    const std::uint32_t hash = hasher_.hash(0, key), slot = find(key, hash);
    if (slot != kNotActive) return weight(slot);
    return sign_of(hash) * PackedCell::weight(cell_of(hash));
  }
  double noise() const {
    double energy = 0;
    for (const std::uint16_t cell : cells()) energy += double{PackedCell::weight(cell)} * PackedCell::weight(cell);
    return std::sqrt(energy / width_);
  }

  // The factors are measured (experiments/error_bars.py). A key enters by beating the lightest of its line, so that
  // what let it in may be noise up to that weight; the cells' noise disturbs all that is learned, and the other keys'
  // errors a part of it. A key of the tail may have been about to enter, and the unlimited learner steps further with
  // it.
  float own_squares(Key key) const {  // 0: they are not its own
    const std::uint32_t slot = find(key, hasher_.hash(0, key));
    return slot == kNotActive ? 0.0f : squares(slot);
  }
  double deviation(Key key, double noise, const StepsTaken& steps) const {
    const std::uint32_t hash = hasher_.hash(0, key), slot = find(key, hash);
    const double lightest = std::abs(weight(lightest_slot(line_of(hash))));
    if (slot == kNotActive) return std::hypot(1.65 * noise, 0.25 * lightest, steps.first / steps.scale);
    if (steps.newton) {  // the squares are the weight's information
      const double information = steps.squares_scale * squares(slot) + AdaptiveStep::kNewtonPrior;
      return 1 / (std::sqrt(information) * steps.scale);
    }
    return std::hypot(lightest, 1.2 * noise, 0.05 * weight(slot));
  }
  float largest_cell() const {
    float most = 0;
    for (const std::uint16_t cell : cells()) most = std::max(most, std::abs(PackedCell::weight(cell)));
    return most;
  }

  template <class Visit>
  void for_each_heavy(Visit visit) const {
    for (std::uint32_t slot = 0; slot < capacity(); ++slot)
      if (occupied(slot)) visit(HeavyKey{key(slot), weight(slot), slot});
  }
  bool is_heavy(Key key) const { return find(key, hasher_.hash(0, key)) != kNotActive; }
  const NameArena& names() const { return names_; }
  NameArena& names() { return names_; }
  const Hasher& hasher() const { return hasher_; }

  // Of a key that has a slot on any side, those answer that have one. A key that finds no place is averaged with what
  // stands in its cell.
  void merge(std::span<const AdaptiveAwmStore* const> stores, const MergePlan& plan) {
    for (const AdaptiveAwmStore* store : stores) {
      require_same("active_set_size", capacity(), store->capacity());
      require_same("width", width_, store->width_);
    }
    std::vector<MergedKey> keys = keys_of_all(stores.first(plan.size()));
    for (MergedKey& one : keys) {
      const MergeReading merged = plan.merged([&](std::size_t i) { return stores[i]->reading(one.key); });
      one.weight = merged.weight;
      one.squares = merged.squares;
      one.priority = std::abs(one.weight);
    }
    merge_cells(stores, plan);
    for (std::uint32_t slot = 0; slot < capacity(); ++slot) place(slot, empty_key(slot / kWays), 0);
    wmsketch::sort_heaviest_first(keys);
    for (MergedKey& one : keys) {
      const std::uint32_t slot = lightest_slot(line_of(hasher_.hash(0, one.key)));
      if (occupied(slot)) continue;
      place(slot, one.key, PackedSlot::nearest(one.weight, one.squares));
      one.slot = slot;
    }
    for (auto one = keys.rbegin(); one != keys.rend(); ++one)
      if (one->slot == kNoSlot) average_into_cell(*one, plan.prior);
    deal_names(names_, keys);
  }
  bool rescale(Key key, float factor) {  // false: the key has no slot
    const std::uint32_t slot = find(key, hasher_.hash(0, key));
    if (slot == kNotActive) return false;
    set_slot(slot, PackedSlot::nearest(factor * weight(slot), squares(slot) / (factor * factor)));
    return true;
  }
  void shift(Key key, float amount) {  // of a key that has a slot
    const std::uint32_t slot = find(key, hasher_.hash(0, key));
    if (slot != kNotActive) set_slot(slot, PackedSlot::nearest(weight(slot) + amount, squares(slot)));
  }

  static std::size_t bytes_for(const StoreConfig& config) {
    return sizeof unit_ + std::size_t{config.active_set_size} * 8 + std::size_t{config.width} * sizeof(std::uint16_t) +
           Hasher::bytes_for(config.hash_family, 1, config.independence) + config.names_nbytes();
  }
  std::size_t nbytes() const {
    return sizeof unit_ + halves_.size() * sizeof(std::uint16_t) + hasher_.nbytes() + names_.nbytes();
  }
  std::size_t paper_bytes() const { return 12 * std::size_t{capacity()} + 4 * std::size_t{width_}; }

  void archive(Archive& archive) {
    std::vector<Key> keys(capacity());
    std::vector<std::uint32_t> slots(capacity());
    for (std::uint32_t slot = 0; slot < capacity(); ++slot) {
      keys[slot] = key(slot);
      slots[slot] = this->slot(slot);
    }
    archive.fixed("active_keys", keys.data(), keys.size());
    archive.fixed("active_slots", slots.data(), slots.size());
    archive.fixed("cells", halves_.data() + cells_at_, width_);
    archive.value("unit_of_squares", unit_);
    archive_names(archive, names_);
    if (!archive.loading()) return;
    for (std::uint32_t slot = 0; slot < capacity(); ++slot) {
      place(slot, keys[slot], slots[slot]);
      require_state(!occupied(slot) || line_of(hasher_.hash(0, keys[slot])) == slot / kWays,
                    "an active key stands where it cannot be found");
      require_state(std::isfinite(weight(slot)) && std::isfinite(squares(slot)),
                    "a weight or its squares are not finite");
    }
    require_state(unit_ >= 0 && std::isfinite(unit_), "the unit of the cells' sums is negative or not finite");
  }

 private:
  static constexpr Key kEmpty = 0xffffffffu;

  // An empty place holds a key of another line: no lookup can mistake it for its own.
  Key empty_key(std::uint32_t line) const { return line == crowded_line_ ? other_empty_ : kEmpty; }
  std::uint32_t line_of(std::uint32_t hash) const { return bucket_of(second_hash(hash), lines_); }
  static std::size_t key_at(std::uint32_t slot) { return std::size_t{slot} / kWays * kLineHalves + 2 * (slot % kWays); }
  static std::size_t slot_at(std::uint32_t slot) { return key_at(slot) + 2 * kWays; }

  Key key(std::uint32_t slot) const {
    Key key;
    std::memcpy(&key, &halves_[key_at(slot)], sizeof key);
    return key;
  }
  void set_key(std::uint32_t slot, Key key) { std::memcpy(&halves_[key_at(slot)], &key, sizeof key); }
  std::uint32_t slot(std::uint32_t number) const {
    std::uint32_t slot;
    std::memcpy(&slot, &halves_[slot_at(number)], sizeof slot);
    return slot;
  }
  void set_slot(std::uint32_t number, std::uint32_t slot) {
    std::memcpy(&halves_[slot_at(number)], &slot, sizeof slot);
  }
  float weight(std::uint32_t number) const { return PackedSlot::weight(slot(number)); }
  float squares(std::uint32_t number) const { return PackedSlot::squares(slot(number)); }
  bool occupied(std::uint32_t slot) const { return key(slot) != empty_key(slot / kWays); }
  std::uint32_t find(Key wanted, std::uint32_t hash) const {
    const std::uint32_t first = line_of(hash) * kWays;
    for (std::uint32_t slot = first; slot < first + kWays; ++slot)
      if (key(slot) == wanted) return slot;
    return kNotActive;
  }
  MergeReading reading(Key key) const {
    const std::uint32_t hash = hasher_.hash(0, key), slot = find(key, hash);
    if (slot != kNotActive) return {weight(slot), squares(slot)};
    const std::uint16_t cell = cell_of(hash);
    return {sign_of(hash) * PackedCell::weight(cell), unit_ * PackedCell::squares(cell), false};
  }
  std::uint32_t lightest_slot(std::uint32_t line) const {
    std::uint32_t lightest = line * kWays;
    for (std::uint32_t slot = lightest + 1; slot < (line + 1) * kWays; ++slot)
      if (std::abs(weight(slot)) < std::abs(weight(lightest))) lightest = slot;
    return lightest;
  }
  void place(std::uint32_t number, Key key, std::uint32_t slot) {
    set_key(number, key);
    set_slot(number, slot);
  }

  std::span<std::uint16_t> cells() { return {halves_.data() + cells_at_, width_}; }
  std::span<const std::uint16_t> cells() const { return {halves_.data() + cells_at_, width_}; }
  std::uint16_t& cell_of(std::uint32_t hash) { return halves_[cells_at_ + bucket_of(hash, width_)]; }
  std::uint16_t cell_of(std::uint32_t hash) const { return halves_[cells_at_ + bucket_of(hash, width_)]; }

  // The cells' sums have four bits: their unit follows the stream's gradients, at a distance.
  void count_in(float wanted) {
    if (wanted <= kFarUnits * unit_ && unit_ <= kFarUnits * wanted) return;
    const float factor = unit_ / wanted;
    for (std::uint16_t& cell : cells())
      cell = PackedCell::nearest(PackedCell::weight(cell), factor * PackedCell::squares(cell));
    unit_ = wanted;
  }
  // With a base: cells have few bits, and whose did not change knows nothing since; those that did are averaged.
  void merge_cells(std::span<const AdaptiveAwmStore* const> stores, const MergePlan& plan) {
    unit_ = 0;
    for (std::size_t i = 0; i < stores.size(); ++i)
      unit_ = std::max(unit_, static_cast<float>(plan.sides[i].squares_scale) * stores[i]->unit_);
    const float per_unit = unit_ > 0 ? 1 / unit_ : 0;
    for (std::uint32_t c = 0; c < width_; ++c) {
      const auto read = [&](std::size_t i) {
        const std::uint16_t cell = stores[i]->cells()[c];
        const bool known = !plan.based || cell != stores.back()->cells()[c];
        return MergeReading{PackedCell::weight(cell), stores[i]->unit_ * PackedCell::squares(cell), known};
      };
      const MergeReading merged = plan.based ? plan.averaged(read) : plan.merged(read);
      cells()[c] = PackedCell::nearest(merged.weight, per_unit * merged.squares);
    }
  }
  void average_into_cell(const MergedKey& one, double prior) {
    const std::uint32_t hash = hasher_.hash(0, one.key);
    std::uint16_t& cell = cell_of(hash);
    const double known = double{unit_} * PackedCell::squares(cell), own = one.squares + prior;
    const double weight = known * PackedCell::weight(cell) + own * (sign_of(hash) * one.weight);
    const float squares = std::max(PackedCell::squares(cell), unit_ > 0 ? one.squares / unit_ : 0);
    cell = PackedCell::nearest(static_cast<float>(known + own > 0 ? weight / (known + own) : 0), squares);
  }

  static void sort_heaviest_first(Scratch& s, std::size_t found) {
    std::sort(s.candidates.begin(), s.candidates.begin() + static_cast<std::ptrdiff_t>(found),
              [&](std::uint32_t a, std::uint32_t b) {
                const float left = std::abs(s.stepped[a]), right = std::abs(s.stepped[b]);
                return left > right || (left == right && a < b);
              });
  }

  void try_to_enter(const SparseRow& x, std::uint32_t i, const AdaptiveStep& step, const Scratch& s) {
    const std::uint32_t slot = lightest_slot(line_of(s.hash[i]));
    if (!(std::abs(s.stepped[i]) > std::abs(weight(slot)))) return;
    const float gradient = step.gradient * s.signed_value[i], sum = s.squares[i] + step.square_of(gradient);
    float entering = s.stepped[i];
    halves_[s.word[i]] = 0;
    if (occupied(slot))
      put_into_cell(slot, step);
    else  // by the step of a heavy key: as long as all keys find room, this is the unlimited learner
      entering = s.raw[i] - (step.rate_for(sum) * gradient) * step.per_scale;
    place(slot, x.keys[i], PackedSlot::nearest(sign_of(s.hash[i]) * entering, sum));
    remember_name(names_, slot, x, i);
  }
  void put_into_cell(std::uint32_t slot, const AdaptiveStep& step) {
    const std::uint32_t hash = hasher_.hash(0, key(slot)), random = mix(hash, {step.seed_low, step.seed_high});
    cell_of(hash) = PackedCell::rounded_at_random(sign_of(hash) * weight(slot), squares(slot) / unit_, random);
  }

  static constexpr float kFarUnits = 8;

  Hasher hasher_;
  std::uint32_t lines_, width_, cells_at_, crowded_line_ = 0;
  Key other_empty_ = kEmpty - 1;
  std::vector<std::uint16_t, LineAllocator<std::uint16_t>> halves_;  // lines of keys and slots, then the cells
  NameArena names_;
  float unit_ = 0;  // of the cells' sums of squares, raw
};

}  // namespace wmsketch
