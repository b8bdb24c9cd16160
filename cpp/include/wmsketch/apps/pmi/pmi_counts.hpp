// Counts of a bounded number of pairs, with a bound on what each may have missed.
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
  std::uint32_t missed;  // upper bound on the occurrences before the pair had a place
  std::uint32_t count;   // since then
};

// The table has lines of eight places. A pair has two lines and takes a free place in either. Places never become free
// again, so a pair that finds a free place was never seen before, and its count covers the whole stream. If both lines
// are full, the pair with the lowest score is evicted for one with a higher score. Occurrences of pairs without a
// place, and the counts of evicted pairs, are added to upper bounds.
class PairCounts {
 public:
  static constexpr std::uint32_t kWays = 8, kNone = 0xffffffffu;

  PairCounts(std::uint32_t lines, std::uint32_t bound_width, std::uint64_t seed);

  // A hash of the two items, not of the pair's key. Among millions of pairs some share a key, but they get different
  // places.
  std::uint32_t hash(Key u, Key v) const { return mix(combine_keys(v, u), seeds_); }
  [[gnu::always_inline]] void prefetch(std::uint32_t hash) const {
    __builtin_prefetch(&lines_[first_line(hash)], 1);
    __builtin_prefetch(&lines_[second_line(hash)], 1);
  }
  [[gnu::always_inline]] void prefetch_rest(std::uint32_t hash) const {  // for a pair that may evict another
    __builtin_prefetch(&rest_[first_line(hash)]);
    __builtin_prefetch(&rest_[second_line(hash)]);
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

  // The score of a pair: the ratio of its count to the count expected by chance, smoothed by 1. It is a logarithm in
  // eighths of an octave, and never 0.
  static std::uint32_t score_of(std::uint32_t count, float by_chance) {
    constexpr std::int32_t kLeast = (127 - 8) * 8 - 1;
    const auto bits = std::bit_cast<std::int32_t>(static_cast<float>(count) / (1.0f + by_chance));
    return static_cast<std::uint32_t>(std::clamp((bits >> 20) - kLeast, 1, 255));
  }
  void count(std::uint32_t place, float by_chance) {
    std::uint32_t& word = lines_[place / kWays].counts[place % kWays];
    const std::uint32_t count = (word & kMostCount) + 1;
    if (count > kMostCount) return end_counting(place);
    // a pair that entered late keeps its score until its counts exceed it
    word = std::max(word >> kScoreShift, score_of(count, by_chance)) << kScoreShift | count;
  }
  // As `count`, but the score follows the counts of the items, which make it lower too.
  void count_anew(std::uint32_t place, float by_chance) {
    const CountedPair pair = this->pair(place);
    if (pair.count == kMostCount) return end_counting(place);
    const std::uint32_t count = pair.count + 1;
    set_score(place, score_of(count + std::min(pair.missed, count), by_chance));
    ++lines_[place / kWays].counts[place % kWays];
  }
  void set_score(std::uint32_t place, std::uint32_t score) {
    std::uint32_t& word = lines_[place / kWays].counts[place % kWays];
    word = (word & kMostCount) | score << kScoreShift;
  }
  void see(std::uint32_t hash) { distinct_.add(hash); }  // for a pair without a place
  bool has_free_place(std::uint32_t hash) const { return n_free_ > 0 && free_line(hash) != kNone; }
  std::uint32_t take_free_place(Key key, std::uint32_t hash, Key u);      // in the emptier of its lines; the count is 0
  std::uint32_t lightest(std::uint32_t hash) const;                       // if there is no free place
  void replace(std::uint32_t place, Key key, std::uint32_t hash, Key u);  // evicts the pair there
  void miss(std::uint32_t hash, std::uint32_t n = 1);                     // occurrences without a place
  void pass_over() {  // an occurrence that the bounds do not count; such a pair never gets a place
    lost_ = 1;
    joined_ |= kPassedOver;
  }
  void miss_names() { joined_ |= 1; }  // a pair was refused although there were free places

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
  // Upper bound on the occurrences of a pair without a place. After `open` there is none, because the bounds count
  // candidates only.
  std::uint32_t most_missed(std::uint32_t hash) const {
    if (sealed_) return joined_ == 0 ? 0 : bounds_.most(hash);
    return (joined_ & kUnbounded) != 0 ? kNone : bounds_.most(hash);
  }
  // ... if it may have been passed over.
  std::uint32_t most_of_absent(std::uint32_t hash) const {
    return (joined_ & kPassedOver) != 0 ? kNone : most_missed(hash);
  }
  std::uint32_t in_bounds(std::uint32_t hash) const { return bounds_.most(hash); }

  // Passes over the same pairs: first the bounds count the candidates, then, from `seal` to `open`, candidates take
  // places by scores that do not change. So a pair that gets a place gets it when it first occurs.
  void prefetch_candidate(std::uint32_t hash) const { bounds_.prefetch(hash); }
  void add_to_bounds(std::uint32_t hash) { bounds_.add(hash, 1); }
  void seal() { sealed_ = true; }
  void open() {
    sealed_ = false;
    joined_ |= kUnbounded;
  }
  void count_only(std::uint32_t place) {  // the score stays
    std::uint32_t& word = lines_[place / kWays].counts[place % kWays];
    if ((word & kMostCount) == kMostCount) return end_counting(place);
    ++word;
  }
  std::uint32_t low_score() const;  // the highest score of the lightest eighth of the pairs
  std::uint32_t drop_lightest();    // drops these, and returns their highest score
  double noise() const;             // average bound for pairs that never occurred

  bool is_whole() const { return lost_ == 0; }
  std::uint64_t n_held() const;
  std::uint64_t n_places() const { return std::uint64_t{kWays} * n_lines(); }
  double n_distinct() const;

  void halve();                         // halves all counts
  void merge(const PairCounts& other);  // adds the counts of the other
  void archive(Archive& archive);

  std::size_t nbytes() const { return bytes_for(n_lines(), 0) + bounds_.nbytes(); }
  static std::size_t bytes_for(std::uint32_t lines, std::uint32_t bound_width);

 private:
  static constexpr std::uint32_t kMostMissed = 0xffff;            // means this or more
  static constexpr std::uint8_t kUnbounded = 2, kPassedOver = 4;  // in joined_
  static constexpr std::uint32_t kScoreShift = 24, kMostCount = 0xffffff;
  struct alignas(64) Line {
    std::array<Key, kWays> keys;
    std::array<std::uint32_t, kWays> counts;  // scores in the upper bits; 0: free, and all later ones too
  };
  struct Rest {  // v follows from the key and u
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
    return joined_ == 0 && has_free_place(hash) ? 0 : most_of_absent(hash);
  }
  void set(std::uint32_t place, Key key, const CountedPair& pair, std::uint32_t score);

  MixerSeeds seeds_;
  TableVector<Line> lines_;
  TableVector<Rest> rest_;
  TowerBounds bounds_;
  DistinctCounter distinct_;
  std::uint32_t n_free_;                // number of free places
  std::uint8_t lost_ = 0, joined_ = 0;  // lost_: something was not counted; joined_: free no longer means never seen
  bool sealed_ = false;
};

}  // namespace wmsketch
