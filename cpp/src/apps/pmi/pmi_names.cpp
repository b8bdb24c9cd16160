#include "wmsketch/apps/pmi/pmi_names.hpp"

#include <algorithm>
#include <functional>

#include "wmsketch/data/archive_names.hpp"

namespace wmsketch {

ItemNames::ItemNames(std::uint32_t capacity, std::size_t name_bytes)
    : keys_(capacity), uses_(capacity), index_(FlatIndex::places_for(capacity)), names_(capacity, name_bytes) {
  free_.reserve(capacity);
  rebuild();
}

std::size_t ItemNames::bytes_for(std::uint32_t capacity, std::size_t name_bytes) {
  return std::size_t{capacity} * (sizeof(Key) + 2 * sizeof(std::uint32_t)) +
         FlatIndex::bytes_for(FlatIndex::places_for(capacity)) + NameArena::bytes_for(capacity, name_bytes);
}

bool ItemNames::take(Key key, std::string_view name, bool shortened) {
  std::uint32_t slot = find(key);
  if (slot == kNone) {
    if (free_.empty()) return false;
    slot = free_.back();
    free_.pop_back();
    keys_[slot] = key;
    names_.set(slot, name, shortened);
    index_.add(slot, keys_);
  } else if (!shortened && names_.n_shortened() > 0 && names_.shortened(slot)) {
    // a complete name is better than a truncated one
    if (names_.view(slot).size() < name.size()) names_.set(slot, name, false);
  }
  ++uses_[slot];
  return true;
}

void ItemNames::give_back(Key key) {
  const std::uint32_t slot = find(key);
  if (slot == kNone || --uses_[slot] > 0) return;
  index_.remove(key, keys_);
  names_.clear(slot);
  free_.push_back(slot);
}

std::string ItemNames::get(Key key) const {
  const std::uint32_t slot = find(key);
  return slot == kNone ? std::string() : names_.get(slot);
}

bool ItemNames::shortened(Key key) const {
  const std::uint32_t slot = find(key);
  return slot != kNone && names_.shortened(slot);
}

void ItemNames::rebuild() {
  free_.clear();
  index_.clear();
  for (std::uint32_t slot = capacity(); slot-- > 0;)
    if (uses_[slot] == 0)
      free_.push_back(slot);
    else
      index_.add(slot, keys_);
}

void ItemNames::archive(Archive& archive) {
  archive.fixed("item_keys", keys_.data(), keys_.size());
  archive.fixed("item_uses", uses_.data(), uses_.size());
  archive.growing("item_free", free_, capacity());  // the order matters: slots are taken from the end
  auto [names, shortened] = names_.export_names();
  archive_texts(archive, names, names_.entries(), "item_name");
  archive.growing("item_name_shortened", shortened, names_.entries());
  if (!archive.loading()) return;
  names_.import_names(names, shortened);
  std::vector<std::uint32_t> in_order = free_, sorted = free_;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  rebuild();
  require_state(free_ == sorted, "the free places of names do not match the uses");
  free_ = std::move(in_order);
}

}  // namespace wmsketch
