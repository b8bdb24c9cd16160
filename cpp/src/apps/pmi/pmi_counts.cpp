#include "wmsketch/apps/pmi/pmi_counts.hpp"

#include <utility>

#include "wmsketch/data/random.hpp"

namespace wmsketch {

PairCounts::PairCounts(std::uint32_t lines, std::uint32_t bound_width, std::uint64_t seed)
    : lines_(lines), rest_(lines), bounds_(bound_width), n_free_(kWays * lines) {
  Random random(seed ^ 0xbb67ae8584caa73bu);
  const std::uint64_t bits = random.next();
  seeds_ = {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
}

void PairCounts::set(std::uint32_t place, Key key, const CountedPair& pair, std::uint32_t score) {
  Line& line = lines_[place / kWays];
  Rest& rest = rest_[place / kWays];
  const std::uint32_t way = place % kWays;
  line.keys[way] = key;
  line.counts[way] = score << kScoreShift | std::min(pair.count, kMostCount);
  rest.u[way] = pair.u;
  rest.missed[way] =
      static_cast<std::uint16_t>(pair.count < kMostCount ? std::min(pair.missed, kMostMissed) : kMostMissed);
}

std::uint32_t PairCounts::take_free_place(Key key, std::uint32_t hash, Key u) {
  const std::uint32_t line = free_line(hash), place = line * kWays + n_filled(line);
  set(place, key, {u, 0, joined_ != 0 ? most_missed(hash) : 0, 0}, 1);
  --n_free_;
  return place;
}

std::uint32_t PairCounts::lightest(std::uint32_t hash) const {
  const std::array<std::uint32_t, 2> lines{first_line(hash), second_line(hash)};
  std::uint64_t least = ~std::uint64_t{0};  // with the place in the low bits: without branches, and the first of equals
  for (std::uint32_t i = 0; i < 2 * kWays; ++i)
    least = std::min(least, std::uint64_t{lines_[lines[i / kWays]].counts[i % kWays]} << 32 | i);
  return lines[least / kWays & 1] * kWays + static_cast<std::uint32_t>(least % kWays);
}

void PairCounts::replace(std::uint32_t place, Key key, std::uint32_t hash, Key u) {
  const std::uint32_t missed = most_missed(hash);
  const CountedPair old = pair(place);
  const Key old_key = this->key(place);
  const std::uint32_t old_hash = this->hash(old.u, old.v);
  if (has_free_place(old_hash))  // moves to its other line, so that an evicted pair never finds a free place later
    set(take_free_place(old_key, old_hash, old.u), old_key, old, score(place));
  else
    miss(old_hash, old.count);
  set(place, key, {u, 0, missed, 0}, 1);
}

void PairCounts::miss(std::uint32_t hash, std::uint32_t n) {
  lost_ = 1;
  if (!sealed_) bounds_.add(hash, n);
}

std::uint32_t PairCounts::low_score() const {
  std::array<std::uint64_t, 256> n_with{};
  each_place([&](std::uint32_t place) { ++n_with[score(place)]; });
  const std::uint64_t n_held = this->n_held();
  if (n_held == 0) return 0;
  std::uint32_t most = 0;
  for (std::uint64_t n = 0; most < 255 && n <= n_held / 8; ++most) n += n_with[most];
  return most - 1;
}

// While the bounds count, they take over the counts of these pairs, which may come back.
std::uint32_t PairCounts::drop_lightest() {
  const std::uint32_t most = low_score();
  if (!sealed_) {
    joined_ |= 1;
    each_place([&](std::uint32_t place) {
      if (score(place) <= most) miss(hash(pair(place).u, pair(place).v), pair(place).count);
    });
  }
  for (std::uint32_t line = 0; line < n_lines(); ++line) {
    std::uint32_t kept = 0;
    for (std::uint32_t way = 0; way < kWays; ++way) {
      const std::uint32_t word = std::exchange(lines_[line].counts[way], 0u);
      if (word >> kScoreShift <= most || word == 0) continue;
      lines_[line].keys[kept] = lines_[line].keys[way];
      lines_[line].counts[kept] = word;
      rest_[line].u[kept] = rest_[line].u[way];
      rest_[line].missed[kept++] = rest_[line].missed[way];
    }
  }
  n_free_ = kWays * n_lines() - static_cast<std::uint32_t>(n_held());
  lost_ = 1;
  return most;
}

double PairCounts::noise() const {
  constexpr int kAsked = 1024;
  Random random(0x510e527fade682d1u);
  double sum = 0;
  for (int i = 0; i < kAsked; ++i) sum += bounds_.most(static_cast<std::uint32_t>(random.next() >> 32));
  return sum / kAsked;
}

std::uint64_t PairCounts::n_held() const {
  std::uint64_t n = 0;
  for (std::uint32_t line = 0; line < n_lines(); ++line) n += n_filled(line);
  return n;
}

double PairCounts::n_distinct() const {
  const auto held = static_cast<double>(n_held());
  return is_whole() ? held : std::max(held, distinct_.estimate());
}

void PairCounts::halve() {
  each_place([&](std::uint32_t place) {  // keeps count <= half of the truth <= count + missed
    CountedPair pair = this->pair(place);
    if (pair.missed != kNone) pair.missed = pair.missed / 2 + pair.missed % 2 + pair.count % 2;
    pair.count /= 2;
    set(place, key(place), pair, std::max(1u, score(place) - std::min(score(place), 8u)));
  });
  bounds_.halve();
}

void PairCounts::merge(const PairCounts& other) {
  struct Newcomer {
    Key key;
    CountedPair pair;
    std::uint32_t score;
  };
  std::vector<Newcomer> newcomers;
  other.each_place([&](std::uint32_t place) {
    CountedPair pair = other.pair(place);
    const Key key = other.key(place);
    const std::uint32_t h = hash(pair.u, pair.v);
    if (find(key, h) != kNone) return;
    pair.missed = add_saturating(pair.missed, missed_of(h));
    newcomers.push_back({key, pair, other.score(place)});
  });
  each_place([&](std::uint32_t place) {
    CountedPair both = pair(place);
    const std::uint32_t h = hash(both.u, both.v), there = other.find(key(place), h);
    const bool is_there = there != kNone;
    if (is_there) both.count = add_saturating(both.count, other.pair(there).count);
    both.missed = add_saturating(both.missed, is_there ? other.pair(there).missed : other.missed_of(h));
    set(place, key(place), both, is_there ? std::max(score(place), other.score(there)) : score(place));
  });
  bounds_.merge(other.bounds_);
  distinct_.merge(other.distinct_);
  joined_ |= other.joined_ | other.lost_ | lost_;
  lost_ |= other.lost_;
  for (const Newcomer& each : newcomers) {
    const std::uint32_t h = hash(each.pair.u, each.pair.v);
    std::uint32_t place = kNone;
    if (has_free_place(h)) {
      place = take_free_place(each.key, h, each.pair.u);
    } else {
      place = lightest(h);
      joined_ |= 1;
      if (score(place) >= each.score) {
        miss(h, each.pair.count);
        continue;
      }
      replace(place, each.key, h, each.pair.u);
    }
    set(place, each.key, each.pair, each.score);
  }
}

void PairCounts::archive(Archive& archive) {
  static_assert(sizeof(Line) == 2 * kWays * sizeof(std::uint32_t));
  std::vector<Key> u;
  std::vector<std::uint16_t> missed;
  for (const Rest& rest : rest_) {
    u.insert(u.end(), rest.u.begin(), rest.u.end());
    missed.insert(missed.end(), rest.missed.begin(), rest.missed.end());
  }
  archive.fixed("pair_lines", lines_.empty() ? nullptr : lines_[0].keys.data(), 2 * kWays * lines_.size());
  archive.fixed("pair_u", u.data(), u.size());
  archive.fixed("pair_missed", missed.data(), missed.size());
  bounds_.archive(archive);
  distinct_.archive(archive);
  archive.value("pairs_lost", lost_);
  archive.value("pairs_joined", joined_);
  if (!archive.loading()) return;
  for (const Line& line : lines_)
    for (std::uint32_t way = 1; way < kWays; ++way)
      require_state(line.counts[way - 1] != 0 || line.counts[way] == 0, "there is a free place between pairs");
  n_free_ = kWays * n_lines() - static_cast<std::uint32_t>(n_held());
  for (std::size_t i = 0; i < u.size(); ++i) {
    rest_[i / kWays].u[i % kWays] = u[i];
    rest_[i / kWays].missed[i % kWays] = missed[i];
  }
}

std::size_t PairCounts::bytes_for(std::uint32_t lines, std::uint32_t bound_width) {
  return std::size_t{lines} * (sizeof(Line) + sizeof(Rest)) + TowerBounds::bytes_for(bound_width) + sizeof(MixerSeeds) +
         sizeof(DistinctCounter) + 2;
}

}  // namespace wmsketch
