// Counts of a bounded number of pairs, and what each of them may have missed.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "wmsketch/counters/distinct_counter.hpp"
#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/hashing.hpp"
#include "wmsketch/data/saturating.hpp"

namespace wmsketch {

struct CountedPair {
  Key u, v;
  std::uint32_t missed;  // at most so many came before the pair had its place
  std::uint32_t count;   // since then
};

// Lines of eight places; a pair belongs to two of them and takes a free place in either. Places never become free
// again: a pair that finds one was never seen before, and its count is of the whole stream. What comes of pairs without
// a place, and the counts of those that give way, goes into bounds that are never too low (a Count-Min of two rows).
class PairCounts {
 public:
  static constexpr std::uint32_t kWays = 8, kNone = 0xffffffffu;

  PairCounts(std::uint32_t lines, std::uint32_t bound_width, std::uint64_t seed);

  std::uint32_t hash(Key key) const { return mix(key, seeds_); }
  void prefetch(Key key) const {
    const std::uint32_t h = hash(key);
    __builtin_prefetch(&lines_[first_line(h)], 1);
    __builtin_prefetch(&lines_[second_line(h)], 1);
    if (lost_ == 0) return;
    for (const std::size_t cell : cells_of(h)) __builtin_prefetch(&bounds_[cell], 1);
  }
  std::uint32_t find(Key key, std::uint32_t hash) const {
    for (const std::uint32_t line : {first_line(hash), second_line(hash)}) {
      std::uint32_t found = 0;
      for (std::uint32_t way = 0; way < kWays; ++way) found |= std::uint32_t{lines_[line].keys[way] == key} << way;
      found &= (1u << filled_[line]) - 1;
      if (found != 0) return line * kWays + static_cast<std::uint32_t>(std::countr_zero(found));
    }
    return kNone;
  }
  void count(std::uint32_t place) {
    std::uint32_t& count = lines_[place / kWays].counts[place % kWays];
    count = add_saturating(count, 1);
  }
  void see(std::uint32_t hash) { distinct_.add(hash); }  // a pair that has no place
  bool has_free_place(std::uint32_t hash) const {
    return filled_[first_line(hash)] < kWays || filled_[second_line(hash)] < kWays;
  }
  // A free place in the emptier of its lines, with a count of 0.
  std::uint32_t take_free_place(Key key, std::uint32_t hash, Key u, Key v);
  std::uint32_t first_place(std::uint32_t hash) const { return first_line(hash) * kWays; }  // of a full line
  void replace(std::uint32_t place, Key key, Key u, Key v);                                 // the counts there go
  void miss(std::uint32_t hash, std::uint32_t n = 1);                                       // they came without a place
  void miss_names() { joined_ = 1; }  // a pair was refused though there were free places

  Key key(std::uint32_t place) const { return lines_[place / kWays].keys[place % kWays]; }
  CountedPair pair(std::uint32_t place) const {
    const Rest& rest = rest_[place];
    return {rest.u, rest.v, rest.missed, lines_[place / kWays].counts[place % kWays]};
  }
  template <class Use>
  void each_place(Use use) const {
    for (std::uint32_t line = 0; line < n_lines(); ++line)
      for (std::uint32_t way = 0; way < filled_[line]; ++way) use(line * kWays + way);
  }
  std::uint32_t most_missed(std::uint32_t hash) const {
    const auto [first, second] = cells_of(hash);
    return std::min(bounds_[first], bounds_[second]);
  }

  bool is_whole() const { return lost_ == 0; }
  std::uint64_t n_held() const;
  double n_distinct() const;

  void halve();  // what was counted is worth half
  // As if this one had seen the other's pairs too; `heavier(key, key)` says which of two is worth a place.
  template <class Heavier>
  void merge(const PairCounts& other, Heavier heavier);
  void archive(Archive& archive);

  std::size_t nbytes() const { return bytes_for(n_lines(), static_cast<std::uint32_t>(bounds_.size() / 2)); }
  static std::size_t bytes_for(std::uint32_t lines, std::uint32_t bound_width);

 private:
  struct alignas(64) Line {
    std::array<Key, kWays> keys;
    std::array<std::uint32_t, kWays> counts;
  };
  struct Rest {
    Key u, v;
    std::uint32_t missed;
  };

  std::uint32_t first_line(std::uint32_t hash) const { return bucket_of(second_hash(hash), n_lines()); }
  std::uint32_t second_line(std::uint32_t hash) const {
    const std::uint32_t second = second_hash(hash);
    return bucket_of(second_hash(second ^ second >> 15), n_lines());
  }
  std::array<std::size_t, 2> cells_of(std::uint32_t hash) const {
    const std::size_t width = bounds_.size() / 2;
    return {bucket_of(hash, static_cast<std::uint32_t>(width)),
            width + bucket_of(second_hash(hash ^ hash >> 16), static_cast<std::uint32_t>(width))};
  }
  std::uint32_t n_lines() const { return static_cast<std::uint32_t>(lines_.size()); }
  std::uint32_t missed_of(std::uint32_t hash) const {
    return joined_ == 0 && has_free_place(hash) ? 0 : most_missed(hash);
  }
  void set(std::uint32_t place, Key key, const CountedPair& pair) {
    lines_[place / kWays].keys[place % kWays] = key;
    lines_[place / kWays].counts[place % kWays] = pair.count;
    rest_[place] = {pair.u, pair.v, pair.missed};
  }

  MixerSeeds seeds_;
  std::vector<Line> lines_;
  std::vector<Rest> rest_;
  std::vector<std::uint8_t> filled_;   // by line: how many of its places
  std::vector<std::uint32_t> bounds_;  // only cells that must rise do
  DistinctCounter distinct_;
  std::uint8_t lost_ = 0, joined_ = 0;  // anything came without a place; a free place no longer means "never seen"
};

template <class Heavier>
void PairCounts::merge(const PairCounts& other, Heavier heavier) {
  struct Newcomer {
    Key key;
    CountedPair pair;
  };
  std::vector<Newcomer> newcomers;
  other.each_place([&](std::uint32_t place) {
    const Key key = other.key(place);
    const std::uint32_t h = hash(key);
    if (find(key, h) != kNone) return;
    CountedPair pair = other.pair(place);
    pair.missed = add_saturating(pair.missed, missed_of(h));
    newcomers.push_back({key, pair});
  });
  each_place([&](std::uint32_t place) {
    const std::uint32_t h = hash(key(place)), there = other.find(key(place), h);
    CountedPair both = pair(place);
    const bool is_there = there != kNone;
    if (is_there) both.count = add_saturating(both.count, other.pair(there).count);
    both.missed = add_saturating(both.missed, is_there ? other.pair(there).missed : other.missed_of(h));
    set(place, key(place), both);
  });
  for (std::size_t i = 0; i < bounds_.size(); ++i) bounds_[i] = add_saturating(bounds_[i], other.bounds_[i]);
  distinct_.merge(other.distinct_);
  joined_ |= other.joined_ | other.lost_ | lost_;
  lost_ |= other.lost_;
  for (const Newcomer& each : newcomers) {
    const std::uint32_t h = hash(each.key);
    std::uint32_t place = first_place(h);
    if (has_free_place(h)) {
      place = take_free_place(each.key, h, each.pair.u, each.pair.v);
    } else {
      for (std::uint32_t i = place + 1, end = place + kWays; i < end; ++i)
        if (heavier(key(place), key(i))) place = i;
      joined_ = 1;
      if (!heavier(each.key, key(place))) {
        miss(h, each.pair.count);
        continue;
      }
      replace(place, each.key, each.pair.u, each.pair.v);
    }
    set(place, each.key, each.pair);
  }
}

}  // namespace wmsketch
