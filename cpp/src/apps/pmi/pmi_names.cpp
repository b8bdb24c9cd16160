#include "wmsketch/apps/pmi/pmi_names.hpp"

#include <algorithm>
#include <bit>

#include "wmsketch/data/hashing.hpp"
#include "wmsketch/stores/archive_names.hpp"

namespace wmsketch {

ItemNames::ItemNames(std::uint32_t capacity, std::size_t name_bytes)
    : keys_(capacity), used_(capacity), index_(index_size(capacity)), names_(capacity, name_bytes) {
  free_.reserve(capacity);
  rebuild();
}

std::size_t ItemNames::index_size(std::uint32_t capacity) {
  return std::bit_ceil(std::size_t{capacity} + capacity / 2 + 1);
}

std::size_t ItemNames::bytes_for(std::uint32_t capacity, std::size_t name_bytes) {
  return std::size_t{capacity} * (sizeof(Key) + sizeof(std::uint8_t) + sizeof(std::uint32_t)) +
         index_size(capacity) * sizeof(std::uint32_t) + NameArena::bytes_for(capacity, name_bytes);
}

std::uint32_t ItemNames::find(Key key) const {
  const std::size_t mask = index_.size() - 1;
  for (std::size_t at = second_hash(key) & mask;; at = (at + 1) & mask) {
    if (index_[at] == 0) return kNone;
    if (keys_[index_[at] - 1] == key) return index_[at] - 1;
  }
}

void ItemNames::put(Key key, std::string_view name, bool shortened) {
  std::uint32_t slot = find(key);
  if (slot != kNone) {  // a whole name is better than one that was cut
    if (names_.shortened(slot) && !shortened && names_.get(slot).size() < name.size()) names_.set(slot, name, false);
    return;
  }
  slot = free_.back();
  free_.pop_back();
  keys_[slot] = key;
  used_[slot] = 1;
  names_.set(slot, name, shortened);
  const std::size_t mask = index_.size() - 1;
  std::size_t at = second_hash(key) & mask;
  while (index_[at] != 0) at = (at + 1) & mask;
  index_[at] = slot + 1;
}

std::string ItemNames::get(Key key) const {
  const std::uint32_t slot = find(key);
  return slot == kNone ? std::string() : names_.get(slot);
}

bool ItemNames::shortened(Key key) const {
  const std::uint32_t slot = find(key);
  return slot != kNone && names_.shortened(slot);
}

void ItemNames::drop(std::uint32_t slot) {
  used_[slot] = 0;
  names_.clear(slot);
}

void ItemNames::rebuild() {
  free_.clear();
  std::fill(index_.begin(), index_.end(), 0);
  const std::size_t mask = index_.size() - 1;
  for (std::uint32_t slot = capacity(); slot-- > 0;) {
    if (used_[slot] == 0) {
      free_.push_back(slot);
      continue;
    }
    std::size_t at = second_hash(keys_[slot]) & mask;
    while (index_[at] != 0) at = (at + 1) & mask;
    index_[at] = slot + 1;
  }
}

void ItemNames::archive(Archive& archive) {
  archive.fixed("item_keys", keys_.data(), keys_.size());
  archive.fixed("item_used", used_.data(), used_.size());
  auto [names, shortened] = names_.export_names();
  archive_texts(archive, names, names_.entries(), "item_name");
  archive.growing("item_name_shortened", shortened, names_.entries());
  if (!archive.loading()) return;
  for (const std::uint8_t used : used_) require_state(used <= 1, "whether a name is used");
  names_.import_names(names, shortened);
  rebuild();
}

}  // namespace wmsketch
