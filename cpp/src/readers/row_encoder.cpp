// Roles and kinds of columns, and the assembly of rows.
#include <algorithm>

#include "wmsketch/data/error.hpp"
#include "wmsketch/data/hashing.hpp"
#include "wmsketch/readers/row_encoder_block.hpp"
#include "wmsketch/readers/times.hpp"

namespace wmsketch {
namespace {

// Limits on the columns, and on the bytes of their names, that are kept between blocks. Every row may have new nested
// names.
constexpr std::size_t kMostColumns = 1 << 16;
constexpr std::size_t kMostColumnBytes = 1 << 20;
constexpr std::size_t kMostReported = 1 << 12;  // with more columns, rows are not a table and kinds are not reported

// Whether `name` is `outer` (or one of the list), or nested in it: `a.b` is nested in `a`.
bool covers(std::string_view outer, std::string_view name) {
  return name == outer || (name.size() > outer.size() && name.starts_with(outer) && name[outer.size()] == '.');
}

bool covers(const std::vector<std::string>& list, std::string_view name) {
  return std::any_of(list.begin(), list.end(), [&](const std::string& outer) { return covers(outer, name); });
}

}  // namespace

RowEncoder::RowEncoder(EncoderOptions options)
    : options_(std::move(options)),
      rule_({.require_labels = options_.require_labels,
             .many_classes = options_.many_classes,
             .numeric = options_.numeric_label,
             .may_lack = !options_.require_labels}),
      condition_(options_.where.comparisons, options_.where.steps, 0, 0),
      kinds_(options_.kinds),
      variable_words_(options_.variable_words),
      block_(std::make_unique<Block>(options_.secret)),
      sides_(options_.interactions.size()) {
  require_parameter(options_.ngrams >= 1, "ngrams", "must be at least 1", options_.ngrams);
  if (options_.positive) {
    positive_number_ = number_in(*options_.positive);
    if (const auto truth = boolean_in(*options_.positive)) positive_number_ = *truth ? 1 : 0;
  }
  for (const std::string& word : options_.na)
    if (const auto number = number_in(word)) na_numbers_.push_back(*number);
  for (const auto* names :
       {&options_.features, &options_.ignore, &options_.numeric, &options_.categorical, &options_.text})
    unseen_.insert(unseen_.end(), names->begin(), names->end());
  for (const auto& [left, right] : options_.interactions) unseen_.insert(unseen_.end(), {left, right});
  for (const Comparison& each : options_.where.comparisons) {
    if (each.percentile)
      throw std::invalid_argument("where cannot use percentiles: those of " + quoted(each.column) +
                                  " are known only after all rows are read");
    unseen_.push_back(each.column);
  }
  for (const auto& [left, right] : options_.interactions)
    for (const std::string& name : {left, right})
      if (role_of(name) < Role::automatic)
        throw std::invalid_argument("the interaction " + left + ":" + right + " needs " + quoted(name) +
                                    " as a feature, but it is ignored, the label, the weight or the time");
}

RowEncoder::~RowEncoder() = default;

RowEncoder::Role RowEncoder::role_of(std::string_view name) const {
  if (!options_.label.empty() && name == options_.label) return Role::label;
  if (!options_.weight.empty() && name == options_.weight) return Role::weight;
  if (!options_.time.empty() && name == options_.time) return Role::time;
  if (covers(options_.ignore, name)) return Role::skip;
  if (!options_.features.empty() && !covers(options_.features, name)) return Role::skip;
  if (covers(options_.text, name)) return Role::text;
  if (covers(options_.categorical, name)) return Role::categorical;
  if (covers(options_.numeric, name)) return Role::numeric;
  return options_.only_categories ? Role::categorical : Role::automatic;
}

// Whether this is a column of the model's table, or contains one: `a` contains `a.b`.
bool RowEncoder::is_known(std::string_view name) const {
  if (!options_.known) return true;
  const auto& known = *options_.known;
  std::string inside(name);
  if (known.contains(inside)) return true;
  inside += '.';
  const auto next = known.lower_bound(inside);
  return next != known.end() && next->starts_with(inside);
}

RowEncoder::ColumnId RowEncoder::column(std::string_view name) {
  scratch_.assign(name);
  if (const auto found = ids_.find(scratch_); found != ids_.end()) return found->second;
  const auto id = static_cast<ColumnId>(columns_.size());
  Column& column = columns_.emplace_back();
  column.name = name;
  if (!name.empty()) column.prefix = column.name + '=';
  column.role = role_of(name);
  column.unknown = column.role >= Role::automatic && !is_known(name);
  if (column.unknown) column.role = Role::skip;
  column.key = key_of_name(name, options_.secret);
  column.expected = std::any_of(options_.expected.begin(), options_.expected.end(), [&](const std::string& wanted) {
    return covers(wanted, name) || covers(name, wanted);
  });
  if (const auto known = kinds_.find(column.name); known != kinds_.end()) column.kind = known->second;
  if (const auto known = options_.kinds.find(column.name); known != options_.kinds.end())
    if (known->second == ColumnKind::number) column.amounts.emplace();
  if (const auto known = amounts_.find(column.name); known != amounts_.end()) column.amounts = known->second;
  if (const auto known = options_.seen.find(column.name); known != options_.seen.end()) column.seen = known->second;
  column.had_words = column.seen == ColumnKind::text;
  column.names_epoch = names_epoch(name);
  std::erase_if(unseen_, [&](const std::string& wanted) { return covers(wanted, name) || covers(name, wanted); });
  for (std::uint32_t i = 0; i < condition_.size(); ++i)
    if (condition_.comparison(i).column == name) column.tests.push_back(i);
  for (std::uint32_t i = 0; i < options_.interactions.size(); ++i) {
    if (options_.interactions[i].first == name) column.sides.push_back(2 * i);
    if (options_.interactions[i].second == name) column.sides.push_back(2 * i + 1);
  }
  ids_.emplace(column.name, id);
  name_bytes_ += name.size();
  return id;
}

RowEncoder::ColumnId RowEncoder::column_inside(ColumnId outer, std::string_view inner) {
  return column(columns_[outer].name + '.' + std::string(inner));
}

void RowEncoder::require_expected_column() const {
  if (row_has_expected_ || unexpected_ == kUnset) return;
  constexpr std::size_t kMostShown = 5;
  std::string names;
  for (std::size_t i = 0; i < std::min(options_.expected.size(), kMostShown); ++i)
    names += (i == 0 ? "" : ", ") + options_.expected[i];
  throw NoKnownColumn{{"the row has none of the columns of the model (" + names +
                       (options_.expected.size() > kMostShown ? ", ..." : "") + "), but it has the column " +
                       columns_[unexpected_].name}};
}

std::vector<std::string> RowEncoder::column_names() const {
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(column.name);
  return names;
}

std::vector<std::string> RowEncoder::unknown_names() const {
  std::vector<std::string> names;
  for (const Column& column : columns_)
    if (column.unknown) names.push_back(column.name);
  return names;
}

std::vector<std::string> RowEncoder::number_names() const {
  std::vector<std::string> names;
  for (const Column& column : columns_)
    if (column.seen == ColumnKind::number || column.seen == ColumnKind::mixed) names.push_back(column.name);
  return names;
}

void RowEncoder::set_kind(ColumnId id, ColumnKind kind) {
  columns_[id].kind = kind;
  kinds_[columns_[id].name] = kind;
}

void RowEncoder::count_odd(ColumnId id, std::string_view value, bool missing) {
  constexpr std::size_t kLongest = 80;
  constexpr std::uint64_t kWindow = 1000, kMany = 200;  // rows to judge by, and how many odd values settle it
  Column& column = columns_[id];
  if (column.odd == kUnset) {
    const auto same = [&](const Odd& each) { return each.column == column.name; };
    auto known = std::find_if(odd_.begin(), odd_.end(), same);
    if (known == odd_.end()) {
      if (odd_.size() == kMostOdd) return;
      const std::size_t size = std::min(value.size(), kLongest);
      const bool boolean = column.kind == ColumnKind::boolean;
      known = odd_.insert(odd_.end(), {column.name, std::string(value.substr(0, size)), 0, row_number_, missing,
                                       boolean, is_time(column.kind)});
    }
    column.odd = static_cast<std::uint32_t>(known - odd_.begin());
  }
  Odd& odd = odd_[column.odd];
  ++odd.count;
  row_odd_.push_back(column.odd);
  if (odd.mostly_from != 0) return;
  if (odd.window_row == 0 || row_number_ - odd.window_row > kWindow) {
    odd.window_row = row_number_;
    odd.window_count = 0;
  }
  if (++odd.window_count >= kMany && 2 * odd.window_count > row_number_ - odd.window_row)
    odd.mostly_from = odd.window_row;
}

void RowEncoder::note_code(ColumnId id, std::string_view code, bool is_number) {
  constexpr std::size_t kMostNoted = 20;
  const std::string& name = columns_[id].name;
  const auto same = [&](const Code& each) { return each.column == name; };
  if (codes_.size() < kMostNoted && std::none_of(codes_.begin(), codes_.end(), same))
    codes_.push_back({name, std::string(code), is_number});
}

void RowEncoder::see_new_kind(ColumnId id, ColumnKind kind) {
  if (notes()) note(id, kind);
  Column& column = columns_[id];
  if (column.seen == kind || column.seen == ColumnKind::mixed) return;
  row_seen_.emplace_back(id, column.seen);
  column.seen = column.seen == ColumnKind::unknown ? kind : ColumnKind::mixed;
  if (columns_.size() > kMostReported) {
    block_->more_new_kinds = true;
    return;
  }
  block_->new_kinds.emplace_back(column.name, column.seen);
  ++row_reported_;
}

void RowEncoder::note(ColumnId id, ColumnKind kind) {
  Column& column = columns_[id];
  if (column.noted_block != n_blocks_) {
    column.noted_block = n_blocks_;
    column.noted = static_cast<std::uint32_t>(block_->column_names.size());
    block_->column_names.push_back(column.name);
  }
  if (column.noted_row != row_number_) {
    column.noted_row = row_number_;
    column.noted_place = static_cast<std::uint32_t>(row_columns_.size());
    row_columns_.push_back({column.noted, kind});
    return;
  }
  ColumnKind& before = row_columns_[column.noted_place].kind;  // a list, or a repeated key
  if (before == ColumnKind::unknown) before = kind;
  if (kind != ColumnKind::unknown && kind != before) before = ColumnKind::mixed;
}

bool RowEncoder::wants_text(ColumnId id) const {
  const Column& column = columns_[id];
  return column.role == Role::label || column.role == Role::categorical || column.role == Role::text ||
         (column.role == Role::automatic && (column.kind == ColumnKind::text || column.kind == ColumnKind::boolean));
}

void RowEncoder::set_weight(const Column& column, double weight) {
  if (!fits_float(weight) || weight < 0)
    throw BadValue{"expected a weight of at least 0 in column " + quoted(column.name) + ", found " +
                   std::to_string(weight)};
  row_weight_ = weight;
}

void RowEncoder::set_time(const Column& column, std::optional<double> seconds, std::string_view written) {
  if (!seconds && options_.require_labels)
    throw BadValue{"expected a time in column " + quoted(column.name) +
                   ", in seconds or like 2024-05-17 08:30:00, found " + quoted(written)};
  row_time_ = seconds;
}

void RowEncoder::add_interactions() {
  Block& block = *block_;
  for (auto& [left, right] : sides_) {
    for (const std::uint32_t a : left) {
      for (const std::uint32_t b : right) {
        const float value = block.values[a] * block.values[b];
        if (!fits_float(value))
          throw BadValue{"expected a finite product in the interaction " + quoted(block.name(a) + "&" + block.name(b))};
        block.keys.push_back(combine_keys(block.keys[a], block.keys[b]));
        block.values.push_back(value);
        block.names.push_back(block.add_name({static_cast<std::uint32_t>(block.products.size()), kUnset, 0}));
        block.products.push_back({static_cast<std::uint32_t>(block.keys.size() - 1), a, b});
      }
    }
    left.clear();
    right.clear();
  }
}

void RowEncoder::start_test() {
  testing_ = true;
  condition_.start_row();
}

bool RowEncoder::passes() {
  testing_ = false;
  return condition_.truth() == Truth::yes;
}

void RowEncoder::test(ColumnId id, std::string_view word, std::optional<double> number) {
  if (!is_tested(id) || is_na(word)) return;
  if (!number && !word.empty()) number = number_or_amount_in(word);
  if (number && std::find(na_numbers_.begin(), na_numbers_.end(), *number) != na_numbers_.end()) return;
  try {
    for (const std::uint32_t i : columns_[id].tests) condition_.set(i, word, number);
  } catch (const std::invalid_argument& problem) {
    throw BadValue{problem.what(), Fault::value, "", std::string(word)};
  }
}

void RowEncoder::end_row() {
  require_expected_column();
  Block& block = *block_;
  add_interactions();
  if (!options_.label.empty() && row_class_ == 0) {
    const std::string problem = rule_.missing_label_problem();
    if (!problem.empty())
      throw BadValue{problem + " in column " + quoted(options_.label) + ", found none", Fault::label};
  }
  if (!options_.weight.empty()) {
    if (row_weight_ < 0 && options_.require_labels)
      throw BadValue{"expected a weight in column " + quoted(options_.weight) + ", found none"};
    block.weights.push_back(row_weight_ < 0 ? 1.0f : static_cast<float>(row_weight_));
  }
  if (!options_.time.empty() && options_.require_labels) {
    if (!row_time_) throw BadValue{"expected a time in column " + quoted(options_.time) + ", found none"};
    block.times.push_back(*row_time_);
  }
  rule_.put(row_class_, block);
  if (notes()) {
    block.first_rows.push_back(row_columns_);
    row_columns_.clear();
    ++n_noted_;
  }
  ++row_number_;
  row_odd_.clear();
  row_seen_.clear();
  row_reported_ = 0;
  block.starts.push_back(static_cast<std::int64_t>(block.keys.size()));
  start_row();
}

void RowEncoder::start_row() {
  row_has_expected_ = false;
  unexpected_ = kUnset;
  row_class_ = 0;
  row_weight_ = -1;
  row_time_.reset();
}

void RowEncoder::drop_row() {
  testing_ = false;
  block_->truncate(static_cast<std::size_t>(block_->starts.back()));
  for (auto& [left, right] : sides_) {
    left.clear();
    right.clear();
  }
  row_columns_.clear();
  for (; !row_odd_.empty(); row_odd_.pop_back()) --odd_[row_odd_.back()].count;
  for (; !row_seen_.empty(); row_seen_.pop_back()) columns_[row_seen_.back().first].seen = row_seen_.back().second;
  block_->new_kinds.resize(block_->new_kinds.size() - std::exchange(row_reported_, 0));
  rule_.drop();
  ++row_number_;
  start_row();
}

void RowEncoder::forget_columns() {
  if (columns_.size() <= kMostColumns && name_bytes_ <= kMostColumnBytes) return;
  columns_.clear();
  ids_.clear();
  memo_.reset();
  name_bytes_ = 0;
  ++generation_;
}

const RowBlock& RowEncoder::rows() const { return *block_; }

void RowEncoder::restart() {
  block_->clear();
  block_->arena.clear();
  block_->names.clear();
  block_->slices.clear();
  block_->columns.clear();
  ++n_blocks_;
  forget_columns();
}

std::unique_ptr<RowBlock> RowEncoder::take() {
  std::unique_ptr<Block> done = std::move(block_);
  block_ = std::make_unique<Block>(options_.secret);
  block_->reserve_like(*done);
  ++n_blocks_;
  forget_columns();
  if (!memo_) memo_.emplace();
  return done;
}

}  // namespace wmsketch
