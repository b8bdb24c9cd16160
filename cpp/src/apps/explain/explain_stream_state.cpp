// The state of an explainer: merging, saving and loading.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "wmsketch/apps/explain/explain_stream.hpp"
#include "wmsketch/data/archive_names.hpp"
#include "wmsketch/data/saturating.hpp"

namespace wmsketch {

namespace {

std::uint32_t named(const ExplainColumns& columns, std::string_view name) {
  for (std::uint32_t i = 0; i < columns.size(); ++i)
    if (columns[i].name() == name) return i;
  return ExplainColumns::kNone;
}

// Whether the table holds single numbers of this column.
bool has_single_numbers(const AttributeTable& table, const ExplainColumns& columns, std::uint32_t id) {
  for (const AttributeTable::Held& held : table.held())
    if (held.order == 1 && held.right == id && static_cast<std::uint32_t>(held.id) == 0 &&
        held.key != columns[id].missing_key)
      return true;
  return false;
}

}  // namespace

void AttributeStream::require_mergeable(const AttributeStream& other) {
  if (!warm_ || !other.warm_) throw std::invalid_argument("merge needs a finished warm-up of both streams");
  for (const Condition& each : conditions_)
    for (std::size_t i = 0; i < each.size(); ++i)
      if (each.comparison(i).percentile && !(each.held() && same_percentiles(other)))
        throw std::invalid_argument("percentiles of two streams cannot be merged: compare column '" +
                                    each.comparison(i).column + "' with a number");
  for (std::uint32_t i = 0; i < other.columns_.size(); ++i) {
    const std::uint32_t mine = named(columns_, other.columns_[i].name());
    if (mine == ExplainColumns::kNone) continue;
    if (columns_[mine].edges != other.columns_[i].edges)
      throw std::invalid_argument("the bins of column '" + std::string(other.columns_[i].name()) +
                                  "' differ: read it as categories, or ignore it");
    const bool cells = columns_[mine].cells.used(), their_cells = other.columns_[i].cells.used();
    if ((cells && !their_cells && has_single_numbers(other.table_, other.columns_, i)) ||
        (their_cells && !cells &&
         (has_single_numbers(table_, columns_, mine) || !columns_.give_cells(mine, options_.bins))))
      throw std::invalid_argument("only one of the streams had room for the bins of column '" +
                                  std::string(other.columns_[i].name()) + "': give both a larger budget");
  }
}

void AttributeStream::merge(const AttributeStream& other) {
  require_mergeable(other);
  // a column that one stream never had was missing in all its rows
  const double theirs = 1 / other.inflation_;
  scale(1 / inflation_);
  inflation_ = 1;
  std::vector<std::uint32_t> column_of;
  for (std::size_t i = 0; i < other.columns_.size(); ++i) {
    const std::uint32_t id = add_column(other.columns_[i].name());
    column_of.push_back(id);
    if (id != ExplainColumns::kNone && columns_[id].edges.empty() && !other.columns_[i].edges.empty())
      columns_.set_edges(id, other.columns_[i].edges);
    if (id != ExplainColumns::kNone && other.columns_[i].cells.used() && columns_.give_cells(id, options_.bins)) {
      NumberCells cells = other.columns_[i].cells;
      cells.scale(theirs);
      columns_[id].cells.merge(cells);
    }
  }
  AttributeTable copy = other.table_;
  copy.scale(theirs);
  for (std::uint32_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].attribute && columns_.size() <= kMostMissing &&
        named(other.columns_, columns_[i].name()) == ExplainColumns::kNone) {
      Amounts all = other.counts_.amounts;
      for (double& amount : all) amount *= theirs;
      // ids of the other side come first; a column that only we have gets the next id
      column_of.push_back(i);
      const AttributeId id = attribute_id(columns_[i].missing_key, 0);
      copy.enter_from_start(id, static_cast<std::uint32_t>(column_of.size()) - 1, "(missing)", all, other.all_rows_,
                            other.metric_);
      if (options_.order > 1) copy.enter_with_all(id, options_.order);
    }
  for (const std::size_t label : {0u, 1u}) counts_.amounts[label] += other.counts_.amounts[label] * theirs;
  counts_.squared += other.counts_.squared * theirs * theirs;
  counts_.rows = add_saturating(counts_.rows, other.counts_.rows);
  counts_.outliers = add_saturating(counts_.outliers, other.counts_.outliers);
  counts_.skipped = add_saturating(counts_.skipped, other.counts_.skipped);
  counts_.left_out = add_saturating(counts_.left_out, other.counts_.left_out);
  n_read_ = add_saturating(n_read_, other.n_read_);
  n_observed_ = std::max(n_observed_, other.n_observed_);
  all_rows_ += other.all_rows_;
  time_ = std::max(time_, other.time_);
  metric_.merge(other.metric_);
  table_.merge(copy, column_of);
}

void AttributeStream::archive(Archive& archive) {
  archive.value("rows", counts_.rows);
  archive.value("outliers", counts_.outliers);
  archive.value("skipped", counts_.skipped);
  archive.value("left_out_rows", counts_.left_out);
  archive.fixed("amounts", counts_.amounts.data(), 2);
  archive.value("squared", counts_.squared);
  archive.value("n_observed", n_observed_);
  archive.value("n_read", n_read_);
  archive.value("all_rows", all_rows_);
  archive.value("inflation", inflation_);
  archive.value("time", time_);
  metric_.archive(archive);
  columns_.archive(archive, options_.bins);
  conditions_[0].archive(archive, "where");
  conditions_[1].archive(archive, "outlier");
  table_.archive(archive);
  if (!archive.loading()) return;
  require_state(inflation_ >= 1, "the scale of the counts is below 1");
  for (const auto& held : table_.held())
    require_state(held.order > 1 || held.right < columns_.size(), "an attribute belongs to an unknown column");
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    columns_[i].comparisons.clear();
    give_role(columns_[i]);
  }
  warm_ = true;
}

void AttributeTable::merge(const AttributeTable& other, std::span<const std::uint32_t> column_of) {
  if (slots_.size() != other.slots_.size() || past_.nbytes() != other.past_.nbytes() ||
      mix(1, hash_) != mix(1, other.hash_))
    throw std::invalid_argument("cannot merge: both must have the same budget and seed");
  const auto ids_of = [](const AttributeTable& table, const Slot& slot) {
    return slot.order == 1 ? std::array<AttributeId, 2>{}
                           : std::array{table.slots_[slot.left].id, table.slots_[slot.right].id};
  };
  // what each side may have evicted of ids that the other holds
  for (Slot& slot : slots_)
    if (slot.order != 0 && !other.holds(slot.id)) {
      const auto [left, right] = ids_of(*this, slot);
      add_missed(slot, other.missed_of(left, right, slot.id, slot.order));
    }
  std::vector<std::uint32_t> theirs;
  for (std::uint32_t at = 0; at < other.slots_.size(); ++at)
    if (other.slots_[at].order != 0) theirs.push_back(at);
  std::sort(theirs.begin(), theirs.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Slot &left = other.slots_[a], &right = other.slots_[b];
    return left.order != right.order ? left.order < right.order : left.id < right.id;
  });
  std::vector<std::pair<Slot, std::uint32_t>> fresh;
  for (const std::uint32_t at : theirs) {
    const Slot& slot = other.slots_[at];
    const std::uint32_t mine = find(slot.id);
    if (mine == kNone) {
      Slot added = slot;
      const auto [left, right] = ids_of(other, slot);
      add_missed(added, missed_of(left, right, slot.id, slot.order));
      fresh.emplace_back(added, at);
      continue;
    }
    for (const std::size_t label : {0u, 1u}) slots_[mine].count[label] += slot.count[label];
    add_missed(slots_[mine], {slot.missed[0], slot.missed[1]});
    slots_[mine].fingerprint = (slots_[mine].fingerprint + slot.fingerprint) & 0x3fffffffu;
    add_moments(mine, other.moments(at));
  }
  past_.merge(other.past_);
  n_evicted_ += other.n_evicted_;
  most_evicted_ += other.most_evicted_;
  n_names_ += other.n_names_;
  name_bytes_seen_ += other.name_bytes_seen_;
  for (const std::size_t i : {0u, 1u}) distinct_[i].merge(other.distinct_[i]);
  for (const auto& [slot, at] : fresh) {
    if (slot.order > 1) {
      const auto [left, right] = ids_of(other, slot);
      put_conjunction(slot, other.moments(at), slot.id, left, right, slot.order);
      continue;
    }
    if (column_of[slot.right] == kNone) continue;
    if (n_held_ == slots_.size()) make_room();
    Slot& added = place(slot.id, 1, {});
    added = slot;
    added.right = column_of[slot.right];
    std::ranges::copy(other.moments(at), own_moments(first_free_).begin());
    names_.set(first_free_, other.names_.view(at), other.names_.shortened(at));
  }
  load_ = past_.load();
}

void AttributeTable::archive(Archive& archive) {
  std::vector<AttributeId> ids;
  std::vector<std::uint32_t> lefts, rights, fingerprints;
  std::vector<std::uint8_t> orders;
  std::vector<double> counts;
  std::vector<float> missed;
  for (const Slot& slot : slots_) {
    ids.push_back(slot.id);
    lefts.push_back(slot.left);
    rights.push_back(slot.right);
    fingerprints.push_back(slot.fingerprint);
    orders.push_back(static_cast<std::uint8_t>(slot.order));
    counts.insert(counts.end(), slot.count.begin(), slot.count.end());
    missed.insert(missed.end(), slot.missed.begin(), slot.missed.end());
  }
  const std::size_t n = slots_.size();
  archive.fixed("ids", ids.data(), n);
  archive.fixed("lefts", lefts.data(), n);
  archive.fixed("rights", rights.data(), n);
  archive.fixed("fingerprints", fingerprints.data(), n);
  archive.fixed("orders", orders.data(), n);
  archive.fixed("counts", counts.data(), 2 * n);
  archive.fixed("missed", missed.data(), 2 * n);
  if (n_moments_ > 0) archive.fixed("moments", moments_.data(), moments_.size());
  past_.archive(archive);
  archive_names(archive, names_);
  distinct_[0].archive(archive, "distinct");
  distinct_[1].archive(archive, "distinct_conjunctions");
  archive.value("n_let_go", n_evicted_);
  archive.value("most_let_go", most_evicted_);
  archive.value("n_names", n_names_);
  archive.value("name_bytes_seen", name_bytes_seen_);
  if (!archive.loading()) return;
  n_held_ = 0;
  for (const double sum : moments_) require_state(std::isfinite(sum), "a sum of the metric is not finite");
  for (std::size_t i = 0; i < n; ++i) {
    Slot& slot = slots_[i];
    require_state(orders[i] <= 3, "a conjunction has more than three attributes");
    slot.id = ids[i];
    slot.left = lefts[i];
    slot.right = rights[i];
    slot.fingerprint = fingerprints[i] & 0x3fffffffu;
    slot.order = orders[i] & 3u;
    for (const std::size_t label : {0u, 1u}) {
      slot.count[label] = counts[2 * i + label];
      slot.missed[label] = missed[2 * i + label];
      require_state(slot.count[label] >= 0 && slot.missed[label] >= 0, "a count is negative");
    }
    n_held_ += slot.order != 0;
  }
  first_free_ = 0;
  rebuild_index();
  for (const Slot& slot : slots_)
    require_state(slot.order < 2 || (slot.left < n && slot.right < n && slots_[slot.left].order + 1 == slot.order &&
                                     slots_[slot.right].order == 1),
                  "a conjunction is held without its parts");
  load_ = past_.load();
}

}  // namespace wmsketch
