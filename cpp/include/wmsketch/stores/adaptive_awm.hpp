// AWM-Sketch with a step size for each heavy key, in the bytes of the plain one or fewer: a slot is a 16-bit weight and
// a 16-bit sum of squared gradients where a 32-bit weight stood, and a cell has 16 bits, so there are twice as many.
// The tail takes plain steps; a key that is evicted is dropped, and one that enters starts with no squares.
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
    kernels().locate_halves({halves_.data(), lines_, width_}, x.keys, x.values, x.size, s.located(), s.squares.data());
    if (threshold == 0.0f) return kernels().dot(s.raw.data(), s.signed_value.data(), x.size);
    for (std::size_t i = 0; i < x.size; ++i) s.estimate[i] = soften(s.raw[i], threshold);
    return kernels().dot(s.estimate.data(), s.signed_value.data(), x.size);
  }

  // As AwmStore::add: active weights step, then candidates enter heaviest first, then the rest of the tail steps.
  void add(const SparseRow& x, const AdaptiveStep& step, Scratch& s) {
    kernels().adapt(s.hash.data(), s.raw.data(), s.squares.data(), s.signed_value.data(), x.size, step, s.slots.data(),
                    s.random.data());
    const std::size_t found = kernels().find_candidates(s.raw.data(), s.signed_value.data(), step.tail_step(),
                                                        s.lightest.data(), x.size, s.delta.data(), s.candidates.data());
    for (std::size_t c = 0; c < found; ++c) {
      const std::uint32_t i = s.candidates[c];
      s.entering[i] = sign_of(s.hash[i]) * (s.raw[i] + s.delta[i]);
      s.raw[i] = s.delta[i];  // held back until it is known whether it enters
      s.delta[i] = 0.0f;
    }
    kernels().write_halves(halves_.data(), cells_at_, s.word.data(), s.slots.data(), s.delta.data(), s.random.data(),
                           x.size);
    if (found > 1) sort_heaviest_first(s, found);
    for (std::size_t c = 0; c < found; ++c) {
      const std::uint32_t i = s.candidates[c];
      if (!try_to_enter(x, i, s)) step_cell(s.word[i], s.raw[i], s.random[i]);
    }
  }

  void multiply(float factor) {
    for (std::uint32_t slot = 0; slot < capacity(); ++slot)
      halves_[weight_at(slot)] = nearest_half(factor * weight(slot));
    for (std::size_t i = cells_at_; i < halves_.size(); ++i)
      halves_[i] = nearest_half(factor * float_of_half(halves_[i]));
  }

  float raw(Key key) const {
    const std::uint32_t hash = hasher_.hash(0, key), slot = find(key, hash);
    if (slot != kNotActive) return weight(slot);
    return sign_of(hash) * float_of_half(halves_[cells_at_ + bucket_of(hash, width_)]);
  }
  double noise(bool) const {
    double energy = 0;
    for (std::size_t i = cells_at_; i < halves_.size(); ++i)
      energy += double{float_of_half(halves_[i])} * float_of_half(halves_[i]);
    return std::sqrt(energy / width_);
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
      squares.emplace_back(one.key, squares_of(one.key) + other.squares_of(one.key));
    }
    for (std::size_t i = cells_at_; i < halves_.size(); ++i)
      halves_[i] = nearest_half(shares.average(float_of_half(halves_[i]), float_of_half(other.halves_[i])));
    for (std::uint32_t slot = 0; slot < capacity(); ++slot) {
      set_key(slot, empty_key(slot / kWays));
      halves_[weight_at(slot)] = halves_[weight_at(slot) - 1] = 0;
    }
    wmsketch::sort_heaviest_first(keys);
    for (MergedKey& one : keys) {
      const std::uint32_t slot = lightest_slot(line_of(hasher_.hash(0, one.key)));
      if (occupied(slot)) continue;
      const auto found = std::lower_bound(squares.begin(), squares.end(), std::pair(one.key, -1.0f));
      place(slot, one.key, nearest_half(one.weight), nearest_half(found->second));
      one.slot = slot;
    }
    deal_names(names_, keys);
  }

  static std::size_t bytes_for(const StoreConfig& config) {
    return std::size_t{config.active_set_size} * 8 + std::size_t{config.width} * sizeof(std::uint16_t) +
           Hasher::bytes_for(config.hash_family, 1, config.independence) + config.names_nbytes();
  }
  std::size_t nbytes() const { return halves_.size() * sizeof(std::uint16_t) + hasher_.nbytes() + names_.nbytes(); }
  std::size_t paper_bytes() const { return 12 * std::size_t{capacity()} + 4 * std::size_t{width_}; }

  void archive(Archive& archive) {
    std::vector<Key> keys(capacity());
    std::vector<std::uint16_t> weights(capacity()), squares(capacity());
    for (std::uint32_t slot = 0; slot < capacity(); ++slot) {
      keys[slot] = key(slot);
      weights[slot] = halves_[weight_at(slot)];
      squares[slot] = halves_[weight_at(slot) - 1];
    }
    archive.fixed("active_keys", keys.data(), keys.size());
    archive.fixed("active_weights", weights.data(), weights.size());
    archive.fixed("active_squares", squares.data(), squares.size());
    archive.fixed("cells", halves_.data() + cells_at_, width_);
    archive_names(archive, names_);
    if (!archive.loading()) return;
    for (std::uint32_t slot = 0; slot < capacity(); ++slot) {
      place(slot, keys[slot], weights[slot], squares[slot]);
      require_state(!occupied(slot) || line_of(hasher_.hash(0, keys[slot])) == slot / kWays,
                    "an active key stands where it cannot be found");
      require_state(float_of_half(squares[slot]) >= 0, "a sum of squares is negative");
    }
    for (std::size_t i = 0; i < halves_.size(); ++i)
      require_state(!is_value(i) || std::isfinite(float_of_half(halves_[i])), "a weight is not finite");
  }

 private:
  static constexpr Key kEmpty = 0xffffffffu;

  // An empty place holds a key of another line: no lookup can mistake it for its own.
  Key empty_key(std::uint32_t line) const { return line == crowded_line_ ? other_empty_ : kEmpty; }
  std::uint32_t line_of(std::uint32_t hash) const { return bucket_of(second_hash(hash), lines_); }
  static std::size_t key_at(std::uint32_t slot) { return std::size_t{slot} / kWays * kLineHalves + 2 * (slot % kWays); }
  static std::size_t weight_at(std::uint32_t slot) { return key_at(slot) + 2 * kWays + 1; }
  bool is_value(std::size_t half) const { return half >= cells_at_ || half % kLineHalves >= 2 * kWays; }

  Key key(std::uint32_t slot) const {
    Key key;
    std::memcpy(&key, &halves_[key_at(slot)], sizeof key);
    return key;
  }
  void set_key(std::uint32_t slot, Key key) { std::memcpy(&halves_[key_at(slot)], &key, sizeof key); }
  float weight(std::uint32_t slot) const { return float_of_half(halves_[weight_at(slot)]); }
  bool occupied(std::uint32_t slot) const { return key(slot) != empty_key(slot / kWays); }
  std::uint32_t find(Key wanted, std::uint32_t hash) const {
    const std::uint32_t first = line_of(hash) * kWays;
    for (std::uint32_t slot = first; slot < first + kWays; ++slot)
      if (key(slot) == wanted) return slot;
    return kNotActive;
  }
  float squares_of(Key key) const {
    const std::uint32_t slot = find(key, hasher_.hash(0, key));
    return slot == kNotActive ? 0.0f : float_of_half(halves_[weight_at(slot) - 1]);
  }
  std::uint32_t lightest_slot(std::uint32_t line) const {
    std::uint32_t lightest = line * kWays;
    for (std::uint32_t slot = lightest + 1; slot < (line + 1) * kWays; ++slot)
      if (std::abs(weight(slot)) < std::abs(weight(lightest))) lightest = slot;
    return lightest;
  }
  void place(std::uint32_t slot, Key key, std::uint16_t weight, std::uint16_t squares) {
    set_key(slot, key);
    halves_[weight_at(slot)] = weight;
    halves_[weight_at(slot) - 1] = squares;
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
    place(slot, x.keys[i], half_rounded_at_random(s.entering[i], s.random[i]), 0);
    remember_name(names_, slot, x, i);
    return true;
  }

  Hasher hasher_;
  std::uint32_t lines_, width_, cells_at_, crowded_line_ = 0;
  Key other_empty_ = kEmpty - 1;
  std::vector<std::uint16_t, LineAllocator<std::uint16_t>> halves_;  // lines of keys and slots, then the cells
  NameArena names_;
};

}  // namespace wmsketch
