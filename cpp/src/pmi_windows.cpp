#include "wmsketch/apps/pmi_windows.hpp"

#include <algorithm>
#include <stdexcept>

namespace wmsketch {

Windows::Windows(std::uint32_t groups, std::uint32_t window)
    : window_(window),
      groups_(groups),
      used_(groups),
      heads_(groups),
      sizes_(groups),
      items_(std::size_t{groups} * window),
      names_(groups * window, arena_bytes(groups, window)) {
  choose(0);
}

std::size_t Windows::arena_bytes(std::uint32_t groups, std::uint32_t window) {
  if (groups < 1) throw std::invalid_argument("groups must be at least 1, got 0");
  if (window < 1 || window > 1024)
    throw std::invalid_argument("window must be between 1 and 1024, got " + std::to_string(window));
  if (std::uint64_t{groups} * window > (1u << 24))
    throw std::invalid_argument("groups * window must be at most 2^24, got " +
                                std::to_string(std::uint64_t{groups} * window));
  return std::max<std::size_t>(1024, std::size_t{groups} * window * kNameBytes);
}

std::size_t Windows::bytes_for(std::uint32_t groups, std::uint32_t window) {
  const std::size_t items = std::size_t{groups} * window;
  return KeyedHeap::bytes_for(groups) + groups * (sizeof(std::uint64_t) + 2 * sizeof(std::uint32_t)) +
         items * sizeof(Item) + NameArena::bytes_for(groups * window, arena_bytes(groups, window));
}

void Windows::choose(Key group) {
  if (groups_.size() > 0 && groups_.key(current_) == group) return;
  const auto by_use = [this](std::uint32_t slot) { return used_[slot]; };
  std::uint32_t slot = groups_.find(group);
  const bool known = slot != KeyedHeap::kNone;
  if (!known) {
    slot = groups_.full() ? groups_.least() : groups_.size();
    sizes_[slot] = heads_[slot] = 0;
  }
  used_[slot] = ++clock_;
  if (!known && slot == groups_.size()) {
    groups_.insert(group, by_use);
  } else {
    if (!known) groups_.rename(slot, group);
    groups_.changed(slot, by_use);
  }
  current_ = slot;
}

std::string Windows::name(std::uint32_t age) const { return shown_name(names_, place(age)); }

void Windows::add(const Item& item, std::string_view name) {
  const std::uint32_t at = current_ * window_ + heads_[current_];
  items_[at] = item;
  names_.set(at, name);
  heads_[current_] = (heads_[current_] + 1) % window_;
  sizes_[current_] = std::min(window_, sizes_[current_] + 1);
}

std::string shown_name(const NameArena& names, std::uint32_t slot) {
  return names.shortened(slot) ? names.get(slot) + "…" : names.get(slot);
}

}  // namespace wmsketch
