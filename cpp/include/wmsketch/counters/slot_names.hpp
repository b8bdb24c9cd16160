// Names for those of many slots that would be shown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/name_arena.hpp"

namespace wmsketch {

// There may be fewer names than slots. If no name is free, the slots that matter least lose theirs. A slot without a
// name can get one whenever its item occurs again.
class SlotNames {
 public:
  static constexpr std::uint32_t kMostShared = 0xfffe;  // names, if there are fewer than slots

  SlotNames() = default;
  SlotNames(std::uint32_t slots, std::uint32_t names, std::size_t bytes);

  bool has(std::uint32_t slot) const { return each_has_one() || entry_of_[slot] != kNone; }
  std::string get(std::uint32_t slot) const { return has(slot) ? names_.get(entry(slot)) : std::string(); }
  bool shortened(std::uint32_t slot) const { return has(slot) && names_.shortened(entry(slot)); }

  bool each_has_one() const { return entry_of_.empty(); }
  // Whether a slot without a name should get one: one is free, or becomes free because `score` exceeds that of others.
  // `score_of(slot)` is the score of a slot.
  template <class ScoreOf>
  bool wants(std::uint32_t slot, double score, const ScoreOf& score_of) {
    if (has(slot)) return false;
    if (n_free_ == 0 && score > least_) free_some(score_of);
    return n_free_ > 0;
  }
  void set(std::uint32_t slot, std::string_view name, bool shortened);  // there must be a free name
  void clear(std::uint32_t slot);
  void move(std::uint32_t from, std::uint32_t to);
  bool reserve(std::uint32_t slot);  // takes a name without setting it; false if none is free
  void release_unset();              // gives back those that were reserved and not set

  void archive(Archive& archive);
  static std::size_t bytes_for(std::uint32_t slots, std::uint32_t names, std::size_t bytes) {
    return NameArena::bytes_for(names, bytes) + (names < slots ? slots * sizeof(std::uint16_t) + names / 8 + 1 : 0);
  }

 private:
  static constexpr std::uint16_t kNone = 0xffff;

  std::uint32_t entry(std::uint32_t slot) const { return each_has_one() ? slot : entry_of_[slot]; }
  std::uint32_t take_entry();
  void give_back(std::uint32_t slot);

  template <class ScoreOf>
  void free_some(const ScoreOf& score_of) {
    std::vector<std::pair<double, std::uint32_t>> scores;
    scores.reserve(names_.entries());
    for (std::uint32_t slot = 0; slot < entry_of_.size(); ++slot)
      if (entry_of_[slot] != kNone) scores.emplace_back(score_of(slot), slot);
    free_lowest(scores);
  }
  void free_lowest(std::vector<std::pair<double, std::uint32_t>>& scores);

  NameArena names_;
  std::vector<std::uint16_t> entry_of_;  // by slot; empty if each slot has its own
  std::vector<bool> taken_;
  std::uint32_t n_free_ = 0, first_free_ = 0;  // no entry before first_free_ is free
  double least_ = 0;                           // the highest score that lost its name
};

}  // namespace wmsketch
