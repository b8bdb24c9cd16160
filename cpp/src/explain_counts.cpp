#include "wmsketch/apps/explain_counts.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>

namespace wmsketch {
namespace {

enum State : std::uint32_t { free_slot, kept, heavy };

std::size_t index_size(std::uint32_t capacity) { return std::bit_ceil(std::size_t{2} * capacity); }

}  // namespace

std::size_t AttributeCounts::least_bytes(std::uint32_t capacity) {
  return capacity * sizeof(Slot) + index_size(capacity) * sizeof(std::uint32_t) + kDepth * kLeastWidth * sizeof(Cell) +
         Hasher::bytes_for(HashFamily::mixer, kDepth, 0);
}

AttributeCounts::AttributeCounts(std::uint32_t capacity, std::size_t bytes, std::uint64_t seed)
    : hasher_(HashFamily::mixer, kDepth, seed), slots_(capacity), index_(index_size(capacity), kNone) {
  if (bytes < least_bytes(capacity))
    throw std::invalid_argument("counting " + std::to_string(capacity) + " keys takes at least " +
                                std::to_string(least_bytes(capacity)) + " bytes, got " + std::to_string(bytes));
  const std::size_t spare = bytes - least_bytes(capacity);
  width_ = kLeastWidth + static_cast<std::uint32_t>(spare / (kDepth * sizeof(Cell)));
  cells_.resize(std::size_t{kDepth} * width_);
}

std::uint32_t AttributeCounts::find(Key key) const {
  const std::size_t mask = index_.size() - 1;
  for (std::size_t at = hasher_.hash(0, key) & mask;; at = (at + 1) & mask) {
    const std::uint32_t slot = index_[at];
    if (slot == kNone || slots_[slot].key == key) return slot;
  }
}

void AttributeCounts::index(std::uint32_t slot) {
  const std::size_t mask = index_.size() - 1;
  std::size_t at = hasher_.hash(0, slots_[slot].key) & mask;
  while (index_[at] != kNone) at = (at + 1) & mask;
  index_[at] = slot;
}

void AttributeCounts::rebuild_index() {
  std::fill(index_.begin(), index_.end(), kNone);
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot)
    if (slots_[slot].state != free_slot) index(slot);
}

std::uint32_t AttributeCounts::track_new(Key key) {
  while (first_free_ < slots_.size() && slots_[first_free_].state != free_slot) ++first_free_;
  if (first_free_ == slots_.size()) return kNone;
  slots_[first_free_] = {key, kept, 0, 0, 0, 0};
  index(first_free_);
  return first_free_;
}

void AttributeCounts::add_to_sketch(Key key, float outliers, float inliers) {
  for (std::uint32_t row = 0; row < kDepth; ++row) {
    Cell& cell = cells_[std::size_t{row} * width_ + bucket_of(hasher_.hash(row, key), width_)];
    cell.outliers += outliers;
    cell.inliers += inliers;
  }
}

void AttributeCounts::count(const AttributeBlock& block) {
  for (std::size_t row = 0; row < block.size(); ++row) {
    const bool outlier = block.labels[row] > 0;
    const float amount = block.amounts.empty() ? 1.0f : block.amounts[row];
    const auto end = static_cast<std::size_t>(block.starts[row + 1]);
    for (auto i = static_cast<std::size_t>(block.starts[row]); i < end; ++i) {
      std::uint32_t slot = find(block.keys[i]);
      if (slot == kNone) slot = track_new(block.keys[i]);
      if (slot == kNone)
        add_to_sketch(block.keys[i], outlier ? amount : 0, outlier ? 0 : amount);
      else
        (outlier ? slots_[slot].outliers : slots_[slot].inliers) += amount;
    }
  }
}

std::vector<AttributeCounts::Noise> AttributeCounts::noise() const {
  std::vector<Noise> found(kDepth);
  std::vector<float> values(width_);
  for (const auto member : {&Cell::outliers, &Cell::inliers})
    for (std::uint32_t row = 0; row < kDepth; ++row) {
      for (std::uint32_t i = 0; i < width_; ++i) values[i] = cells_[std::size_t{row} * width_ + i].*member;
      std::sort(values.begin(), values.end());
      found[row].typical.*member = values[width_ / 2];
      found[row].large.*member = values[width_ - 1 - width_ / 10];
    }
  return found;
}

AttributeCounts::Cell AttributeCounts::estimate(Key key, std::span<const Noise> noise) const {
  Cell least{std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()};
  for (std::uint32_t row = 0; row < kDepth; ++row) {
    const Cell& cell = cells_[std::size_t{row} * width_ + bucket_of(hasher_.hash(row, key), width_)];
    for (const auto member : {&Cell::outliers, &Cell::inliers}) {
      const bool stands_out = cell.*member > noise[row].large.*member;
      least.*member = std::min(least.*member, stands_out ? cell.*member - noise[row].typical.*member : 0.0f);
    }
  }
  return least;
}

void AttributeCounts::track(std::span<const Key> keys) {
  for (Slot& slot : slots_) slot.state = slot.state == free_slot ? free_slot : kept;
  std::vector<Key> fresh;
  for (const Key key : keys) {
    const std::uint32_t slot = find(key);
    if (slot == kNone)
      fresh.push_back(key);
    else
      slots_[slot].state = heavy;
  }
  if (fresh.empty()) return;
  // free slots first, then those of the rarest keys that are not heavy: what is frequent would blur the sketch
  std::vector<std::uint32_t> places;
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot)
    if (slots_[slot].state != heavy) places.push_back(slot);
  const std::size_t n = std::min(places.size(), fresh.size());
  std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(n), places.end(),
                    [&](std::uint32_t left, std::uint32_t right) {
                      const Slot &a = slots_[left], &b = slots_[right];
                      return std::tuple(a.state, a.outliers + a.inliers, a.key) <
                             std::tuple(b.state, b.outliers + b.inliers, b.key);
                    });
  const std::vector<Noise> blur = noise();
  for (std::size_t i = 0; i < n; ++i) {
    Slot& slot = slots_[places[i]];
    // counts of a key that is let go live on in the sketch, beside what was there before it was tracked
    if (slot.state == kept)
      add_to_sketch(slot.key, static_cast<float>(slot.outliers), static_cast<float>(slot.inliers));
    const Cell before = estimate(fresh[i], blur);
    slot = {fresh[i], heavy, 0, 0, before.outliers, before.inliers};
  }
  rebuild_index();
}

AttributeCounts::Count AttributeCounts::of(Key key) const {
  const std::uint32_t at = find(key);
  if (at == kNone) return {};
  const Slot& slot = slots_[at];
  return {slot.outliers + slot.outliers_before, slot.inliers + slot.inliers_before, slot.outliers_before,
          slot.inliers_before};
}

std::size_t AttributeCounts::nbytes() const {
  return slots_.size() * sizeof(Slot) + index_.size() * sizeof(std::uint32_t) + cells_.size() * sizeof(Cell) +
         hasher_.nbytes();
}

}  // namespace wmsketch
