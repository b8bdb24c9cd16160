// Counts of a bounded number of pairs, and what each of them may have missed.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "wmsketch/apps/pmi/pmi_bounds.hpp"
#include "wmsketch/counters/distinct_counter.hpp"
#include "wmsketch/data/aligned.hpp"
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
// again: a pair that finds one was never seen before, and its count is of the whole stream. When both lines are full,
// the pair of the lowest score gives way to one of a higher score. What comes of pairs without a place, and the counts
// of those that give way, goes into bounds that are never too low.
class PairCounts {
 public:
  static constexpr std::uint32_t kWays = 8, kNone = 0xffffffffu;

  PairCounts(std::uint32_t lines, std::uint32_t bound_width, std::uint64_t seed);

  // Of the items, and not of the pair's key: two pairs of one key, as there are among millions, have other places.
  std::uint32_t hash(Key u, Key v) const { return mix(combine_keys(v, u), seeds_); }
  [[gnu::always_inline]] void prefetch(std::uint32_t hash) const {
    __builtin_prefetch(&lines_[first_line(hash)], 1);
    __builtin_prefetch(&lines_[second_line(hash)], 1);
  }
  [[gnu::always_inline]] void prefetch_bounds(std::uint32_t hash) const {
    if (lost_ != 0) bounds_.prefetch(hash);
  }
  std::uint32_t find(Key key, std::uint32_t hash) const {
    for (const std::uint32_t line : {first_line(hash), second_line(hash)}) {
      std::uint32_t found = 0;
      for (std::uint32_t way = 0; way < kWays; ++way)
        found |= static_cast<std::uint32_t>(lines_[line].keys[way] == key && lines_[line].counts[way] != 0) << way;
      if (found != 0) return line * kWays + static_cast<std::uint32_t>(std::countr_zero(found));
    }
    return kNone;
  }

  // How much a pair is worth a place: about how many times as often it came as chance would have it, and few by chance
  // alone. As a logarithm, in eighths of an octave; never 0.
  static std::uint32_t score_of(std::uint32_t count, float by_chance) {
    constexpr std::int32_t kLeast = (127 - 8) * 8 - 1;
    const auto bits = std::bit_cast<std::int32_t>(static_cast<float>(count) / (1.0f + by_chance));
    return static_cast<std::uint32_t>(std::clamp((bits >> 20) - kLeast, 1, 255));
  }
  void count(std::uint32_t place, float by_chance) {
    std::uint32_t& word = lines_[place / kWays].counts[place % kWays];
    const std::uint32_t count = (word & kMostCount) + 1;
    if (count > kMostCount) return end_counting(place);
    // a pair that came late keeps what it had, until its counts say more
    word = std::max(word >> kScoreShift, score_of(count, by_chance)) << kScoreShift | count;
  }
  void set_score(std::uint32_t place, std::uint32_t score) {
    std::uint32_t& word = lines_[place / kWays].counts[place % kWays];
    word = (word & kMostCount) | score << kScoreShift;
  }
  void see(std::uint32_t hash) { distinct_.add(hash); }  // a pair that has no place
  bool has_free_place(std::uint32_t hash) const { return n_free_ > 0 && free_line(hash) != kNone; }
  std::uint32_t take_free_place(Key key, std::uint32_t hash, Key u);  // in the emptier of its lines, with a count of 0
  std::uint32_t lightest(std::uint32_t hash) const;                   // where there is no free place
  void replace(std::uint32_t place, Key key, std::uint32_t hash, Key u);  // the counts there go
  void miss(std::uint32_t hash, std::uint32_t n = 1);                     // they came without a place
  void miss_names() { joined_ = 1; }  // a pair was refused though there were free places

  std::uint32_t score(std::uint32_t place) const { return lines_[place / kWays].counts[place % kWays] >> kScoreShift; }
  Key key(std::uint32_t place) const { return lines_[place / kWays].keys[place % kWays]; }
  CountedPair pair(std::uint32_t place) const {
    const Rest& rest = rest_[place / kWays];
    const std::uint32_t way = place % kWays, missed = rest.missed[way];
    return {rest.u[way], right_of_combined(key(place), rest.u[way]), missed == kMostMissed ? kNone : missed,
            lines_[place / kWays].counts[way] & kMostCount};
  }
  template <class Use>
  void each_place(Use use) const {
    for (std::uint32_t line = 0; line < n_lines(); ++line)
      for (std::uint32_t way = 0; way < n_filled(line); ++way) use(line * kWays + way);
  }
  std::uint32_t most_missed(std::uint32_t hash) const { return bounds_.most(hash); }
  double noise() const;  // what the bounds answer for pairs that never came, on average

  bool is_whole() const { return lost_ == 0; }
  std::uint64_t n_held() const;
  double n_distinct() const;

  void halve();                         // what was counted is worth half
  void merge(const PairCounts& other);  // as if this one had seen the other's pairs too
  void archive(Archive& archive);

  std::size_t nbytes() const { return bytes_for(n_lines(), 0) + bounds_.nbytes(); }
  static std::size_t bytes_for(std::uint32_t lines, std::uint32_t bound_width);

 private:
  static constexpr std::uint32_t kMostMissed = 0xffff;  // or more
  static constexpr std::uint32_t kScoreShift = 24, kMostCount = 0xffffff;
  struct alignas(64) Line {
    std::array<Key, kWays> keys;
    std::array<std::uint32_t, kWays> counts;  // scores in the upper bits; 0: a free place, and so are those behind it
  };
  struct Rest {  // the other item of a pair follows from its key
    std::array<Key, kWays> u;
    std::array<std::uint16_t, kWays> missed;
  };

  std::uint32_t n_filled(std::uint32_t line) const {
    std::uint32_t n = 0;
    for (const std::uint32_t word : lines_[line].counts) n += word != 0;
    return n;
  }
  void end_counting(std::uint32_t place) { rest_[place / kWays].missed[place % kWays] = kMostMissed; }
  std::uint32_t free_line(std::uint32_t hash) const {
    const std::uint32_t first = first_line(hash), second = second_line(hash);
    const std::uint32_t emptier = n_filled(first) <= n_filled(second) ? first : second;
    return n_filled(emptier) < kWays ? emptier : kNone;
  }
  std::uint32_t first_line(std::uint32_t hash) const { return bucket_of(second_hash(hash), n_lines()); }
  std::uint32_t second_line(std::uint32_t hash) const {
    const std::uint32_t second = second_hash(hash);
    return bucket_of(second_hash(second ^ second >> 15), n_lines());
  }
  std::uint32_t n_lines() const { return static_cast<std::uint32_t>(lines_.size()); }
  std::uint32_t missed_of(std::uint32_t hash) const {
    return joined_ == 0 && has_free_place(hash) ? 0 : most_missed(hash);
  }
  void set(std::uint32_t place, Key key, const CountedPair& pair, std::uint32_t score);

  MixerSeeds seeds_;
  TableVector<Line> lines_;
  TableVector<Rest> rest_;
  TowerBounds bounds_;
  DistinctCounter distinct_;
  std::uint32_t n_free_;                // places, of all
  std::uint8_t lost_ = 0, joined_ = 0;  // anything came without a place; a free place no longer means "never seen"
};

}  // namespace wmsketch
