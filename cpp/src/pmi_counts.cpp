#include "wmsketch/apps/pmi_counts.hpp"

#include <algorithm>

#include "wmsketch/random.hpp"
#include "wmsketch/saturating.hpp"

namespace wmsketch {

PairCounts::PairCounts(std::uint32_t lines, std::uint32_t bound_width, std::uint64_t seed)
    : keys_(std::size_t{lines} * kWays),
      pairs_(std::size_t{lines} * kWays),
      filled_(lines),
      bounds_(kBoundDepth, bound_width, seed, HashFamily::mixer, true) {
  Random random(seed ^ 0xbb67ae8584caa73bu);
  const std::uint64_t bits = random.next();
  seeds_ = {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
}

void PairCounts::count(std::uint32_t place, std::uint32_t n) {
  pairs_[place].count = add_saturating(pairs_[place].count, n);
}

void PairCounts::take_free_place(Key key, std::uint32_t hash, Key u, Key v) {
  const std::uint32_t first = first_line(hash), second = second_line(hash);
  const std::uint32_t line = filled_[first] <= filled_[second] ? first : second;
  const std::uint32_t place = line * kWays + filled_[line]++;
  keys_[place] = key;
  pairs_[place] = {u, v, 0, joined_ != 0 ? bounds_.estimate(key) : 0};
}

void PairCounts::replace(std::uint32_t place, Key key, Key u, Key v) {
  const std::uint32_t missed = bounds_.estimate(key);
  miss(keys_[place], pairs_[place].count);
  keys_[place] = key;
  pairs_[place] = {u, v, 0, missed};
}

void PairCounts::miss(Key key, std::uint32_t n) {
  lost_ = 1;
  bounds_.update(key, n);
}

std::uint64_t PairCounts::n_held() const {
  std::uint64_t n = 0;
  for (const std::uint8_t filled : filled_) n += filled;
  return n;
}

double PairCounts::n_distinct() const {
  const auto held = static_cast<double>(n_held());
  return is_whole() ? held : std::max(held, distinct_.estimate());
}

void PairCounts::halve() {
  for (CountedPair& pair : pairs_) {  // the count is then at least half, and with what was missed at most
    pair.missed += pair.missed % 2 + 2 * (pair.count % 2);
    pair.count /= 2;
    pair.missed /= 2;
  }
  std::vector<std::uint32_t> cells(bounds_.cells().begin(), bounds_.cells().end());
  for (std::uint32_t& cell : cells) cell = cell / 2 + cell % 2;
  bounds_.restore(cells, bounds_.total() / 2);
}

void PairCounts::archive(Archive& archive) {
  archive.fixed("pair_keys", keys_.data(), keys_.size());
  static_assert(sizeof(CountedPair) == 4 * sizeof(std::uint32_t));
  archive.fixed("pairs", pairs_.empty() ? nullptr : &pairs_[0].u, 4 * pairs_.size());
  archive.fixed("pairs_filled", filled_.data(), filled_.size());
  for (const std::uint8_t filled : filled_) require_state(filled <= kWays, "a line has more pairs than places");
  std::vector<std::uint32_t> cells(bounds_.cells().begin(), bounds_.cells().end());
  std::uint64_t total = bounds_.total();
  archive.fixed("pair_bounds", cells.data(), cells.size());
  archive.value("pair_bounds_total", total);
  if (archive.loading()) bounds_.restore(cells, total);
  distinct_.archive(archive);
  archive.value("pairs_lost", lost_);
  archive.value("pairs_joined", joined_);
}

std::size_t PairCounts::bytes_for(std::uint32_t lines, std::uint32_t bound_width) {
  return std::size_t{lines} * (kWays * (sizeof(Key) + sizeof(CountedPair)) + sizeof(std::uint8_t)) +
         std::size_t{kBoundDepth} * bound_width * sizeof(std::uint32_t) +
         Hasher::bytes_for(HashFamily::mixer, kBoundDepth, Hasher::kDefaultIndependence) + sizeof(MixerSeeds) +
         sizeof(DistinctCounter) + 2;
}

}  // namespace wmsketch
