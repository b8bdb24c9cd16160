#include "wmsketch/apps/explain/explain_stream.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "wmsketch/data/error.hpp"
#include "wmsketch/data/hashing.hpp"
#include "wmsketch/readers/number_style.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch {
namespace {

constexpr std::string_view kMissing = "(missing)";
constexpr std::uint32_t kOfMetric = 2;   // after the two conditions
constexpr double kMostInflation = 1e15;  // limit, because missed amounts have single precision

std::size_t room_for_columns(const ExplainOptions& options, const Condition (&conditions)[2]) {
  std::size_t used = 0;
  for (const Condition& each : conditions) used += each.nbytes();
  for (const ConditionOptions* each : {&options.outlier, &options.where})
    for (const Comparison& comparison : each->comparisons)
      if (comparison.percentile) used -= std::min(used, options.quantile_bytes);
  return options.column_bytes - std::min(options.column_bytes, used);
}

}  // namespace

AttributeStream::AttributeStream(ExplainOptions options)
    : options_(std::move(options)),
      conditions_{{options_.where.comparisons, options_.where.steps, options_.quantile_bytes, options_.seed + 100},
                  {options_.outlier.comparisons, options_.outlier.steps, options_.quantile_bytes, options_.seed}},
      metric_(options_.metric),
      columns_(room_for_columns(options_, conditions_), options_.secret, metric_.n_moments()),
      table_(options_.table, options_.seed) {
  if (options_.order < 1 || options_.order > kMostOrder)
    throw parameter_error("order", "must be from 1 to 3", static_cast<std::uint64_t>(options_.order));
  require_parameter(options_.bins >= 2, "bins", "must be at least 2", options_.bins);
  require_parameter(options_.metric.size() <= 2 && options_.table.moments == metric_.n_moments(), "metric",
                    "must have one term or two, and a table with room for its moments", options_.table.moments);
  table_.totals = [this] { return counts_.amounts; };
  for (const Condition& condition : conditions_)
    for (std::size_t i = 0; i < condition.size(); ++i)
      if (add_column(condition.comparison(i).column) == ExplainColumns::kNone)
        throw std::invalid_argument("budget must be large enough for the columns of the condition");
}

// --- the parts of a row ---

void AttributeStream::begin_column(std::uint32_t id) {
  ExplainColumn& column = columns_[id];
  give_role(column);
  if (counts_.rows > 0 && column.attribute && columns_.size() <= kMostMissing) {
    const AttributeId missing = attribute_id(column.missing_key, 0);
    table_.enter_from_start(missing, id, kMissing, counts_.amounts, all_rows_, metric_);
    if (options_.order > 1) table_.enter_with_all(missing, options_.order);
  }
}

void AttributeStream::give_role(ExplainColumn& column) const {
  bool of_outlier = false;
  for (std::uint32_t which = 0; which < 2; ++which)
    for (std::uint32_t i = 0; i < conditions_[which].size(); ++i)
      if (conditions_[which].comparison(i).column == column.name()) {
        column.comparisons.emplace_back(which, i);
        of_outlier = of_outlier || which == 1;
      }
  for (std::uint32_t i = 0; i < metric_.size(); ++i)
    if (metric_.term(i).column == column.name() && metric_.term(i).of != MetricTerm::Of::rows) {
      column.comparisons.emplace_back(kOfMetric, i);
      of_outlier = true;
    }
  const auto& asked = options_.attributes;
  // the reader skips columns that were not asked for, except those of the conditions
  const auto covers = [&](const std::string& outer) {
    return column.name() == outer || column.name().starts_with(outer + '.');
  };
  column.attribute = asked.empty() ? !of_outlier : std::any_of(asked.begin(), asked.end(), covers);
}

void AttributeStream::read_row(const RowBlock& rows, std::size_t row, bool learning) {
  for (Condition& condition : conditions_) condition.start_row();
  metric_.start_row();
  parts_.clear();
  repeats_ = false;
  n_given_ = 0;
  const bool into_cells = learning && uses_cells();
  const auto end = static_cast<std::size_t>(rows.starts[row + 1]);
  for (auto i = static_cast<std::size_t>(rows.starts[row]); i < end; ++i) {
    if (!ahead_.empty() && ahead_[i - ahead_from_].column != ExplainColumns::kNone) {
      const Ahead& known = ahead_[i - ahead_from_];
      give(columns_[known.column]);
      parts_.push_back(
          {known.column, rows.keys[i], known.more, static_cast<std::uint32_t>(i), PartKind::value, known.slot});
      continue;
    }
    const RowBlock::Cell cell = rows.cell(i, scratch_);
    const bool stays = cell.id != RowBlock::kNoColumn && !cell.is_number;
    KnownValue* const value = stays && learning && !known_.empty() ? known_at(cell.word) : nullptr;
    if (value && is_known(*value, cell.word)) {
      give(columns_[value->column]);
      table_.prefetch(value->slot);
      const auto feature = static_cast<std::uint32_t>(i);
      parts_.push_back({value->column, rows.keys[i], value->more, feature, PartKind::value, &value->slot});
      continue;
    }
    const std::uint32_t column = add_column(cell);
    if (column == ExplainColumns::kNone) continue;
    ExplainColumn& known = columns_[column];
    if (into_cells && cell.is_number && known.cells.used() && known.comparisons.empty()) {
      give(known);
      if (known.attribute) add_cell(column, number_at(rows, i));
    } else {
      read_value(rows, i, cell, column, learning, value);
    }
  }
}

// As it stood in the data. The numbers of a block are read one after the other.
double AttributeStream::number_at(const RowBlock& rows, std::size_t place) const {
  const auto& numbers = rows.numbers;
  if (next_number_ >= numbers.size() || numbers[next_number_].place != place) {
    const auto found = std::lower_bound(numbers.begin(), numbers.end(), place,
                                        [](const RowBlock::Number& each, std::size_t at) { return each.place < at; });
    if (found == numbers.end() || found->place != place) return rows.values[place];
    next_number_ = static_cast<std::size_t>(found - numbers.begin());
  }
  return numbers[next_number_++].value;
}

void AttributeStream::read_value(const RowBlock& rows, std::size_t i, const RowBlock::Cell& cell, std::uint32_t id,
                                 bool learning, KnownValue* known) {
  ExplainColumn& column = columns_[id];
  const std::string_view word = cell.word;
  std::optional<double> number;
  if (cell.is_number) number = number_at(rows, i);
  if (!column.comparisons.empty()) {
    if (!number) number = number_or_amount_in(word);  // columns of conditions come as text, which is exact
    for (const auto& [which, place] : column.comparisons)
      if (which == kOfMetric)
        metric_.set(place, word, number, learning);
      else
        conditions_[which].set(place, word, number);
  }
  give(column);
  if (!column.attribute) return;
  const auto feature = static_cast<std::uint32_t>(i);
  if (!learning) {
    if (number) columns_.keep_number(id, *number);
  } else if (number && uses_cells() && columns_.give_cells(id, options_.bins)) {
    add_cell(id, *number);
  } else if (number && !column.edges.empty()) {
    const std::size_t bin = column.bin_of(*number);
    parts_.push_back({id, column.bin_keys[bin], 0, static_cast<std::uint32_t>(bin), PartKind::bin});
  } else if (cell.is_number) {
    parts_.push_back({id, columns_.key_of_number(id, *number), 0, feature, PartKind::number});
  } else {
    const auto more = static_cast<std::uint32_t>(hash_name(word, options_.secret));
    table_.prefetch_index(attribute_id(rows.keys[i], more));
    parts_.push_back({id, rows.keys[i], more, feature, PartKind::value});
    if (!known || !column.comparisons.empty()) return;
    *known = {word.data(), static_cast<std::uint32_t>(word.size()), id, more, AttributeTable::kNone, n_blocks_};
    parts_.back().slot = &known->slot;
  }
}

void AttributeStream::add_missing() {
  if (n_given_ == columns_.size() || columns_.size() > kMostMissing) return;
  for (std::uint32_t id = 0; id < columns_.size(); ++id) {
    const ExplainColumn& column = columns_[id];
    if (column.attribute && column.row != n_read_ + 1)
      parts_.push_back({id, column.missing_key, 0, 0, PartKind::missing});
  }
}

std::string AttributeStream::value_of(const RowBlock& rows, const Part& part) const {
  const ExplainColumn& column = columns_[part.column];
  switch (part.kind) {
    case PartKind::missing:
      return std::string(kMissing);
    case PartKind::bin:
      return column.bin_label(part.feature);
    case PartKind::number:
      return short_number(number_at(rows, part.feature));
    default: {
      std::string scratch, value(rows.cell(part.feature, scratch).word);
      return value == kMissing ? '"' + value + '"' : value;
    }
  }
}

// --- rows ---

bool AttributeStream::observe(const RowBlock& rows) {
  columns_.start_block();
  ahead_.clear();
  for (std::size_t row = 0; row < rows.size() && n_observed_ < options_.warm_up; ++row, ++n_observed_) {
    with_place(n_observed_, [&] { read_row(rows, row, false); });
    conditions_[0].observe();
    if (conditions_[0].truth() == Truth::yes) conditions_[1].observe();
  }
  return n_observed_ >= options_.warm_up;
}

void AttributeStream::finish_warm_up() {
  warm_ = true;
  for (Condition& condition : conditions_) condition.refresh();
  if (uses_cells())
    columns_.choose_cells(options_.bins);
  else
    columns_.choose_edges(options_.bins);
  columns_.forget_row();
}

bool AttributeStream::take_row(const RowBlock& rows, std::size_t row, bool& outlier) {
  const bool fresh = n_read_ >= n_observed_;
  if (fresh) conditions_[0].observe();
  if (conditions_[0].truth() != Truth::yes) {
    ++counts_.left_out;
    return false;
  }
  if (fresh) conditions_[1].observe();
  const Truth truth =
      conditions_[1].size() == 0 ? (rows.labels[row] > 0 ? Truth::yes : Truth::no) : conditions_[1].truth();
  outlier = truth == Truth::yes;
  if (truth == Truth::unknown) ++counts_.skipped;
  return truth != Truth::unknown;
}

void AttributeStream::fade(const RowBlock& rows, std::size_t row) {
  const HalfLife& half_life = options_.half_life;
  inflation_ /= half_life.kept_by_example();
  if (half_life.seconds > 0 && !rows.times.empty() && rows.times[row] > time_) {
    if (std::isfinite(time_)) inflation_ /= std::max(kNothingLeft, half_life.kept_after(rows.times[row] - time_));
    time_ = rows.times[row];
  }
  if (inflation_ < kMostInflation) return;
  scale(1 / inflation_);
  inflation_ = 1;
}

void AttributeStream::scale(double factor) {
  table_.scale(factor);
  for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].cells.scale(factor);
  for (double& amount : counts_.amounts) amount *= factor;
  counts_.squared *= factor * factor;
}

void AttributeStream::learn_row(const RowBlock& rows, std::size_t row) {
  with_place(n_read_, [&] { read_row(rows, row, true); });
  bool outlier = false;
  const bool counts = take_row(rows, row, outlier);
  if (counts && options_.only_outliers && !outlier) {
    ++counts_.rows;
    counts_.amounts[0] += rows.weights.empty() ? 1.0 : double{rows.weights[row]};
  } else if (counts) {
    add_missing();
    if (options_.order > 1 || repeats_) {  // the parts of a conjunction are in the order of their keys
      std::sort(parts_.begin(), parts_.end());
      parts_.erase(std::unique(parts_.begin(), parts_.end()), parts_.end());
    }
    if (fades()) fade(rows, row);
    const double amount = (rows.weights.empty() ? 1.0 : double{rows.weights[row]}) * inflation_;
    std::uint32_t sum_of_keys = 0;
    for (const Part& part : parts_) sum_of_keys += part.key;
    const std::uint32_t row_hash = count_row(outlier, amount, sum_of_keys);
    metric_.finish_row(outlier);
    table_.start_row(outlier, amount, row_hash, metric_.moments());
    count_parts(rows, outlier, amount, row_hash);
    if (options_.order > 1) count_conjunctions();
  }
  ++n_read_;
}

// Returns a hash of the contents of the row, not of its position. Attributes with equal sums of it occur in the same
// rows, whatever the order of the stream, and also after a merge.
std::uint32_t AttributeStream::count_row(bool outlier, double amount, std::uint32_t sum_of_keys) {
  ++counts_.rows;
  counts_.outliers += outlier ? 1 : 0;
  counts_.amounts[outlier] += amount;
  counts_.squared += amount * amount;
  const std::uint32_t row_hash = mix(sum_of_keys, {0x5bd1e995u, 0x1b873593u});
  all_rows_ += row_hash;
  return row_hash;
}

void AttributeStream::count_parts(const RowBlock& rows, bool outlier, double amount, std::uint32_t row_hash) {
  for (const Part& part : parts_)
    if (part.kind == PartKind::value && (!part.slot || *part.slot == AttributeTable::kNone))
      table_.prefetch_slot(part.id());
  for (const Part& part : parts_)
    if (part.kind == PartKind::cell)
      columns_[part.column].cells.add(std::bit_cast<float>(part.feature), outlier, amount, row_hash, metric_.moments());
    else if (!(part.slot ? table_.add(part.id(), *part.slot) : table_.add(part.id())))
      table_.enter(part.id(), part.column, value_of(rows, part));
}

// Conjunctions are scattered over the table, so the memory of many is asked for before they are counted.
void AttributeStream::count_conjunctions() {
  struct Conjunction {
    AttributeId id, left, right;
  };
  constexpr std::size_t kAhead = 64;
  std::array<Conjunction, kAhead> waiting;
  std::size_t n_waiting = 0;
  const auto count = [&] {
    for (std::size_t i = 0; i < n_waiting; ++i) table_.prefetch_slot(waiting[i].id);
    for (std::size_t i = 0; i < n_waiting; ++i)
      if (!table_.add(waiting[i].id)) table_.enter_conjunction(waiting[i].id, waiting[i].left, waiting[i].right);
    n_waiting = 0;
  };
  const auto add = [&](AttributeId id, AttributeId left, AttributeId right) {
    table_.prefetch_index(id);
    waiting[n_waiting++] = {id, left, right};
    if (n_waiting == kAhead) count();
  };
  const std::size_t n = parts_.size();
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      const AttributeId left = parts_[a].id(), right = parts_[b].id(), pair = combine_ids(left, right);
      add(pair, left, right);
      for (std::size_t c = b + 1; options_.order > 2 && c < n; ++c)
        add(combine_ids(pair, parts_[c].id()), pair, parts_[c].id());
    }
  }
  count();
}

RowCounts AttributeStream::counts() const {
  RowCounts found = counts_;
  for (double& amount : found.amounts) amount /= inflation_;
  found.squared /= inflation_ * inflation_;
  return found;
}

AttributeStream::HeldNow AttributeStream::held(double least_outliers) const {
  HeldNow now{table_.held(least_outliers * inflation_)};
  for (const AttributeTable::Held& each : now.held) {
    now.names.push_back(each.order == 1 ? table_.name(each.slot) : std::string());
    now.shortened.push_back(each.order == 1 && table_.shortened(each.slot));
    const auto sums = table_.moments(each.slot);
    now.moments.insert(now.moments.end(), sums.begin(), sums.end());
  }
  for (std::uint32_t id = 0; id < columns_.size(); ++id)
    for (NumberCells::Bin& bin : columns_[id].cells.bins()) {
      const Key key = key_of_name(columns_[id].prefix + bin.label, options_.secret);
      now.held.push_back({attribute_id(key, 0),
                          key,
                          ExplainColumns::kNone,
                          id,
                          ExplainColumns::kNone,
                          1,
                          bin.fingerprint,
                          bin.amounts,
                          {}});
      now.names.push_back(std::move(bin.label));
      now.shortened.push_back(0);
      now.moments.insert(now.moments.end(), bin.moments.begin(), bin.moments.end());
    }
  return now;
}

std::size_t AttributeStream::n_bins() const {
  std::size_t n = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) n += columns_[i].cells.bins().size();
  return n;
}

std::size_t AttributeStream::nbytes() const {
  std::size_t bytes = columns_.nbytes() + table_.nbytes();
  for (const Condition& each : conditions_) bytes += each.nbytes();
  return bytes;
}

}  // namespace wmsketch
