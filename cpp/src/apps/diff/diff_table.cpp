#include "wmsketch/apps/diff/diff_table.hpp"

#include <string>

namespace wmsketch {

// An item that both sides hold gets the sum of their counts. An item that only one side holds may have occurred in the
// other without a place. If there are more items than places, those that differ less go into the bounds.
void DiffTable::merge(const DiffMethod& given, const DiffTotals& totals) {
  const auto* other = dynamic_cast<const DiffTable*>(&given);
  if (other == nullptr || other->shape_ != shape_ || other->seed_ != seed_)
    throw merge_error("settings", "both must have the same method, budget, settings and seed");
  scales_ = totals.scales();
  load_ = past_.load();
  const auto sum = [](const PairCount& left, const PairCount& right) {
    PairCount both;
    for (std::size_t s = 0; s < 2; ++s) {
      both.rows[s] = add_saturating(left.rows[s], right.rows[s]);
      both.amounts[s] = left.amounts[s] + right.amounts[s];
      both.squares[s] = left.squares[s] + right.squares[s];
      both.missed[s] = left.missed[s] + right.missed[s];
    }
    return both;
  };
  const auto count_in = [&](const DiffTable& one, Key key, std::uint32_t hash) {
    const std::uint32_t slot = one.find(key, hash);
    if (slot != kNone) return one.slots_.count(slot, one.past_.most(key));
    PairCount none;
    none.missed = one.missed_of(key, hash);
    return none;
  };
  struct Newcomer {
    Key key;
    std::uint32_t slot;  // slot on the other side
    PairCount count;
  };
  std::vector<Newcomer> newcomers;
  other->each_slot([&](std::uint32_t slot) {
    const Key key = other->keys_[slot];
    const std::uint32_t hash = mix(key, seeds_);
    if (find(key, hash) == kNone)
      newcomers.push_back({key, slot, sum(count_in(*this, key, hash), count_in(*other, key, hash))});
  });
  each_slot([&](std::uint32_t slot) {
    const std::uint32_t hash = mix(keys_[slot], seeds_);
    slots_.set(slot, sum(count_in(*this, keys_[slot], hash), count_in(*other, keys_[slot], hash)));
  });
  past_.merge(other->past_);
  distinct_.merge(other->distinct_);
  joined_ |= other->joined_ | other->lost_ | lost_;
  lost_ |= other->lost_;
  for (const Newcomer& each : newcomers) {
    std::uint32_t slot = free_place(mix(each.key, seeds_));
    if (slot == kNone) {
      lost_ = joined_ = 1;
      slot = lightest(first_line(mix(each.key, seeds_)));
      if (balanced(each.count.amounts).ratio() <= held(slot).ratio()) {
        past_.add(each.key, each.count.amounts);
        continue;
      }
      evict(slot);
    }
    keys_[slot] = each.key;
    slots_.set(slot, each.count);
    if (!named()) continue;
    if (names_.each_has_one())
      names_.set(slot, other->names_.get(each.slot), other->names_.shortened(each.slot));
    else
      take_name(slot, *other, each.slot);
  }
  if (named())
    each_slot([&](std::uint32_t slot) {
      const std::uint32_t there = other->find(keys_[slot], mix(keys_[slot], seeds_));
      if (there != kNone) take_name(slot, *other, there);
    });
}

// If the slot has no name, and the other side has one that is worth keeping here.
void DiffTable::take_name(std::uint32_t slot, const DiffTable& other, std::uint32_t there) {
  if (other.names_.has(there) && wants_name(slot))
    names_.set(slot, other.names_.get(there), other.names_.shortened(there));
}

void DiffTable::archive(Archive& archive) {
  archive.value("random", random_.state);
  archive.fixed("keys", keys_.data(), keys_.size());
  archive.fixed("filled", filled_.data(), filled_.size());
  for (const std::uint8_t filled : filled_) require_state(filled <= kWays, "a line has more items than places");
  slots_.archive(archive);
  past_.archive(archive);
  names_.archive(archive);
  distinct_.archive(archive);
  archive.value("lost", lost_);
  archive.value("joined", joined_);
}

}  // namespace wmsketch
