#include <algorithm>
#include <charconv>
#include <cmath>

#include "wmsketch/hashing.hpp"
#include "wmsketch/readers/line_parser.hpp"
#include "wmsketch/readers/numbers.hpp"
#include "wmsketch/readers/row_encoder.hpp"
#include "wmsketch/readers/times.hpp"

namespace wmsketch {
namespace {

constexpr std::size_t kMostSeen = 1 << 10;     // columns whose values are noted: keys that are data are not columns
constexpr std::size_t kMostColumns = 1 << 16;  // remembered: nested names may be as many as the rows
constexpr std::size_t kMostNameBytes = 0xc0000000;  // so that 32 bits address a name in its block

// Whether `name` is this column (one of the list), or lies inside it: `a.b` lies inside `a`.
bool covers(std::string_view outer, std::string_view name) {
  return name == outer || (name.size() > outer.size() && name.starts_with(outer) && name[outer.size()] == '.');
}

bool covers(const std::vector<std::string>& list, std::string_view name) {
  return std::any_of(list.begin(), list.end(), [&](const std::string& outer) { return covers(outer, name); });
}

std::string quoted(std::string_view text) {
  return text.empty() ? "\"\"" : found_at(text.data(), text.data() + text.size(), "");
}

bool is_word_byte(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<signed char>(c) < 0;
}

}  // namespace

std::optional<double> number_in(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  std::array<char, 56 + kPadding> buffer;
  if (text.size() + kPadding > buffer.size()) return std::nullopt;  // no number anyone writes
  std::memset(std::copy(text.begin(), text.end(), buffer.begin()), 0, kPadding);
  double value;
  const char* const end = read_number(buffer.data(), value);
  if (!end || static_cast<std::size_t>(end - buffer.data()) != text.size()) return std::nullopt;
  return value;
}

struct RowEncoder::Slice {
  std::uint32_t begin, size;
};

// All names of a block lie in one string; an interaction has two.
class RowEncoder::Block final : public RowBlock {
 public:
  Block() { named = true; }

  std::string name(std::size_t i) const override {
    const Slice slice = names.at(i);
    if (slice.size != kUnset) return arena.substr(slice.begin, slice.size);
    const auto& [left, right] = pairs[slice.begin];
    return name(left) + '&' + name(right);
  }

  // Blocks of one input are about equally large; growing them step by step would cost as much as filling them.
  void reserve_like(const Block& other) {
    const std::size_t n = other.keys.size() + other.keys.size() / 8;
    keys.reserve(n);
    values.reserve(n);
    names.reserve(n);
    starts.reserve(other.starts.size() + other.starts.size() / 8);
    arena.reserve(other.arena.size() + other.arena.size() / 8);
  }

  void truncate(std::size_t n) {
    keys.resize(n);
    values.resize(n);
    names.resize(n);
  }

  std::string arena;
  std::vector<Slice> names;                                    // of each key; size kUnset: begin is an index of pairs
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  // indices of the two features
};

RowEncoder::RowEncoder(EncoderOptions options)
    : options_(std::move(options)),
      rule_({.require_labels = options_.require_labels, .many_classes = options_.many_classes}),
      kinds_(options_.kinds),
      seen_(options_.seen),
      block_(std::make_unique<Block>()),
      sides_(options_.interactions.size()) {
  if (options_.ngrams < 1) throw std::invalid_argument("ngrams must be at least 1, got 0");
  if (options_.positive) {
    positive_number_ = number_in(*options_.positive);
    if (const auto truth = boolean_in(*options_.positive)) positive_number_ = *truth ? 1 : 0;
  }
  for (const auto* names :
       {&options_.features, &options_.ignore, &options_.numeric, &options_.categorical, &options_.text})
    unseen_.insert(unseen_.end(), names->begin(), names->end());
  for (const auto& [left, right] : options_.interactions) unseen_.insert(unseen_.end(), {left, right});
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
  return Role::automatic;
}

RowEncoder::ColumnId RowEncoder::column(std::string_view name) {
  scratch_.assign(name);
  if (const auto found = ids_.find(scratch_); found != ids_.end()) return found->second;
  const auto id = static_cast<ColumnId>(columns_.size());
  Column& column = columns_.emplace_back();
  column.name = name;
  if (!name.empty()) column.prefix = column.name + '=';
  column.role = role_of(name);
  if (const auto known = kinds_.find(column.name); known != kinds_.end()) column.kind = known->second;
  if (const auto known = seen_.find(column.name); known != seen_.end()) column.seen = known->second;
  std::erase_if(unseen_, [&](const std::string& wanted) { return covers(wanted, name) || covers(name, wanted); });
  for (std::uint32_t i = 0; i < options_.interactions.size(); ++i) {
    if (options_.interactions[i].first == name) column.sides.push_back(2 * i);
    if (options_.interactions[i].second == name) column.sides.push_back(2 * i + 1);
  }
  ids_.emplace(column.name, id);
  return id;
}

std::vector<std::string> RowEncoder::column_names() const {
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(column.name);
  return names;
}

void RowEncoder::set_kind(ColumnId id, ColumnKind kind) {
  columns_[id].kind = kind;
  kinds_[columns_[id].name] = kind;
}

std::map<std::string, ColumnKind> RowEncoder::kinds() const {
  std::map<std::string, ColumnKind> kinds = kinds_;
  kinds.erase(options_.label);  // which labels there are is another question
  return kinds;
}

void RowEncoder::refuse_kind(ColumnId id, std::string_view value) const {
  const Column& column = columns_[id];
  const bool given = options_.kinds.contains(column.name);
  throw BadValue{std::string("expected ") + (column.kind == ColumnKind::number ? "a number" : "true or false") +
                 " in column " + quoted(column.name) +
                 (given ? ", as in the data learned from, found " : ", as in the rows before, found ") + quoted(value) +
                 (given ? "" : " (name the column as categorical to read it as text)")};
}

void RowEncoder::see(Column& column, ColumnKind kind) {
  if (column.kind != ColumnKind::unknown || column.seen == kind || column.seen == ColumnKind::mixed) return;
  if (column.seen == ColumnKind::unknown && seen_.size() >= kMostSeen) return;
  column.seen = column.seen == ColumnKind::unknown ? kind : ColumnKind::mixed;
  seen_[column.name] = column.seen;
}

bool RowEncoder::wants_text(ColumnId id) const {
  const Column& column = columns_[id];
  return column.role == Role::label || column.role == Role::categorical || column.role == Role::text ||
         (column.role == Role::automatic && column.kind == ColumnKind::text);
}

void RowEncoder::add_text(ColumnId id, std::string_view value) {
  if (value.empty()) return;
  Column& column = columns_[id];
  switch (column.role) {
    case Role::skip:
      return;
    case Role::text:
      return add_tokens(id, value);
    case Role::label:
      return set_label(column, value, number_in(value));
    case Role::time:
      return set_time(column, seconds_in(value), value);
    case Role::numeric:
    case Role::weight: {
      const auto number = number_in(value);
      if (!number) throw BadValue{"expected a number in column " + quoted(column.name) + ", found " + quoted(value)};
      return column.role == Role::weight ? set_weight(column, *number) : add_numeric(column, *number);
    }
    case Role::automatic:
      if (column.kind == ColumnKind::number) {
        const auto number = number_in(value);
        if (!number) refuse_kind(id, value);
        return add_numeric(column, *number);
      }
      if (column.kind == ColumnKind::boolean && value != "true" && value != "false") refuse_kind(id, value);
      see(column, ColumnKind::text);
      break;
    case Role::categorical:
      break;
  }
  add_category(column, value);
}

void RowEncoder::add_category(const Column& column, std::string_view value) {
  const auto begin = static_cast<std::uint32_t>(block_->arena.size());
  block_->arena.append(column.prefix).append(value);
  add_named(column, begin);
}

void RowEncoder::add_number(ColumnId id, double value, std::string_view written) {
  Column& column = columns_[id];
  switch (column.role) {
    case Role::skip:
      return;
    case Role::label:
      return set_label(column, written, value);
    case Role::weight:
      return set_weight(column, value);
    case Role::time:
      return set_time(column, std::isfinite(value) ? std::optional(value) : std::nullopt, std::to_string(value));
    case Role::text:
    case Role::categorical:
      return add_text(id, written);
    case Role::automatic:
      if (column.kind == ColumnKind::text) return add_text(id, written);
      if (column.kind == ColumnKind::boolean) refuse_kind(id, written);
      see(column, ColumnKind::number);
      return add_numeric(column, value);
    case Role::numeric:
      return add_numeric(column, value);
  }
}

void RowEncoder::add_bool(ColumnId id, bool value, std::string_view written) {
  Column& column = columns_[id];
  if (column.role == Role::numeric || column.role == Role::weight) return add_number(id, value, written);
  if (column.role == Role::label) return set_label(column, written, value);
  const char* const word = value ? "true" : "false";
  if (column.role != Role::automatic || column.kind == ColumnKind::number) return add_text(id, word);
  see(column, ColumnKind::boolean);
  add_category(column, word);
}

void RowEncoder::add_named(const Column& column, std::uint32_t begin) {
  Block& block = *block_;
  if (block.arena.size() > kMostNameBytes) throw BadValue{"expected a block whose names take less than 3 GiB"};
  const auto size = static_cast<std::uint32_t>(block.arena.size()) - begin;
  block.keys.push_back(key_of_name(std::string_view(block.arena).substr(begin, size)));
  block.values.push_back(1);
  block.names.push_back({begin, size});
  remember(column);
}

void RowEncoder::add_numeric(Column& column, double value) {
  if (!fits_float(value)) {
    std::array<char, 32> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    throw BadValue{"expected a finite number in column " + quoted(column.name) + ", found " +
                   std::string(text.data(), end)};
  }
  Block& block = *block_;
  if (column.name_block != n_blocks_) {
    column.name_block = n_blocks_;
    column.name_begin = static_cast<std::uint32_t>(block.arena.size());
    column.key = key_of_name(column.name);
    block.arena += column.name;
  }
  block.keys.push_back(column.key);
  block.values.push_back(static_cast<float>(value));
  block.names.push_back({column.name_begin, static_cast<std::uint32_t>(column.name.size())});
  remember(column);
}

void RowEncoder::remember(const Column& column) {
  for (const std::uint32_t side : column.sides)
    sides_[side / 2][side % 2].push_back(static_cast<std::uint32_t>(block_->keys.size() - 1));
}

void RowEncoder::add_tokens(ColumnId id, std::string_view text) {
  const Column& column = columns_[id];
  tokens_.clear();
  for (std::size_t at = 0; at < text.size();) {
    while (at < text.size() && !is_word_byte(text[at])) ++at;
    const std::size_t begin = at;
    while (at < text.size() && is_word_byte(text[at])) ++at;
    if (at > begin) tokens_.emplace_back(begin, at - begin);
  }
  std::string& arena = block_->arena;
  for (std::size_t first = 0; first < tokens_.size(); ++first) {
    const std::size_t last = std::min(tokens_.size(), first + options_.ngrams);
    for (std::size_t stop = first + 1; stop <= last; ++stop) {
      const auto begin = static_cast<std::uint32_t>(arena.size());
      arena += column.prefix;
      const std::size_t words = arena.size();
      for (std::size_t i = first; i < stop; ++i) {
        if (i > first) arena += ' ';
        arena += text.substr(tokens_[i].first, tokens_[i].second);
      }
      if (options_.lowercase)
        for (std::size_t i = words; i < arena.size(); ++i)
          if (arena[i] >= 'A' && arena[i] <= 'Z') arena[i] = static_cast<char>(arena[i] | 0x20);
      add_named(column, begin);
    }
  }
}

void RowEncoder::set_label(const Column& column, std::string_view word, std::optional<double> number) {
  std::string problem;
  if (options_.many_classes) {
    row_class_ = rule_.take(word, number, problem);
  } else if (options_.positive) {
    const bool same = word == *options_.positive || (number && positive_number_ && *number == *positive_number_);
    problem = rule_.why_label_must_not_be(quoted(word));
    if (problem.empty()) row_class_ = rule_.class_against_rest(same, word, number);
  } else if (number) {
    row_class_ = rule_.class_of(*number, word, problem);
  } else {
    problem = "expected a number or true or false in the label column " + quoted(column.name) + ", found " +
              quoted(word) + ": say which value is positive";
  }
  if (!problem.empty()) throw BadValue{problem};
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
        block.names.push_back({static_cast<std::uint32_t>(block.pairs.size()), kUnset});
        block.pairs.emplace_back(a, b);
      }
    }
    left.clear();
    right.clear();
  }
}

void RowEncoder::end_row() {
  Block& block = *block_;
  add_interactions();
  if (!options_.label.empty() && row_class_ == 0) {
    const std::string problem = rule_.why_label_must_be();
    if (!problem.empty()) throw BadValue{problem + " in column " + quoted(options_.label) + ", found none"};
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
  block.starts.push_back(static_cast<std::int64_t>(block.keys.size()));
  row_class_ = 0;
  row_weight_ = -1;
  row_time_.reset();
}

void RowEncoder::drop_row() {
  block_->truncate(static_cast<std::size_t>(block_->starts.back()));
  for (auto& [left, right] : sides_) {
    left.clear();
    right.clear();
  }
  row_class_ = 0;
  row_weight_ = -1;
  row_time_.reset();
}

std::unique_ptr<RowBlock> RowEncoder::take() {
  std::unique_ptr<Block> done = std::move(block_);
  block_ = std::make_unique<Block>();
  block_->reserve_like(*done);
  ++n_blocks_;
  if (columns_.size() > kMostColumns) {
    columns_.clear();
    ids_.clear();
  }
  return done;
}

}  // namespace wmsketch
