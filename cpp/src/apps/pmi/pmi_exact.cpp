#include "wmsketch/apps/pmi/pmi_exact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "wmsketch/data/hashing.hpp"

namespace wmsketch {

std::uint32_t ExactPairs::add_item(std::string_view name) {
  ++n_items_;
  const auto [found, is_new] = numbers_.try_emplace(hash_name(name), static_cast<std::uint32_t>(names_.size()));
  if (is_new) {
    names_.emplace_back(name);
    item_counts_.push_back(0);
  }
  ++item_counts_[found->second];
  return found->second;
}

std::size_t ExactPairs::place(std::uint64_t key) const {
  const std::size_t mask = keys_.size() - 1;
  std::size_t at = table_hash(key) & mask;
  while (keys_[at] != kFree && keys_[at] != key) at = (at + 1) & mask;
  return at;
}

std::uint64_t& ExactPairs::find(std::uint64_t key) {
  if (2 * (n_keys_ + 1) > keys_.size()) grow();
  ++n_pairs_;
  const std::size_t at = place(key);
  if (keys_[at] == kFree) {
    keys_[at] = key;
    ++n_keys_;
  }
  return counts_[at];
}

void ExactPairs::grow() {
  const std::vector<std::uint64_t> keys = std::move(keys_), counts = std::move(counts_);
  keys_.assign(std::max<std::size_t>(1024, 2 * keys.size()), kFree);
  counts_.assign(keys_.size(), 0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == kFree) continue;
    const std::size_t at = place(keys[i]);
    keys_[at] = keys[i];
    counts_[at] = counts[i];
  }
}

ExactPairs::Count ExactPairs::describe(std::uint32_t u, std::uint32_t v, std::uint64_t pair_count) const {
  // an undirected pair of two items counts half for each order
  const double share = directed_ || u == v ? 1.0 : 0.5;
  const double expected =
      static_cast<double>(item_counts_[u]) * static_cast<double>(item_counts_[v]) / std::pow(double(n_items_), 2);
  const double pmi = std::log(share * static_cast<double>(pair_count) / static_cast<double>(n_pairs_) / expected);
  return {names_[u], names_[v], pair_count, item_counts_[u], item_counts_[v], pmi};
}

ExactPairs::Count ExactPairs::count(std::string_view u, std::string_view v) const {
  const auto left = numbers_.find(hash_name(u)), right = numbers_.find(hash_name(v));
  if (left == numbers_.end() || right == numbers_.end())
    return {std::string(u), std::string(v), 0, 0, 0, std::numeric_limits<double>::quiet_NaN()};
  const std::size_t at = keys_.empty() ? 0 : place(key_of(left->second, right->second));
  const bool seen = !keys_.empty() && keys_[at] != kFree;
  Count found = describe(left->second, right->second, seen ? counts_[at] : 0);
  return found;
}

std::vector<ExactPairs::Count> ExactPairs::most_common(std::size_t k) const {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < keys_.size(); ++i)
    if (keys_[i] != kFree) places.push_back(i);
  k = std::min(k, places.size());
  const auto more = [&](std::size_t a, std::size_t b) {
    return counts_[a] != counts_[b] ? counts_[a] > counts_[b] : keys_[a] < keys_[b];
  };
  std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(k), places.end(), more);
  std::vector<Count> rows;
  for (std::size_t i = 0; i < k; ++i) {
    const std::uint64_t key = keys_[places[i]];
    rows.push_back(
        describe(static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key), counts_[places[i]]));
  }
  return rows;
}

}  // namespace wmsketch
