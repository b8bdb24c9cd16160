#include "wmsketch/apps/pmi/pmi_names.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "wmsketch/data/hashing.hpp"
#include "wmsketch/stores/archive_names.hpp"

namespace wmsketch {

ItemNames::ItemNames(std::uint32_t capacity, std::size_t name_bytes)
    : keys_(capacity), uses_(capacity), index_(index_size(capacity)), names_(capacity, name_bytes) {
  free_.reserve(capacity);
  rebuild();
}

std::size_t ItemNames::index_size(std::uint32_t capacity) {
  return std::bit_ceil(std::size_t{capacity} + capacity / 2 + 1);
}

std::size_t ItemNames::bytes_for(std::uint32_t capacity, std::size_t name_bytes) {
  return std::size_t{capacity} * (sizeof(Key) + 2 * sizeof(std::uint32_t)) +
         index_size(capacity) * sizeof(std::uint32_t) + NameArena::bytes_for(capacity, name_bytes);
}

std::uint32_t ItemNames::find(Key key) const {
  const std::size_t mask = index_.size() - 1;
  for (std::size_t at = home(key);; at = (at + 1) & mask) {
    if (index_[at] == 0) return kNone;
    if (keys_[index_[at] - 1] == key) return index_[at] - 1;
  }
}

bool ItemNames::take(Key key, std::string_view name, bool shortened) {
  std::uint32_t slot = find(key);
  if (slot == kNone) {
    if (free_.empty()) return false;
    slot = free_.back();
    free_.pop_back();
    keys_[slot] = key;
    names_.set(slot, name, shortened);
    const std::size_t mask = index_.size() - 1;
    std::size_t at = home(key);
    while (index_[at] != 0) at = (at + 1) & mask;
    index_[at] = slot + 1;
  } else if (!shortened && names_.n_shortened() > 0 &&
             names_.shortened(slot)) {  // a whole name is better than a cut one
    if (names_.view(slot).size() < name.size()) names_.set(slot, name, false);
  }
  ++uses_[slot];
  return true;
}

void ItemNames::give_back(Key key) {
  const std::uint32_t slot = find(key);
  if (slot == kNone || --uses_[slot] > 0) return;
  remove(slot);
  names_.clear(slot);
  free_.push_back(slot);
}

// Takes a slot out of the index; those behind it that would not be found any more move up.
void ItemNames::remove(std::uint32_t slot) {
  const std::size_t mask = index_.size() - 1;
  std::size_t hole = home(keys_[slot]);
  while (index_[hole] != slot + 1) hole = (hole + 1) & mask;
  for (std::size_t at = (hole + 1) & mask; index_[at] != 0; at = (at + 1) & mask) {
    const std::size_t wanted = home(keys_[index_[at] - 1]);
    if (((at - wanted) & mask) < ((at - hole) & mask)) continue;
    index_[hole] = index_[at];
    hole = at;
  }
  index_[hole] = 0;
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
  std::fill(index_.begin(), index_.end(), 0);
  const std::size_t mask = index_.size() - 1;
  for (std::uint32_t slot = capacity(); slot-- > 0;) {
    if (uses_[slot] == 0) {
      free_.push_back(slot);
      continue;
    }
    std::size_t at = home(keys_[slot]);
    while (index_[at] != 0) at = (at + 1) & mask;
    index_[at] = slot + 1;
  }
}

void ItemNames::archive(Archive& archive) {
  archive.fixed("item_keys", keys_.data(), keys_.size());
  archive.fixed("item_uses", uses_.data(), uses_.size());
  archive.growing("item_free", free_, capacity());  // which of them comes next
  auto [names, shortened] = names_.export_names();
  archive_texts(archive, names, names_.entries(), "item_name");
  archive.growing("item_name_shortened", shortened, names_.entries());
  if (!archive.loading()) return;
  names_.import_names(names, shortened);
  std::vector<std::uint32_t> in_order = free_, sorted = free_;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  rebuild();
  require_state(free_ == sorted, "the free places of names");
  free_ = std::move(in_order);
}

}  // namespace wmsketch
