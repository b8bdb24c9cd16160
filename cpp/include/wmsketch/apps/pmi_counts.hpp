// Counts of a bounded number of pairs, and what each of them may have missed.
#pragma once

#include <cstdint>
#include <vector>

#include "wmsketch/archive.hpp"
#include "wmsketch/count_min.hpp"
#include "wmsketch/distinct_counter.hpp"
#include "wmsketch/hashing.hpp"
#include "wmsketch/saturating.hpp"

namespace wmsketch {

struct CountedPair {
  Key u, v;
  std::uint32_t count;   // since the pair has its place
  std::uint32_t missed;  // at most so many came before
};

// Lines of eight places; a pair belongs to two of them and takes a free place in either. Places never become free
// again: a pair that finds one was never seen before, and its count is of the whole stream. What comes of pairs without
// a place, and the counts of those that give way, goes into a Count-Min, which is never too low.
class PairCounts {
 public:
  static constexpr std::uint32_t kWays = 8, kNone = 0xffffffffu, kBoundDepth = 2;

  PairCounts(std::uint32_t lines, std::uint32_t bound_width, std::uint64_t seed);

  std::uint32_t hash(Key key) const { return mix(key, seeds_); }
  void prefetch(Key key) const {
    const std::uint32_t h = hash(key);
    __builtin_prefetch(&keys_[first_line(h) * kWays]);
    __builtin_prefetch(&keys_[second_line(h) * kWays]);
  }
  std::uint32_t find(Key key, std::uint32_t hash) const {
    for (const std::uint32_t line : {first_line(hash), second_line(hash)})
      for (std::uint32_t way = 0; way < filled_[line]; ++way)
        if (keys_[line * kWays + way] == key) return line * kWays + way;
    return kNone;
  }
  void count(std::uint32_t place, std::uint32_t n = 1);
  void see(std::uint32_t hash) { distinct_.add(hash); }  // a pair that has no place
  bool has_free_place(std::uint32_t hash) const {
    return filled_[first_line(hash)] < kWays || filled_[second_line(hash)] < kWays;
  }
  // A free place in the emptier of its lines, with a count of 0.
  void take_free_place(Key key, std::uint32_t hash, Key u, Key v);
  std::uint32_t first_place(std::uint32_t hash) const { return first_line(hash) * kWays; }  // of a full line
  void replace(std::uint32_t place, Key key, Key u, Key v);                                 // the counts there go
  void miss(Key key, std::uint32_t n = 1);                                                  // they came without a place
  void miss_names() { joined_ = 1; }  // a pair was refused though there were free places

  Key key(std::uint32_t place) const { return keys_[place]; }
  const CountedPair& pair(std::uint32_t place) const { return pairs_[place]; }
  template <class Use>
  void each_place(Use use) const {
    for (std::uint32_t line = 0; line < filled_.size(); ++line)
      for (std::uint32_t way = 0; way < filled_[line]; ++way) use(line * kWays + way);
  }
  std::uint32_t most_missed(Key key) const { return bounds_.estimate(key); }

  bool is_whole() const { return lost_ == 0; }
  std::uint64_t n_held() const;
  double n_distinct() const;

  void halve();  // what was counted is worth half
  // As if this one had seen the other's pairs too; `heavier(key, key)` says which of two is worth a place.
  template <class Heavier>
  void merge(const PairCounts& other, Heavier heavier);
  void archive(Archive& archive);

  std::size_t nbytes() const { return bytes_for(static_cast<std::uint32_t>(filled_.size()), bounds_.width()); }
  static std::size_t bytes_for(std::uint32_t lines, std::uint32_t bound_width);

 private:
  std::uint32_t first_line(std::uint32_t hash) const { return bucket_of(second_hash(hash), n_lines()); }
  std::uint32_t second_line(std::uint32_t hash) const {
    const std::uint32_t second = second_hash(hash);
    return bucket_of(second_hash(second ^ second >> 15), n_lines());
  }
  std::uint32_t n_lines() const { return static_cast<std::uint32_t>(filled_.size()); }
  std::uint32_t missed_of(Key key, std::uint32_t hash) const {
    return joined_ == 0 && has_free_place(hash) ? 0 : bounds_.estimate(key);
  }

  MixerSeeds seeds_;
  std::vector<Key> keys_;
  std::vector<CountedPair> pairs_;
  std::vector<std::uint8_t> filled_;  // by line: how many of its places
  CountMin bounds_;
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
    const Key key = other.keys_[place];
    const std::uint32_t h = hash(key);
    if (find(key, h) != kNone) return;
    CountedPair pair = other.pairs_[place];
    pair.missed = add_saturating(pair.missed, missed_of(key, h));
    newcomers.push_back({key, pair});
  });
  each_place([&](std::uint32_t place) {
    const std::uint32_t h = hash(keys_[place]), there = other.find(keys_[place], h);
    const bool both = there != kNone;
    if (both) pairs_[place].count = add_saturating(pairs_[place].count, other.pairs_[there].count);
    pairs_[place].missed =
        add_saturating(pairs_[place].missed, both ? other.pairs_[there].missed : other.missed_of(keys_[place], h));
  });
  bounds_.merge(other.bounds_);
  distinct_.merge(other.distinct_);
  joined_ |= other.joined_ | other.lost_ | lost_;
  lost_ |= other.lost_;
  for (const Newcomer& each : newcomers) {
    const std::uint32_t h = hash(each.key);
    std::uint32_t place = kNone;
    if (has_free_place(h)) {
      take_free_place(each.key, h, each.pair.u, each.pair.v);
      place = find(each.key, h);
    } else {
      const std::uint32_t first = first_place(h);
      place = first;
      for (std::uint32_t i = first + 1; i < first + kWays; ++i)
        if (heavier(keys_[place], keys_[i])) place = i;
      if (!heavier(each.key, keys_[place])) {
        miss(each.key, each.pair.count);
        continue;
      }
      replace(place, each.key, each.pair.u, each.pair.v);
    }
    pairs_[place] = each.pair;
  }
}

}  // namespace wmsketch
