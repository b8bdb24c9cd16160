#include "wmsketch/apps/pmi/pmi_counts.hpp"

#include <algorithm>

#include "wmsketch/data/random.hpp"
#include "wmsketch/data/saturating.hpp"

namespace wmsketch {

PairCounts::PairCounts(std::uint32_t lines, std::uint32_t bound_width, std::uint64_t seed)
    : lines_(lines), rest_(std::size_t{lines} * kWays), filled_(lines), bounds_(2 * std::size_t{bound_width}) {
  Random random(seed ^ 0xbb67ae8584caa73bu);
  const std::uint64_t bits = random.next();
  seeds_ = {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
}

std::uint32_t PairCounts::take_free_place(Key key, std::uint32_t hash, Key u, Key v) {
  const std::uint32_t first = first_line(hash), second = second_line(hash);
  const std::uint32_t line = filled_[first] <= filled_[second] ? first : second;
  const std::uint32_t place = line * kWays + filled_[line]++;
  set(place, key, {u, v, joined_ != 0 ? most_missed(hash) : 0, 0});
  return place;
}

void PairCounts::replace(std::uint32_t place, Key key, Key u, Key v) {
  const std::uint32_t missed = most_missed(hash(key)), h = hash(this->key(place));
  if (has_free_place(h)) {  // in its other line: then it does not give way, and one that does finds none later
    const CountedPair moved = pair(place);
    set(take_free_place(this->key(place), h, moved.u, moved.v), this->key(place), moved);
  } else {
    miss(h, pair(place).count);
  }
  set(place, key, {u, v, missed, 0});
}

void PairCounts::miss(std::uint32_t hash, std::uint32_t n) {
  lost_ = 1;
  const auto [first, second] = cells_of(hash);
  const std::uint32_t least = add_saturating(std::min(bounds_[first], bounds_[second]), n);
  bounds_[first] = std::max(bounds_[first], least);
  bounds_[second] = std::max(bounds_[second], least);
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
  each_place([&](std::uint32_t place) {  // the count is then at most half, and with what was missed at least
    CountedPair pair = this->pair(place);
    pair.missed = pair.missed / 2 + pair.missed % 2 + pair.count % 2;
    pair.count /= 2;
    set(place, key(place), pair);
  });
  for (std::uint32_t& cell : bounds_) cell = cell / 2 + cell % 2;
}

void PairCounts::archive(Archive& archive) {
  static_assert(sizeof(Line) == 2 * kWays * sizeof(std::uint32_t) && sizeof(Rest) == 3 * sizeof(std::uint32_t));
  archive.fixed("pair_lines", lines_.empty() ? nullptr : lines_[0].keys.data(), 2 * kWays * lines_.size());
  archive.fixed("pair_rest", rest_.empty() ? nullptr : &rest_[0].u, 3 * rest_.size());
  archive.fixed("pairs_filled", filled_.data(), filled_.size());
  for (const std::uint8_t filled : filled_) require_state(filled <= kWays, "a line has more pairs than places");
  archive.fixed("pair_bounds", bounds_.data(), bounds_.size());
  distinct_.archive(archive);
  archive.value("pairs_lost", lost_);
  archive.value("pairs_joined", joined_);
}

std::size_t PairCounts::bytes_for(std::uint32_t lines, std::uint32_t bound_width) {
  return std::size_t{lines} * (sizeof(Line) + kWays * sizeof(Rest) + sizeof(std::uint8_t)) +
         2 * std::size_t{bound_width} * sizeof(std::uint32_t) + sizeof(MixerSeeds) + sizeof(DistinctCounter) + 2;
}

}  // namespace wmsketch
