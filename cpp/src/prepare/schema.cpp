#include "wmsketch/prepare/schema.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "wmsketch/data/hashing.hpp"

namespace wmsketch {
namespace {

ColumnKind joined(ColumnKind a, ColumnKind b) {
  if (a == ColumnKind::unknown) return b;
  return b == ColumnKind::unknown || a == b ? a : ColumnKind::mixed;
}

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
    }
  }
  bool enough() const { return rows >= Schema::kFirstRows; }

  std::size_t rows = 0;
  std::vector<Seen> columns;

 private:
  void add(const std::string& name, ColumnKind kind) {
    const auto [found, is_new] = places_.try_emplace(name, columns.size());
    if (is_new) columns.push_back({name});
    Seen& seen = columns[found->second];
    ++seen.rows;
    seen.kind = joined(seen.kind, kind);
  }
  std::unordered_map<std::string, std::size_t> places_;
};

bool holds_numbers(ColumnKind kind) { return kind == ColumnKind::number || kind == ColumnKind::mixed; }
bool may_be_number(ColumnKind kind) { return kind != ColumnKind::text && kind != ColumnKind::boolean; }

}  // namespace

Schema Schema::open(const SchemaOptions& options) {
  Schema schema(options);
  schema.state_ = State::open;
  return schema;
}

Schema Schema::of_columns(std::span<const Column> columns, const SchemaOptions& options) {
  Schema schema(options);
  schema.state_ = State::table;
  if (columns.size() > kMostColumns)
    throw std::invalid_argument("a table must have at most " + std::to_string(kMostColumns) + " columns, got " +
                                std::to_string(columns.size()));
  for (const Column& column : columns) schema.add(column);
  schema.index();
  return schema;
}

std::optional<Schema> Schema::decide(const RowBlock* block, std::span<const float> weights, bool now) const {
  FirstRows first;
  first.add(held_, held_.weights);
  if (block) first.add(*block, weights);
  const bool featureless =
      block && block->starts.back() == block->starts.front();  // without features, names cannot be judged
  const bool named = !block || featureless || (block->named && block->first_rows.size() > 0);
  const bool fits = !block || held_.nbytes() + HeldRows::bytes_of(*block) <= options_.most_held_bytes;
  if (!now && named && fits && !first.enough()) return std::nullopt;
  const auto in_nearly_all = [&](const Seen& seen) { return 10 * seen.rows >= 9 * first.rows; };
  const auto n_common =
      static_cast<std::size_t>(std::count_if(first.columns.begin(), first.columns.end(), in_nearly_all));
  const bool all = options_.numbers == Numbers::scaled;
  if (first.rows < 2 || (!all && 2 * n_common < first.columns.size())) return open(options_);
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
    return schema;
  };
  const auto fits_in = [&](const Schema& schema) { return schema.most_nbytes() <= options_.most_bytes; };
  // Numbers that some rows lack must be scaled too. Unscaled, a large one would dominate all other columns.
  Schema schema = of_those([&](const Seen& seen) { return all || in_nearly_all(seen) || holds_numbers(seen.kind); });
  if (!all && !fits_in(schema)) schema = of_those(in_nearly_all);
  if (!fits_in(schema))
    throw std::invalid_argument("the rows are a table of " + std::to_string(schema.size()) +
                                " columns, whose schema takes " + std::to_string(schema.most_nbytes()) +
                                " bytes, but it may take at most half of the budget, " +
                                std::to_string(options_.most_bytes) + " bytes");
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
  names_ += column.name;
  Entry entry{key_of_name(column.name, options_.secret), static_cast<std::uint32_t>(names_.size()), kNone, column.kind};
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
    if (entries_[places_[at]].key == key) return entries_[places_[at]].scale;
  return kNone;
}

std::string_view Schema::name(std::size_t i) const {
  const std::uint32_t begin = i == 0 ? 0 : entries_[i - 1].name_end;
  return std::string_view(names_).substr(begin, entries_[i].name_end - begin);
}

Schema::Column Schema::column(std::size_t i) const {
  const Entry& entry = entries_[i];
  return {std::string(name(i)), entry.kind, entry.scale == kNone ? std::nullopt : std::optional(scales_[entry.scale])};
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

void Schema::fade(std::span<const double> times, std::size_t row) {
  double kept = options_.half_life.kept_by_example();
  if (options_.half_life.seconds > 0 && !times.empty()) {
    if (times[row] > time_ && std::isfinite(time_)) kept *= options_.half_life.kept_after(times[row] - time_);
    time_ = std::max(time_, times[row]);
  }
  if (kept < 1)
    for (NumberScale& scale : scales_) scale.fade(kept);
}

void Schema::multiply(const RowBlock& block, std::vector<float>& values) const {
  constexpr float kMost = 1e15f;
  for (const auto& [place, left, right] : block.products)
    values[place] = std::clamp(values[left] * values[right], -kMost, kMost);
}

void Schema::learn(const RowBlock& block, std::span<const float> weights, std::span<const double> times,
                   std::vector<float>& values) {
  values = block.values;
  auto number = std::lower_bound(block.numbers.begin(), block.numbers.end(), block.starts.front(),
                                 [](const RowBlock::Number& each, std::int64_t start) { return each.place < start; });
  const bool forgets = options_.half_life.examples > 0 || options_.half_life.seconds > 0;
  for (std::size_t row = 0; row < block.size(); ++row) {
    const bool learned = weights.empty() || weights[row] != 0;
    if (learned && forgets) fade(times, row);
    for (; number != block.numbers.end() && number->place < block.starts[row + 1]; ++number) {
      const std::uint16_t place = find(block.keys[number->place]);
      if (place == kNone) continue;
      if (learned) scales_[place].add(number->value);
      values[number->place] = scales_[place].scaled(number->value);
    }
  }
  multiply(block, values);
  others_ |= block.more_new_kinds;
  for (const auto& [column, kind] : block.new_kinds) {
    bool found = false;
    for (std::size_t i = 0; i < entries_.size() && !found; ++i)
      if ((found = name(i) == column)) entries_[i].kind = joined(entries_[i].kind, kind);
    others_ |= !found;
  }
}

void Schema::apply(const RowBlock& block, std::vector<float>& values) const {
  values = block.values;
  for (const auto& [value, place] : block.numbers)
    if (const std::uint16_t scale = find(block.keys[place]); scale != kNone)
      values[place] = scales_[scale].scaled(value);
  multiply(block, values);
}

Schema::Mark Schema::mark() const {
  Mark mark{scales_, {}, time_, others_};
  for (const Entry& entry : entries_) mark.kinds.push_back(entry.kind);
  return mark;
}

void Schema::return_to(const Mark& mark) {
  scales_ = mark.scales;
  time_ = mark.time;
  others_ = mark.others;
  for (std::size_t i = 0; i < entries_.size(); ++i) entries_[i].kind = mark.kinds[i];
}

Schema Schema::emptied() const {
  Schema schema = *this;
  std::fill(schema.scales_.begin(), schema.scales_.end(), NumberScale{});
  return schema;
}

void Schema::merge(const Schema& other, const Schema* base) {
  if (state_ != other.state_)
    throw merge_error("rows", std::string("the rows of ") + (is_table() ? "one" : "the other") +
                                  " model are a table with scaled numbers, those of the " +
                                  (is_table() ? "other" : "first") + " are not");
  if (!is_table()) return;
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
      into.scale->add(*from.scale);
    } else if (has_numbers(into) || has_numbers(from)) {
      throw merge_error("columns", "the column " + from.name + " is numeric in only one model");
    } else {
      into.scale.reset();  // a text column that was empty in one of the streams
    }
    into.kind = joined(into.kind, from.kind);
  }
  const bool wider = columns.size() > size();
  if (wider)  // in one order, whichever model comes first
    std::sort(columns.begin(), columns.end(), [](const Column& a, const Column& b) { return a.name < b.name; });
  const double time = std::max(time_, other.time_);
  const bool others = others_ || other.others_;
  Schema merged = of_columns(columns, options_);
  if (wider && merged.most_nbytes() > options_.most_bytes)
    throw merge_error("columns", "together the models know " + std::to_string(columns.size()) +
                                     " columns, whose schema takes " + std::to_string(merged.most_nbytes()) +
                                     " bytes; it may take at most half of the budget, which is " +
                                     std::to_string(options_.most_bytes));
  *this = std::move(merged);
  time_ = time;
  others_ = others;
}

bool Schema::has(std::string_view column) const {
  for (std::size_t i = 0; i < size(); ++i)
    if (name(i) == column) return true;
  return false;
}

const NumberScale* Schema::scale_of(std::string_view column) const {
  for (std::size_t i = 0; i < size(); ++i)
    if (name(i) == column && entries_[i].scale != kNone) return &scales_[entries_[i].scale];
  return nullptr;
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

void Schema::archive(Archive& archive) {
  constexpr auto kTable = static_cast<std::uint8_t>(State::table);
  auto state = static_cast<std::uint8_t>(static_cast<std::uint8_t>(state_) + (is_table() && others_));
  archive.value("schema_state", state);
  const bool others = state > kTable;
  if (archive.loading()) {
    require_state(state <= kTable + 1, "the schema has an unknown state");
    state_ = static_cast<State>(std::min(state, kTable));
  }
  if (state_ == State::undecided) return held_.archive(archive);
  if (state_ == State::open) return;
  constexpr std::size_t kMost = std::size_t{1} << 26;
  std::vector<std::uint8_t> names(names_.begin(), names_.end()), kinds;
  std::vector<std::uint32_t> ends;
  std::vector<double> numbers;
  for (const Entry& entry : entries_) {
    const bool scaled = entry.scale != kNone;
    kinds.push_back(static_cast<std::uint8_t>(static_cast<unsigned>(entry.kind) | scaled << 4));
    ends.push_back(entry.name_end);
  }
  for (const NumberScale& scale : scales_) numbers.insert(numbers.end(), {scale.count, scale.mean, scale.squares});
  archive.growing("schema_names", names, kMost);
  archive.growing("schema_name_ends", ends, kMostColumns);
  archive.growing("schema_kinds", kinds, kMostColumns);
  archive.growing("schema_scales", numbers, 3 * kMostColumns);
  archive.value("schema_time", time_);
  if (!archive.loading()) return;
  require_state(ends.size() == kinds.size() && numbers.size() % 3 == 0, "the parts of the schema differ in length");
  std::vector<Column> columns;
  std::size_t begin = 0, at = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    require_state(ends[i] >= begin && ends[i] <= names.size() && (kinds[i] & 15) <= 4 && kinds[i] < 32,
                  "a column of the schema has no name or an unknown kind");
    Column column{std::string(names.begin() + static_cast<std::ptrdiff_t>(begin), names.begin() + ends[i]),
                  static_cast<ColumnKind>(kinds[i] & 15), std::nullopt};
    if (kinds[i] & 16) {
      require_state(at + 3 <= numbers.size(), "a column of the schema has no scale");
      const NumberScale scale{numbers[at], numbers[at + 1], numbers[at + 2]};
      require_state(std::isfinite(scale.count) && scale.count >= 0 && std::isfinite(scale.mean) &&
                        std::isfinite(scale.squares) && scale.squares >= 0,
                    "a scale of the schema is not a count, a mean and a sum of squares");
      column.scale = scale;
      at += 3;
    }
    columns.push_back(std::move(column));
    begin = ends[i];
  }
  require_state(begin == names.size() && at == numbers.size(), "the schema has names or scales without a column");
  require_state(!std::isnan(time_) && time_ < std::numeric_limits<double>::infinity(),
                "the time of the schema is not finite");
  const double time = time_;
  *this = of_columns(columns, options_);
  time_ = time;
  others_ = others;
}

}  // namespace wmsketch
