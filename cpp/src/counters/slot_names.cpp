#include "wmsketch/counters/slot_names.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "wmsketch/data/archive_names.hpp"

namespace wmsketch {

SlotNames::SlotNames(std::uint32_t slots, std::uint32_t names, std::size_t bytes)
    : names_(names, bytes), entry_of_(names < slots ? slots : 0, kNone), taken_(names < slots ? names : 0) {
  if (names < slots && (names == 0 || names > kMostShared))
    throw std::invalid_argument("names that are fewer than slots must be from 1 to 65534, got " +
                                std::to_string(names));
  n_free_ = each_has_one() ? 0 : names;
}

std::uint32_t SlotNames::take_entry() {
  while (taken_[first_free_]) ++first_free_;
  taken_[first_free_] = true;
  --n_free_;
  return first_free_;
}

void SlotNames::give_back(std::uint32_t slot) {
  const std::uint32_t entry = entry_of_[slot];
  taken_[entry] = false;
  first_free_ = std::min(first_free_, entry);
  ++n_free_;
  entry_of_[slot] = kNone;
}

void SlotNames::set(std::uint32_t slot, std::string_view name, bool shortened) {
  if (!has(slot)) entry_of_[slot] = static_cast<std::uint16_t>(take_entry());
  names_.set(entry(slot), name, shortened);
}

void SlotNames::clear(std::uint32_t slot) {
  if (!has(slot)) return;
  names_.clear(entry(slot));
  if (!each_has_one()) give_back(slot);
}

void SlotNames::move(std::uint32_t from, std::uint32_t to) {
  if (!each_has_one()) {
    entry_of_[to] = entry_of_[from];
    entry_of_[from] = kNone;
    return;
  }
  names_.set(to, names_.get(from), names_.shortened(from));
  names_.clear(from);
}

bool SlotNames::reserve(std::uint32_t slot) {
  if (has(slot)) return true;
  if (n_free_ == 0) return false;
  entry_of_[slot] = static_cast<std::uint16_t>(take_entry());
  return true;
}

void SlotNames::release_unset() {
  for (std::uint32_t slot = 0; slot < entry_of_.size(); ++slot)
    if (entry_of_[slot] != kNone && !names_.has(entry_of_[slot])) give_back(slot);
}

// An eighth of all names become free.
void SlotNames::free_lowest(std::vector<std::pair<double, std::uint32_t>>& scores) {
  const std::size_t n = std::max<std::size_t>(1, scores.size() / 8);
  const auto last = scores.begin() + static_cast<std::ptrdiff_t>(n - 1);
  std::nth_element(scores.begin(), last, scores.end());
  least_ = last->first;
  for (auto each = scores.begin(); each <= last; ++each) clear(each->second);
}

void SlotNames::archive(Archive& archive) {
  archive_names(archive, names_);
  archive.fixed("name_of_slot", entry_of_.data(), entry_of_.size());
  archive.value("name_least", least_);
  if (!archive.loading() || each_has_one()) return;
  require_state(!std::isnan(least_), "the least score of a name is not a number");
  taken_.assign(names_.entries(), false);
  n_free_ = names_.entries();
  first_free_ = 0;
  for (const std::uint16_t entry : entry_of_) {
    if (entry == kNone) continue;
    require_state(entry < taken_.size() && !taken_[entry], "two slots have the same name, or one has none");
    taken_[entry] = true;
    --n_free_;
  }
}

}  // namespace wmsketch
