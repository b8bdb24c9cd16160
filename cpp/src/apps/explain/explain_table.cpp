#include "wmsketch/apps/explain/explain_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "wmsketch/data/random.hpp"

namespace wmsketch {
namespace {

constexpr std::size_t kSmall = 4096;  // a table up to this size is ranked more often, which keeps more of it in use
constexpr double kOfOthers = 0.1;     // what a share of the other rows is worth, relative to a share of the outliers

std::size_t index_size(std::uint32_t capacity) { return std::bit_ceil(std::size_t{4} * capacity / 3 + 1); }

MixerSeeds seeds_from(std::uint64_t seed, int which) {
  Random random(seed);
  std::uint64_t bits = 0;
  for (int i = 0; i <= which; ++i) bits = random.next();
  return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
}

}  // namespace

std::size_t AttributeTable::bytes_for(const Shape& shape) {
  return shape.capacity * sizeof(Slot) + index_size(shape.capacity) * sizeof(std::uint32_t) +
         PastCounts::bytes_for(shape.width, true) + sizeof(hash_) +
         std::size_t{2} * shape.moments * shape.capacity * sizeof(double) +
         NameArena::bytes_for(shape.capacity, shape.name_bytes) + 2 * sizeof(DistinctCounter);
}

AttributeTable::AttributeTable(const Shape& shape, std::uint64_t seed)
    : hash_(seeds_from(seed, 0)),
      past_(shape.width, seeds_from(seed, 1), true),
      slots_(shape.capacity),
      mask_(index_size(kLeastCapacity) - 1),
      index_(index_size(shape.capacity), kNone),
      names_(shape.capacity, shape.name_bytes),
      n_moments_(shape.moments),
      moments_(std::size_t{2} * shape.moments * shape.capacity) {
  if (shape.capacity < kLeastCapacity || shape.width == 0)
    throw std::invalid_argument("a table of attributes must have a width of at least 1 and a capacity of at least " +
                                std::to_string(kLeastCapacity) + ", got " + std::to_string(shape.width) + " and " +
                                std::to_string(shape.capacity));
}

void AttributeTable::index(std::uint32_t slot) {
  std::size_t at = start_of(slots_[slot].id);
  while (index_[at] != kNone) at = (at + 1) & mask_;
  index_[at] = slot;
}

void AttributeTable::rebuild_index() {
  while (mask_ + 1 < index_size(n_held_ + 1)) mask_ = 2 * mask_ + 1;
  std::fill_n(index_.begin(), mask_ + 1, kNone);
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot)
    if (slots_[slot].order != 0) index(slot);
}

// --- eviction ---

void AttributeTable::evict(std::uint32_t at) {
  Slot& slot = slots_[at];
  add_to_sketch(slot.id, slot.count);
  if (slot.order == 1) most_evicted_ = std::max(most_evicted_, slot.count[1] + slot.missed[1]);
  names_.clear(at);
  slot = {};
  std::ranges::fill(own_moments(at), 0.0);
  ++n_evicted_;
  --n_held_;
}

std::vector<std::pair<double, std::uint32_t>> AttributeTable::ranked(Amounts totals) const {
  std::vector<std::pair<double, std::uint32_t>> found;
  found.reserve(n_held_);
  for (std::uint32_t at = 0; at < slots_.size(); ++at) {
    const Slot& slot = slots_[at];
    if (slot.order == 0) continue;
    double score = 0;  // fraction of the outliers, plus that of the other rows: as much for a metric, otherwise less
    for (const std::size_t label : {0u, 1u})
      if (totals[label] > 0)
        score += (label == 1 || n_moments_ > 0 ? 1.0 : kOfOthers) *
                 (slot.count[label] + std::max(0.0, slot.missed[label] - load_[label])) / totals[label];
    found.emplace_back(score, at);
  }
  return found;
}

// Evicts a quarter of the table, or a sixteenth of a small one: conjunctions, as long as there are enough of them and
// single attributes have at most half of the table.
void AttributeTable::make_room() {
  auto order = ranked(totals());
  const auto least = [&](const auto& left, const auto& right) {
    if (left.first != right.first) return left.first < right.first;
    const Slot &a = slots_[left.second], &b = slots_[right.second];
    return a.order != b.order ? a.order > b.order : a.id < b.id;
  };
  const auto singles =
      std::partition(order.begin(), order.end(), [&](const auto& each) { return slots_[each.second].order > 1; });
  const auto n_conjunctions = singles - order.begin(), n_singles = order.end() - singles;
  const auto n =
      static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, slots_.size() / (slots_.size() <= kSmall ? 16 : 4)));
  const auto above_half = n_singles - static_cast<std::ptrdiff_t>(slots_.size() / 2);
  const auto of_singles =
      std::max(std::clamp<std::ptrdiff_t>(n_conjunctions > 0 ? above_half : n, 0, n), n - n_conjunctions);
  const auto evict_least = [&](auto begin, auto end, std::ptrdiff_t many) {
    many = std::min(many, end - begin);
    std::nth_element(begin, begin + many, end, least);
    for (auto each = begin; each != begin + many; ++each) evict(each->second);
  };
  evict_least(order.begin(), singles, n - of_singles);
  evict_least(singles, order.end(), of_singles);
  for (const std::uint32_t longer : {2u, 3u})  // conjunctions are evicted with their parts
    for (std::uint32_t at = 0; at < slots_.size(); ++at)
      if (slots_[at].order == longer && !holds_parts(slots_[at])) evict(at);
  rebuild_index();
  first_free_ = 0;
  load_ = past_.load();
}

// --- entering ---

Amounts AttributeTable::missed_of_part(AttributeId id) const {
  const std::uint32_t at = find(id);
  return at == kNone ? estimate(id) : Amounts{slots_[at].missed[0], slots_[at].missed[1]};
}

// The sketch's estimate, and for a conjunction also what its parts missed, because it is not counted while a part is
// not held.
Amounts AttributeTable::missed_of(AttributeId left, AttributeId right, AttributeId id, std::uint32_t order) const {
  if (complete()) return {};
  Amounts missed = estimate(id);
  if (order == 1) return missed;
  for (const AttributeId part : {left, right}) {
    const Amounts before = missed_of_part(part);
    for (const std::size_t label : {0u, 1u}) missed[label] += before[label];
  }
  return missed;
}

void AttributeTable::add_missed(Slot& slot, Amounts more) {
  for (const std::size_t label : {0u, 1u}) slot.missed[label] = PastCounts::up(slot.missed[label] + more[label]);
}

AttributeTable::Slot& AttributeTable::place(AttributeId id, std::uint32_t order, Amounts missed) {
  while (first_free_ < slots_.size() && slots_[first_free_].order != 0) ++first_free_;
  Slot& slot = slots_[first_free_];
  slot.id = id;
  slot.order = order & 3u;
  add_missed(slot, missed);
  slot.count[outlier_] = amount_;
  slot.fingerprint = row_hash_ & 0x3fffffffu;
  if (n_moments_ > 0) add_row_moments(first_free_);
  ++n_held_;
  if (mask_ + 1 < index_size(n_held_))
    rebuild_index();
  else
    index(first_free_);
  distinct_[order > 1].add(hash_to_count(id));
  return slot;
}

void AttributeTable::seal(std::vector<AttributeId> ids, double most_outliers) {
  std::sort(ids.begin(), ids.end());
  candidates_ = std::move(ids);
  most_evicted_ = std::max(most_evicted_, most_outliers);
  sealed_ = true;
}

void AttributeTable::open() {
  candidates_ = {};
  sealed_ = false;
  load_ = past_.load();  // values that were left out are in the sketch
}

void AttributeTable::leave_out(AttributeId id, bool conjunction) {
  Amounts amounts{};
  amounts[outlier_] = amount_;
  add_to_sketch(id, amounts);
  distinct_[conjunction].add(hash_to_count(id));
  ++n_evicted_;
}

void AttributeTable::enter(AttributeId id, std::uint32_t column, std::string_view name) {
  if (stays_out(id)) return leave_out(id, false);
  if (n_held_ == slots_.size()) make_room();
  place(id, 1, sealed_ ? Amounts{} : missed_of(0, 0, id, 1)).right = column;
  names_.set(first_free_, name);
  ++n_names_;
  name_bytes_seen_ += name.size();
}

void AttributeTable::enter_from_start(AttributeId id, std::uint32_t column, std::string_view name, Amounts before,
                                      std::uint32_t fingerprint, const Metric& metric_before) {
  if (holds(id)) return;
  start_row(false, 0, 0);
  enter(id, column, name);
  const std::uint32_t at = find(id);
  if (at == kNone) return;  // no candidate
  Slot& slot = slots_[at];
  slot.count = before;
  slot.fingerprint = fingerprint & 0x3fffffffu;
  const std::span<double> sums = own_moments(at);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = metric_before.totals()[i / n_moments_][i % n_moments_];
}

void AttributeTable::enter_conjunction(AttributeId id, AttributeId left, AttributeId right) {
  if (stays_out(id)) return leave_out(id, true);
  if (n_held_ == slots_.size()) make_room();
  const std::uint32_t a = find(left), b = find(right);
  if (a == kNone || b == kNone) {
    distinct_[1].add(hash_to_count(id));
    return;
  }
  Slot& slot = place(id, slots_[a].order + 1, sealed_ ? Amounts{} : missed_of(left, right, id, 2));
  slot.left = a;
  slot.right = b;
}

void AttributeTable::put_conjunction(const Slot& counted, std::span<const double> moments, AttributeId id,
                                     AttributeId left, AttributeId right, std::uint32_t order) {
  if (n_held_ == slots_.size()) make_room();
  const std::uint32_t a = find(left), b = find(right);
  if (a == kNone || b == kNone) return add_to_sketch(id, counted.count);
  Slot& slot = place(id, order, {});
  slot.left = a;
  slot.right = b;
  slot.count = counted.count;
  slot.missed = counted.missed;
  slot.fingerprint = counted.fingerprint;
  std::ranges::copy(moments, own_moments(first_free_).begin());
}

void AttributeTable::enter_with_all(AttributeId id, std::uint32_t order) {
  for (std::uint32_t longer = 2; longer <= order; ++longer) {  // shorter ones first, because longer ones need them
    struct Shorter {
      Slot slot;
      std::vector<double> sums;
      std::array<AttributeId, 2> ids;  // of its attributes
    };
    std::vector<Shorter> before;
    for (std::uint32_t at = 0; at < slots_.size(); ++at)
      if (const Slot& slot = slots_[at]; slot.order + 1u == longer && slot.id != id && !has_part(slot, id))
        before.push_back({slot,
                          {moments(at).begin(), moments(at).end()},
                          longer == 2 ? std::array{slot.id, ~AttributeId{0}}
                                      : std::array{slots_[slot.left].id, slots_[slot.right].id}});
    for (const auto& [slot, sums, ids] : before) {
      std::array<AttributeId, 3> parts{ids[0], ids[1], id};
      std::sort(parts.begin(), parts.end());
      const AttributeId left = longer == 2 ? parts[0] : combine_ids(parts[0], parts[1]), right = parts[longer - 1];
      put_conjunction(slot, sums, combine_ids(left, right), left, right, longer);  // occurs in the same rows
    }
  }
}

void AttributeTable::scale(double factor) {
  for (Slot& slot : slots_)
    for (const std::size_t label : {0u, 1u}) {
      slot.count[label] *= factor;
      slot.missed[label] = PastCounts::up(slot.missed[label] * factor);
    }
  past_.scale(factor);
  for (double& amount : load_) amount *= factor;
  most_evicted_ *= factor;
}

// --- results ---

Key AttributeTable::key_of(const Slot& slot) const {
  const auto single = [](const Slot& each) { return static_cast<Key>(each.id >> 32); };
  return slot.order == 1 ? single(slot) : combine_keys(key_of(slots_[slot.left]), single(slots_[slot.right]));
}

std::vector<AttributeTable::Held> AttributeTable::held(double least_outliers) const {
  std::vector<Held> found;
  std::vector<bool> taken(slots_.size());
  const auto take = [&](std::uint32_t at) {
    if (taken[at]) return;
    taken[at] = true;
    const Slot& slot = slots_[at];
    found.push_back({slot.id,
                     key_of(slot),
                     slot.left,
                     slot.right,
                     at,
                     slot.order,
                     slot.fingerprint,
                     slot.count,
                     {slot.missed[0], slot.missed[1]}});
  };
  for (std::uint32_t at = 0; at < slots_.size(); ++at) {
    const Slot& slot = slots_[at];
    const double missed_about = std::max(0.0, double{slot.missed[1]} - load_[1]);
    if (slot.order != 0 && slot.count[1] + missed_about >= least_outliers) take(at);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto [left, right] = std::pair(found[i].left, found[i].right);
    if (found[i].order == 1) continue;
    take(left);
    take(right);
  }
  return found;
}

double AttributeTable::n_distinct(bool conjunctions) const {
  const auto n = static_cast<double>(std::count_if(slots_.begin(), slots_.end(), [&](const Slot& slot) {
    return slot.order != 0 && (slot.order > 1) == conjunctions;
  }));
  return complete() ? n : std::max(n, distinct_[conjunctions].estimate());
}

double AttributeTable::mean_name_bytes() const {
  return n_names_ == 0 ? 0 : static_cast<double>(name_bytes_seen_) / static_cast<double>(n_names_);
}

std::size_t AttributeTable::nbytes() const {
  return slots_.size() * sizeof(Slot) + index_.size() * sizeof(std::uint32_t) + past_.nbytes() + sizeof(hash_) +
         names_.nbytes() + moments_.size() * sizeof(double) + 2 * sizeof(DistinctCounter);
}

}  // namespace wmsketch
