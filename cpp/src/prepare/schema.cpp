#include "wmsketch/prepare/schema.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "wmsketch/data/hashing.hpp"
#include "wmsketch/prepare/column_sizes.hpp"

namespace wmsketch {
namespace {

// What the first rows show of one column.
struct Seen {
  std::string name;
  std::size_t rows = 0;
  ColumnKind kind = ColumnKind::unknown;
};

class FirstRows {
 public:
  // Rows of weight 0 are ignored.
  void add(const RowBlock& block, std::span<const float> weights) {
    for (std::size_t row = 0; row < std::min(block.size(), block.first_rows.size()) && !enough(); ++row) {
      if (block.first_rows[row].empty() || (!weights.empty() && weights[row] == 0)) continue;
      ++rows;
      for (const auto& [column, kind] : block.first_rows[row]) add(block.column_names[column], kind);
      add_sizes(block, block.starts[row], block.starts[row + 1]);
    }
  }
  bool enough() const { return rows >= Schema::kFirstRows; }

  std::size_t rows = 0;
  std::vector<Seen> columns;
  ColumnSizes sizes;

 private:
  void add_sizes(const RowBlock& block, std::int64_t begin, std::int64_t end) {
    auto number = std::lower_bound(block.numbers.begin(), block.numbers.end(), begin,
                                   [](const RowBlock::Number& each, std::int64_t at) { return each.place < at; });
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const bool is_number = number != block.numbers.end() && number->place == i;
      sizes.add(block.keys[i], is_number ? number->value : block.values[i]);
      if (is_number) ++number;
    }
  }
  void add(const std::string& name, ColumnKind kind) {
    const auto [found, is_new] = places_.try_emplace(name, columns.size());
    if (is_new) columns.push_back({name});
    Seen& seen = columns[found->second];
    ++seen.rows;
    seen.kind = joined(seen.kind, kind);
  }
  std::unordered_map<std::string, std::size_t> places_;
};

bool holds_numbers(ColumnKind kind) {
  return kind == ColumnKind::number || kind == ColumnKind::mixed || kind == ColumnKind::sparse;
}
bool may_be_number(ColumnKind kind) {
  return kind != ColumnKind::text && kind != ColumnKind::boolean && !is_time(kind);
}

}  // namespace

Schema Schema::open(const SchemaOptions& options) {
  Schema schema(options);
  schema.state_ = State::open;
  return schema;
}

Schema Schema::of_columns(std::span<const Column> columns, const SchemaOptions& options, bool numbered) {
  Schema schema(options);
  schema.state_ = State::table;
  schema.numbered_ = numbered;
  if (columns.size() > kMostColumns)
    throw std::invalid_argument("a table must have at most " + std::to_string(kMostColumns) + " columns, got " +
                                std::to_string(columns.size()));
  for (const Column& column : columns) schema.add(column);
  schema.index();
  return schema;
}

// Rows without features say nothing about columns, so that only few of them are held.
bool Schema::fits_held(const RowBlock& block) const {
  const auto has_features = [](const RowBlock& rows) { return rows.starts.back() > rows.starts.front(); };
  const bool any = has_features(held_) || has_features(block);
  const std::size_t most = any ? options_.most_held_bytes : std::min(options_.most_held_bytes, kMostWithoutFeatures);
  return held_.nbytes() + HeldRows::bytes_of(block) <= most;
}

std::optional<Schema> Schema::decide(const RowBlock* block, std::span<const float> weights, bool now) const {
  FirstRows first;
  first.add(held_, held_.weights);
  if (block) first.add(*block, weights);
  const bool featureless =
      block && block->starts.back() == block->starts.front();  // without features, names cannot be judged
  const bool named = !block || featureless || (block->named && block->first_rows.size() > 0);
  const bool fits = !block || fits_held(*block);
  if (!now && named && fits && !first.enough()) return std::nullopt;
  const auto in_nearly_all = [&](const Seen& seen) { return 10 * seen.rows >= 9 * first.rows; };
  const auto n_common =
      static_cast<std::size_t>(std::count_if(first.columns.begin(), first.columns.end(), in_nearly_all));
  const bool all = options_.numbers == Numbers::scaled;
  const bool table = all || 2 * n_common >= first.columns.size();
  if (first.rows < 2 || (!table && options_.numbers == Numbers::raw)) return open(options_);
  const auto of_those = [&](auto wanted) {
    std::vector<Column> columns;
    for (const Seen& seen : first.columns) {
      if (!wanted(seen)) continue;
      const bool scaled = options_.numbers != Numbers::raw && may_be_number(seen.kind);
      columns.push_back({seen.name, seen.kind, scaled ? std::optional(NumberScale{}) : std::nullopt});
    }
    const std::size_t n_seen = columns.size();
    add_numeric_to(columns);
    Schema schema = of_columns(columns, options_);
    schema.others_ = n_seen < first.columns.size();
    schema.set_first_ranges(held_, block, weights);
    return schema;
  };
  const auto fits_in = [&](const Schema& schema) { return schema.most_nbytes() <= options_.most_bytes; };
  if (!table) {  // an open vocabulary: only columns whose numbers are of another size have a scale
    const std::set<Key> unusual = first.sizes.unusual();
    const auto is_unusual = [&](const Seen& seen) {
      return holds_numbers(seen.kind) && unusual.contains(key_of_name(seen.name, options_.secret));
    };
    if (unusual.empty() || std::none_of(first.columns.begin(), first.columns.end(), is_unusual)) return open(options_);
    Schema few = of_those(is_unusual);
    return fits_in(few) ? few : open(options_);
  }
  // Numbers that some rows lack must be scaled too. Unscaled, a large one would dominate all other columns.
  Schema schema = of_those([&](const Seen& seen) { return all || in_nearly_all(seen) || holds_numbers(seen.kind); });
  if (!all && !fits_in(schema)) schema = of_those(in_nearly_all);
  if (!fits_in(schema))
    throw std::invalid_argument("the rows are a table of " + std::to_string(schema.size()) +
                                " columns, whose schema takes " + std::to_string(schema.most_nbytes()) +
                                " bytes, but it may take at most half of the budget, " +
                                std::to_string(options_.most_bytes) + " bytes; a budget of " +
                                std::to_string(2 * schema.most_nbytes()) + " bytes has room for it");
  return schema;
}

// Adds columns that the user declared numeric and that no row has had so far.
void Schema::add_numeric_to(std::vector<Column>& columns) const {
  if (options_.numbers == Numbers::raw) return;
  for (const std::string& name : options_.numeric) {
    const auto covers = [&](const Column& column) {
      return column.name == name || column.name.starts_with(name + '.');  // `a.b` is nested in `a`
    };
    if (std::none_of(columns.begin(), columns.end(), covers))
      columns.push_back({name, ColumnKind::unknown, NumberScale{}});
  }
}

void Schema::add(const Column& column) {
  if (!numbered_) names_ += column.name;
  const Key key = numbered_ ? static_cast<Key>(std::stoul(column.name)) : key_of_name(column.name, options_.secret);
  Entry entry{key, static_cast<std::uint32_t>(names_.size()), kNone, column.kind};
  if (column.scale) {
    entry.scale = static_cast<std::uint16_t>(scales_.size());
    scales_.push_back(*column.scale);
  }
  entries_.push_back(entry);
}

void Schema::index() {
  entries_.shrink_to_fit();
  scales_.shrink_to_fit();
  names_.shrink_to_fit();
  places_.assign(places_for(scales_.size()), kNone);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].scale == kNone) continue;
    std::size_t at = entries_[i].key & (places_.size() - 1);
    while (places_[at] != kNone) at = (at + 1) & (places_.size() - 1);
    places_[at] = static_cast<std::uint16_t>(i);
  }
}

std::uint16_t Schema::find(Key key) const {
  if (places_.empty()) return kNone;  // an open vocabulary has no scales
  for (std::size_t at = key & (places_.size() - 1); places_[at] != kNone; at = (at + 1) & (places_.size() - 1))
    if (entries_[places_[at]].key == key) return places_[at];
  return kNone;
}

std::string Schema::name(std::size_t i) const {
  if (numbered_) return std::to_string(entries_[i].key);
  const std::uint32_t begin = i == 0 ? 0 : entries_[i - 1].name_end;
  return names_.substr(begin, entries_[i].name_end - begin);
}

Schema::Column Schema::column(std::size_t i) const {
  const Entry& entry = entries_[i];
  return {name(i), entry.kind, entry.scale == kNone ? std::nullopt : std::optional(scales_[entry.scale])};
}

std::optional<Schema::Unit> Schema::unit(std::size_t i) const {
  if (entries_[i].scale == kNone) return std::nullopt;
  const NumberScale& scale = scales_[entries_[i].scale];
  return is_centred(i) ? Unit{scale.mean, scale.deviation()} : Unit{0, scale.root_mean_square()};
}

bool Schema::scales_numbers() const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [](const Entry& entry) { return entry.scale != kNone && holds_numbers(entry.kind); });
}

std::optional<std::set<std::string>> Schema::all_columns() const {
  if (!is_table() || others_) return std::nullopt;
  std::set<std::string> names;
  for (std::size_t i = 0; i < size(); ++i) names.emplace(name(i));
  return names;
}

// The zeros of a column that counted only its other values: the rows of the fullest column, less its own.
NumberScale Schema::zeros_beside(const NumberScale& sparse) const {
  double rows = sparse.count;
  for (const NumberScale& scale : scales_) rows = std::max(rows, scale.count);
  return {rows - sparse.count, 0, 0};
}

Schema::Mark Schema::mark() const {
  Mark mark{scales_, {}, {}, time_, others_};
  for (const Entry& entry : entries_) {
    mark.kinds.push_back(entry.kind);
    mark.absurd.push_back(entry.absurd);
  }
  return mark;
}

void Schema::return_to(const Mark& mark) {
  scales_ = mark.scales;
  time_ = mark.time;
  others_ = mark.others;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    entries_[i].kind = mark.kinds[i];
    entries_[i].absurd = mark.absurd[i];
  }
}

Schema Schema::emptied() const {
  Schema schema = *this;
  std::fill(schema.scales_.begin(), schema.scales_.end(), NumberScale{});
  for (Entry& entry : schema.entries_) entry.absurd = 0;
  return schema;
}

void Schema::merge(const Schema& other, const Schema* base) {
  if (state_ != other.state_)
    throw merge_error("rows", std::string("the rows of ") + (is_table() ? "one" : "the other") +
                                  " model are a table with scaled numbers, those of the " +
                                  (is_table() ? "other" : "first") + " are not");
  if (!is_table()) return;
  if (numbered_ != other.numbered_)
    throw merge_error("rows", "the columns of one model have names, those of the other have numbers");
  std::vector<Column> columns;
  for (std::size_t i = 0; i < size(); ++i) columns.push_back(column(i));
  for (std::size_t i = 0; i < other.size(); ++i) {
    Column from = other.column(i);
    const auto same = [&](const Column& each) { return each.name == from.name; };
    const auto found = std::find_if(columns.begin(), columns.end(), same);
    if (found == columns.end()) {
      columns.push_back(std::move(from));
      continue;
    }
    Column& into = *found;
    if (base != nullptr && from.scale)
      if (const NumberScale* then = base->scale_of(from.name)) from.scale = from.scale->since(*then);
    const auto has_numbers = [](const Column& each) { return each.scale && each.scale->count > 0; };
    if (into.scale && from.scale) {
      if (into.kind != from.kind && into.kind == ColumnKind::sparse) into.scale->add(zeros_beside(*into.scale));
      if (into.kind != from.kind && from.kind == ColumnKind::sparse) from.scale->add(other.zeros_beside(*from.scale));
      into.scale->add(*from.scale);
    } else if (has_numbers(into) || has_numbers(from)) {
      throw merge_error("columns", "the column " + from.name + " is numeric in only one model");
    } else {
      into.scale.reset();  // a text column that was empty in one of the streams
    }
    into.kind = joined(into.kind, from.kind);
  }
  const bool wider = columns.size() > size();
  bool same_order = columns.size() == other.size();
  for (std::size_t i = 0; same_order && i < size(); ++i) same_order = columns[i].name == other.name(i);
  if (!same_order)  // in one order, whichever model comes first
    std::sort(columns.begin(), columns.end(), [&](const Column& a, const Column& b) {
      return numbered_ && a.name.size() != b.name.size() ? a.name.size() < b.name.size() : a.name < b.name;
    });
  const double time = std::max(time_, other.time_);
  const bool others = others_ || other.others_;
  Schema merged = of_columns(columns, options_, numbered_);
  if (wider && merged.most_nbytes() > options_.most_bytes)
    throw merge_error("columns", "together the models know " + std::to_string(columns.size()) +
                                     " columns, whose schema takes " + std::to_string(merged.most_nbytes()) +
                                     " bytes; it may take at most half of the budget, which is " +
                                     std::to_string(options_.most_bytes));
  *this = std::move(merged);
  time_ = time;
  others_ = others;
}

std::size_t Schema::place_of_name(std::string_view column, std::size_t first) const {
  for (std::size_t n = 0; n < size(); ++n)
    if (const std::size_t i = (first + n) % size(); name(i) == column) return i;
  return size();
}

const NumberScale* Schema::scale_of(std::string_view column) const {
  const std::size_t i = place_of_name(column);
  return i < size() && entries_[i].scale != kNone ? &scales_[entries_[i].scale] : nullptr;
}

std::size_t Schema::nbytes() const {
  if (state_ == State::undecided) return held_.nbytes();
  return is_table() ? nbytes_with(scales_.size()) : 0;
}

std::size_t Schema::most_nbytes() const { return is_table() ? nbytes_with(entries_.size()) : nbytes(); }

std::size_t Schema::nbytes_with(std::size_t n_scales) const {
  return names_.size() + entries_.size() * sizeof(Entry) + n_scales * sizeof(NumberScale) +
         places_for(n_scales) * sizeof(std::uint16_t);
}

std::size_t Schema::places_for(std::size_t n_scales) { return std::bit_ceil(2 * n_scales + 1); }

}  // namespace wmsketch
