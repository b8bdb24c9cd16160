#include "wmsketch/apps/pmi/pmi_windows.hpp"

#include <algorithm>
#include <stdexcept>

#include "wmsketch/data/archive_names.hpp"
#include "wmsketch/data/error.hpp"

namespace wmsketch {

Windows::Windows(std::uint32_t groups, std::uint32_t window, std::size_t name_bytes)
    : window_(window),
      name_bytes_(name_bytes),
      groups_(groups),
      used_(groups),
      heads_(groups),
      sizes_(groups),
      items_(std::size_t{groups} * window),
      names_(groups * window, arena_bytes(groups, window, name_bytes)) {
  choose(0);
}

std::size_t Windows::arena_bytes(std::uint32_t groups, std::uint32_t window, std::size_t name_bytes) {
  require_parameter(groups >= 1, "groups", "must be at least 1", groups);
  if (window < 1 || window > 1024) throw parameter_error("window", "must be between 1 and 1024", std::uint64_t{window});
  if (std::uint64_t{groups} * window > (1u << 24))
    throw std::invalid_argument("groups * window must be at most 2^24, got " +
                                std::to_string(std::uint64_t{groups} * window));
  return std::max<std::size_t>(1024, std::size_t{groups} * window * std::max(kNameBytes, name_bytes));
}

std::size_t Windows::bytes_for(std::uint32_t groups, std::uint32_t window, std::size_t name_bytes) {
  const std::size_t items = std::size_t{groups} * window;
  return KeyedHeap::bytes_for(groups) + groups * (sizeof(std::uint64_t) + 2 * sizeof(std::uint32_t)) +
         items * sizeof(Item) + NameArena::bytes_for(groups * window, arena_bytes(groups, window, name_bytes));
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

void Windows::add(const Item& item, std::string_view name, bool shortened) {
  const std::uint32_t at = current_ * window_ + heads_[current_];
  items_[at] = item;
  names_.set(at, name, shortened);
  heads_[current_] = (heads_[current_] + 1) % window_;
  sizes_[current_] = std::min(window_, sizes_[current_] + 1);
}

// Saves the window of the current group only.
void Windows::archive(Archive& archive) {
  std::vector<Key> keys;
  std::vector<double> seconds;
  std::vector<float> counts;
  std::vector<std::string> names;
  std::vector<std::uint8_t> cut;
  for (std::uint32_t age = size(); age-- > 0;) {
    keys.push_back(item(age).key);
    seconds.push_back(item(age).seconds);
    counts.push_back(item(age).count);
    names.emplace_back(name(age));
    cut.push_back(shortened(age));
  }
  Key group = groups_.key(current_);
  archive.value("window_group", group);
  archive.growing("window_keys", keys, window_);
  archive.growing("window_seconds", seconds, window_);
  archive.growing("window_counts", counts, window_);
  archive_texts(archive, names, window_, "window_name");
  archive.growing("window_cut", cut, window_);
  if (!archive.loading()) return;
  require_state(keys.size() == seconds.size() && keys.size() == names.size() && keys.size() == cut.size() &&
                    keys.size() == counts.size(),
                "the parts of a window differ in length");
  choose(group);
  clear();
  for (std::size_t i = 0; i < keys.size(); ++i) add({keys[i], 0, seconds[i], counts[i]}, names[i], cut[i] != 0);
}

}  // namespace wmsketch
