// AWM-Sketch with a step size for each heavy key, in the bytes of the plain one or fewer: a slot is a 20-bit weight and
// a 12-bit sum of squared gradients where a 32-bit weight stood, and a cell has 16 bits, so there are twice as many.
// All cells share one step size, from the mean of their squares. A key that is evicted is dropped, and one that enters
// starts with the square of this example's gradient.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "wmsketch/active_set.hpp"
#include "wmsketch/aligned.hpp"
#include "wmsketch/half.hpp"
#include "wmsketch/merge.hpp"
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
        per_cell_(1.0f / static_cast<float>(width_)),
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
    const RowSums sums =
        kernels().locate_halves({halves_.data(), lines_, width_}, x.keys, x.values, x.size, s.located_halves());
    s.tail_energy = sums.tail_energy;
    if (threshold == 0.0f) return sums.dot;
    for (std::size_t i = 0; i < x.size; ++i) s.estimate[i] = soften(s.raw[i], threshold);
    return kernels().dot(s.estimate.data(), s.signed_value.data(), x.size);
  }

  // As AwmStore::add: active weights step, then candidates enter heaviest first, then the rest of the tail steps.
  void add(const SparseRow& x, const AdaptiveStep& step, Scratch& s) {
    tail_squares_ += double{step.gradient} * step.gradient * s.tail_energy;
    const float tail_step = step.tail_step(static_cast<float>(tail_squares_) * per_cell_);
    const TailSteps tail{tail_step, step.entering_step(tail_step)};
    const std::size_t found = kernels().step_halves(halves_.data(), cells_at_, x.size, step, tail, s.located_halves());
    for (std::size_t c = 0; c < found; ++c) {
      const std::uint32_t i = s.candidates[c];
      s.entering[i] = sign_of(s.hash[i]) * (s.raw[i] + tail.entering * s.signed_value[i]);
    }
    if (found > 1) sort_heaviest_first(s, found);
    for (std::size_t c = 0; c < found; ++c) {
      const std::uint32_t i = s.candidates[c];
      if (!try_to_enter(x, i, s)) step_cell(s.word[i], tail.staying * s.signed_value[i], s.random[i]);
    }
  }

  void multiply(float factor) {
    for (std::uint32_t slot = 0; slot < capacity(); ++slot)
      set_slot(slot, PackedSlot::nearest(factor * weight(slot), squares(slot)));
    for (std::size_t i = cells_at_; i < halves_.size(); ++i)
      halves_[i] = nearest_half(factor * float_of_half(halves_[i]));
  }
  void multiply_squares(float factor) {
    for (std::uint32_t slot = 0; slot < capacity(); ++slot)
      set_slot(slot, PackedSlot::nearest(weight(slot), factor * squares(slot)));
    tail_squares_ *= factor;
  }

  float raw(Key key) const {
    const std::uint32_t hash = hasher_.hash(0, key), slot = find(key, hash);
    if (slot != kNotActive) return weight(slot);
    return sign_of(hash) * float_of_half(halves_[cells_at_ + bucket_of(hash, width_)]);
  }
  double noise() const {
    double energy = 0;
    for (std::size_t i = cells_at_; i < halves_.size(); ++i)
      energy += double{float_of_half(halves_[i])} * float_of_half(halves_[i]);
    return std::sqrt(energy / width_);
  }

  // The factors are measured (experiments/error_bars.py). A key enters by beating the lightest of its line, so that
  // what let it in may be noise up to that weight; what it has learned since, as its squares tell, makes up for that.
  // The cells' noise disturbs all that is learned, and the other keys' errors a part of it. A key of the tail may have
  // been about to enter, and the unlimited learner steps further with it.
  double deviation(Key key, double noise, const StepsTaken& steps) const {
    const std::uint32_t hash = hasher_.hash(0, key), slot = find(key, hash);
    const double lightest = std::abs(weight(lightest_slot(line_of(hash))));
    if (slot == kNotActive) return std::hypot(1.65 * noise, 0.25 * lightest, steps.first / steps.scale);
    const double with_prior = steps.squares_scale * squares(slot) + steps.prior;
    if (steps.newton) return 1 / (std::sqrt(with_prior) * steps.scale);  // the squares are the weight's information
    const double learned = std::sqrt(with_prior) - std::sqrt(steps.prior);
    return std::hypot(1.2 * lightest * std::exp(-learned / 0.73), 1.67 * noise, 0.043 * weight(slot));
  }
  float largest_cell() const {
    float most = 0;
    for (std::size_t i = cells_at_; i < halves_.size(); ++i) most = std::max(most, std::abs(float_of_half(halves_[i])));
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

  // Averages weights and cells; a kept key's squares add up, for it has seen both streams.
  void merge(const AdaptiveAwmStore& other, MergeShares shares) {
    require_same("active_set_size", capacity(), other.capacity());
    require_same("width", width_, other.width_);
    std::vector<MergedKey> keys = keys_of_both(*this, other);
    std::vector<std::pair<Key, float>> squares;
    for (MergedKey& one : keys) {
      one.weight = shares.average(raw(one.key), other.raw(one.key));
      one.priority = std::abs(one.weight);
      squares.emplace_back(one.key, shares.sum_of_squares(squares_of(one.key), other.squares_of(one.key)));
    }
    for (std::size_t i = cells_at_; i < halves_.size(); ++i)
      halves_[i] = nearest_half(shares.average(float_of_half(halves_[i]), float_of_half(other.halves_[i])));
    for (std::uint32_t slot = 0; slot < capacity(); ++slot) place(slot, empty_key(slot / kWays), 0);
    tail_squares_ = shares.my_squares * tail_squares_ + shares.their_squares * other.tail_squares_;
    wmsketch::sort_heaviest_first(keys);
    for (MergedKey& one : keys) {
      const std::uint32_t slot = lightest_slot(line_of(hasher_.hash(0, one.key)));
      if (occupied(slot)) continue;
      const auto found = std::lower_bound(squares.begin(), squares.end(), std::pair(one.key, -1.0f));
      place(slot, one.key, PackedSlot::nearest(one.weight, found->second));
      one.slot = slot;
    }
    deal_names(names_, keys);
  }

  static std::size_t bytes_for(const StoreConfig& config) {
    return sizeof tail_squares_ + std::size_t{config.active_set_size} * 8 +
           std::size_t{config.width} * sizeof(std::uint16_t) +
           Hasher::bytes_for(config.hash_family, 1, config.independence) + config.names_nbytes();
  }
  std::size_t nbytes() const {
    return sizeof tail_squares_ + halves_.size() * sizeof(std::uint16_t) + hasher_.nbytes() + names_.nbytes();
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
    archive.value("tail_squares", tail_squares_);
    archive_names(archive, names_);
    if (!archive.loading()) return;
    for (std::uint32_t slot = 0; slot < capacity(); ++slot) {
      place(slot, keys[slot], slots[slot]);
      require_state(!occupied(slot) || line_of(hasher_.hash(0, keys[slot])) == slot / kWays,
                    "an active key stands where it cannot be found");
      require_state(std::isfinite(weight(slot)) && std::isfinite(squares(slot)),
                    "a weight or its squares are not finite");
    }
    for (std::size_t i = cells_at_; i < halves_.size(); ++i)
      require_state(std::isfinite(float_of_half(halves_[i])), "a cell is not finite");
    require_state(tail_squares_ >= 0 && std::isfinite(tail_squares_), "a sum of squares is negative or not finite");
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
  float squares_of(Key key) const {
    const std::uint32_t slot = find(key, hasher_.hash(0, key));
    return slot == kNotActive ? 0.0f : squares(slot);
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

  void step_cell(std::uint32_t half, float delta, std::uint32_t random) {
    halves_[half] = half_rounded_at_random(float_of_half(halves_[half]) + delta, random);
  }

  static void sort_heaviest_first(Scratch& s, std::size_t found) {
    std::sort(s.candidates.begin(), s.candidates.begin() + static_cast<std::ptrdiff_t>(found),
              [&](std::uint32_t a, std::uint32_t b) {
                const float left = std::abs(s.entering[a]), right = std::abs(s.entering[b]);
                return left > right || (left == right && a < b);
              });
  }

  bool try_to_enter(const SparseRow& x, std::uint32_t i, const Scratch& s) {
    const std::uint32_t slot = lightest_slot(line_of(s.hash[i]));
    if (!(std::abs(s.entering[i]) > std::abs(weight(slot)))) return false;
    // Into an empty place by the step of a heavy key: as long as all keys find room, this is the unlimited learner.
    const std::uint32_t heavy = s.slots[i] ^ sign_bit_of(s.hash[i]);
    const std::uint32_t light = PackedSlot::nearest(s.entering[i], PackedSlot::squares(s.slots[i]));
    place(slot, x.keys[i], occupied(slot) ? light : heavy);
    remember_name(names_, slot, x, i);
    return true;
  }

  Hasher hasher_;
  std::uint32_t lines_, width_, cells_at_, crowded_line_ = 0;
  float per_cell_;
  Key other_empty_ = kEmpty - 1;
  std::vector<std::uint16_t, LineAllocator<std::uint16_t>> halves_;  // lines of keys and slots, then the cells
  NameArena names_;
  double tail_squares_ = 0;  // of all gradients that fell into cells
};

}  // namespace wmsketch
