// Converts a value of a column to a feature, words, a label, a weight or a time.
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "wmsketch/data/hashing.hpp"
#include "wmsketch/readers/line_template.hpp"
#include "wmsketch/readers/numbers.hpp"
#include "wmsketch/readers/row_encoder_block.hpp"
#include "wmsketch/readers/times.hpp"

namespace wmsketch {
namespace {

// Times have one form in names, whatever their form in the input.
void append_text_value(std::string& to, std::string_view text) {
  constexpr std::size_t kShortestTime = 16;
  if (text.size() < kShortestTime || !append_time(to, text)) to += text;
}

}  // namespace

void append_category_name(std::string& to, std::string_view column, std::string_view text) {
  if (!column.empty()) to.append(column) += '=';
  append_text_value(to, text);
}

bool read_number_in(std::string_view text, double& value) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  const std::size_t size = text.size();
  if (size < 8) {  // the common case; one 8-byte store, because narrower ones would cause a store-forwarding stall
    std::uint64_t bytes = 0;
    if (size >= 4) {  // two halves that may overlap
      bytes = detail::load_word<std::uint32_t>(text.data()) | detail::load_word<std::uint32_t>(text.data() + size - 4)
                                                                  << (8 * (size - 4));
    } else {
      for (std::size_t i = size; i-- > 0;) bytes = bytes << 8 | static_cast<unsigned char>(text[i]);
    }
    if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
    std::array<std::uint64_t, 1 + kPadding / sizeof bytes> words{bytes};
    const char* const padded = reinterpret_cast<const char*>(words.data());
    return read_number(padded, value) == padded + size;
  }
  std::array<char, 56 + kPadding> buffer;
  std::string longer;  // rare: numbers with many digits
  char* padded = buffer.data();
  if (size + kPadding > buffer.size()) {
    longer.resize(size + kPadding);
    padded = longer.data();
  }
  std::memset(std::copy(text.begin(), text.end(), padded), 0, kPadding);
  return read_number(padded, value) == padded + size;
}

// Where a text of a column belongs in the memo. If it is there, its feature is added (true).
inline bool RowEncoder::add_from_memo(ColumnId id, const ValueMemo::Text& text, ValueMemo::Entry*& entry) {
  Block& block = *block_;
  entry = memo_ && text.value.size() <= ValueMemo::kLongest ? &memo_->place(id, text) : nullptr;
  if (!entry || !ValueMemo::holds(*entry, n_blocks_, id, text, block.arena)) return false;
  block.keys.push_back(entry->key);
  block.values.push_back(1);
  block.names.push_back(entry->name);
  remember(columns_[id], block.keys.size() - 1);
  return true;
}

void RowEncoder::add_missing(ColumnId id) {
  if (testing_) return;
  const Column& column = columns_[id];
  if (column.role < Role::automatic) return;
  add_nothing(id);
  if (options_.count_missing && column.role != Role::text) add_category(id, "(missing)");
}

void RowEncoder::add_nothing(ColumnId id) {
  if (testing_) return;
  if (notes() && columns_[id].role >= Role::automatic) note(id, ColumnKind::unknown);
}

void RowEncoder::read_amounts(const std::string& name, NumberStyle style) {
  amounts_[name] = style;
  const ColumnId id = column(name);
  columns_[id].amounts = style;
  if (columns_[id].role == Role::automatic && columns_[id].kind == ColumnKind::unknown)
    set_kind(id, ColumnKind::number);
}

std::optional<double> RowEncoder::number_of(const Column& column, std::string_view value) const {
  return column.amounts || column.role == Role::automatic ? number_or_amount_in(value) : number_in(value);
}

// Whether a text that is a number means that number: the column has had numbers, perhaps beside other texts.
bool RowEncoder::has_numbers(const Column& column) {
  const ColumnKind kind = column.kind == ColumnKind::unknown ? column.seen : column.kind;
  return kind == ColumnKind::number || kind == ColumnKind::mixed;
}

void RowEncoder::add_text(ColumnId id, std::string_view value) {
  if (const auto& style = columns_[id].amounts; style && !style->usual()) {
    const Amount amount = amount_in(value, *style);
    std::string usual = amount.sign.empty() ? in_usual_style(value, *style) : amount.number + std::string(amount.sign);
    if (!usual.empty()) value = styled_ = std::move(usual);
  }
  if (testing_) return value.empty() ? void() : test(id, value, std::nullopt);
  if (value.empty() || is_na(value)) return add_missing(id);
  Column& column = columns_[id];
  const bool is_plain =
      column.role == Role::automatic && (column.kind == ColumnKind::unknown || column.kind == ColumnKind::text);
  ValueMemo::Entry* entry = nullptr;
  const ValueMemo::Text text = is_plain ? ValueMemo::text_of(value) : ValueMemo::Text{};
  if (is_plain && add_from_memo(id, text, entry)) return see(id, ColumnKind::text);  // no time: it was text before
  switch (column.role) {
    case Role::skip:
      return;
    case Role::text:
      see(id, ColumnKind::text);
      if (!options_.templates) return add_tokens(id, value);
      scratch_.clear();
      append_template(value, scratch_);
      variable_words_.replace(scratch_);
      return add_category(id, scratch_);
    case Role::label:
      return set_label(column, value, label_number(value));
    case Role::time:
      return set_time(column, seconds_in(value), value);
    case Role::numeric:
    case Role::weight: {
      const auto number = number_of(column, value);
      if (!number && column.role == Role::numeric) return is_missing(value) ? add_missing(id) : add_odd(id, value);
      if (!number)
        throw BadValue{"expected a number in column " + quoted(column.name) + ", found " + quoted(value), Fault::value,
                       "", std::string(value)};
      if (column.role == Role::weight) return set_weight(column, *number);
      see(id, ColumnKind::number);
      return add_numeric(id, *number);
    }
    case Role::automatic:
      if (column.kind == ColumnKind::number) {
        const auto number = number_of(column, value);
        if (!number) return is_missing(value) ? add_missing(id) : add_odd(id, value);
        if (is_code(value) && takes_code(id, value)) return;
        see(id, ColumnKind::number);
        return add_numeric(id, *number);
      }
      if (has_numbers(column) && !is_code(value)) {
        if (const auto number = number_of(column, value)) {
          see(id, ColumnKind::number);
          return add_numeric(id, *number);
        }
      }
      if (column.kind == ColumnKind::boolean) {
        const auto truth = boolean_in(value);
        if (truth) return add_bool(id, *truth, value);
        return is_missing(value) ? add_missing(id) : add_odd(id, value);
      }
      if (const auto time = time_of(column, value)) return add_time(id, *time, value);
      if (is_time(column.kind)) return is_missing(value) ? add_missing(id) : add_odd(id, value);
      break;
    case Role::categorical:
      break;
  }
  see(id, ColumnKind::text);
  if (is_plain) return add_new_category(id, text, entry);
  add_category(id, value);
}

void RowEncoder::add_odd(ColumnId id, std::string_view value) {
  const bool missing = columns_[id].role == Role::numeric;
  count_odd(id, value, missing);
  if (missing) return add_missing(id);
  const ColumnKind kind = columns_[id].kind;
  see(id, is_time(kind) ? kind : ColumnKind::mixed);  // numbers are scaled, even if the first rows have only odd values
  add_category(id, value);
}

// true and false are labels even in a column with other words.
std::optional<double> RowEncoder::time_of(const Column& column, std::string_view text) const {
  if (!may_have_times(column)) return std::nullopt;
  if (is_time(column.kind) || may_be_time(text))
    if (const auto time = calendar_seconds(text, column.kind)) return time;
  if (!column.names_epoch) return std::nullopt;
  const auto number = number_in(text);
  return number ? epoch_seconds(*number) : std::nullopt;
}

std::optional<double> RowEncoder::time_of(const Column& column, double number) const {
  return column.names_epoch && may_have_times(column) ? epoch_seconds(number) : std::nullopt;
}

// Columns of dates have no hour: the hour of midnight is a feature only if another hour has come.
void RowEncoder::add_time(ColumnId id, double seconds, std::string_view written) {
  constexpr std::size_t kMostNoted = 20;
  const ColumnKind kind = columns_[id].kind;
  see(id, is_time(kind) ? kind : ColumnKind::time);
  const std::string name = columns_[id].name;
  const auto same = [&](const auto& each) { return each.first == name; };
  if (times_.size() < kMostNoted && std::none_of(times_.begin(), times_.end(), same))
    times_.emplace_back(name, written);
  const TimeParts parts = parts_of(seconds);
  for (std::size_t i = 0; i < TimeParts::kMany; ++i) {
    if (columns_[id].parts[i] == kUnset) {
      const ColumnId part = column_inside(id, TimeParts::kNames[i]);
      columns_[id].parts[i] = part;
    }
    const Column& part = columns_[columns_[id].parts[i]];
    const bool had_hour = part.seen != ColumnKind::unknown || part.kind != ColumnKind::unknown;
    if (i > 0 || !parts.is_midnight || had_hour) add_text(columns_[id].parts[i], parts.words[i]);
  }
}

void RowEncoder::add_category(ColumnId id, std::string_view value) {
  ValueMemo::Entry* entry = nullptr;
  const ValueMemo::Text text = ValueMemo::text_of(value);
  if (add_from_memo(id, text, entry)) return;
  add_new_category(id, text, entry);
}

void RowEncoder::add_new_category(ColumnId id, const ValueMemo::Text& text, ValueMemo::Entry* entry) {
  ValueMemo::Entry own;
  if (!entry) entry = &own;
  name_category(id, text, entry);
  Block& block = *block_;
  block.keys.push_back(entry->key);
  block.values.push_back(1);
  block.names.push_back(entry->name);
  remember(columns_[id], block.keys.size() - 1);
}

void RowEncoder::name_category(ColumnId id, const ValueMemo::Text& text, ValueMemo::Entry* entry) {
  Column& column = columns_[id];
  std::string& arena = block_->arena;
  const std::string_view value = text.value;
  list_in_block(column);
  const auto begin = static_cast<std::uint32_t>(arena.size());
  arena += column.prefix;
  auto value_begin = static_cast<std::uint32_t>(arena.size());
  append_text_value(arena, value);
  const Key key = key_of_last(begin);
  const std::uint32_t size = static_cast<std::uint32_t>(arena.size()) - begin;
  if (value.size() > ValueMemo::kShort && value.size() <= ValueMemo::kLongest &&
      std::string_view(arena).substr(value_begin) != value) {  // a time
    value_begin = static_cast<std::uint32_t>(arena.size());
    arena += value;
  }
  const std::uint32_t name = block_->add_name({begin, size, column.in_block});
  *entry = {n_blocks_, text.low, text.high, id, value_begin, static_cast<std::uint32_t>(value.size()), name, key};
}

void RowEncoder::add_any_number(ColumnId id, double value, std::string_view written) {
  if (testing_) return std::isnan(value) ? void() : test(id, written, value);
  Column& column = columns_[id];
  if (std::isnan(value) && column.role != Role::weight && column.role != Role::time)
    return add_missing(id);  // as in CSV
  if (!na_numbers_.empty() && std::find(na_numbers_.begin(), na_numbers_.end(), value) != na_numbers_.end())
    return add_missing(id);
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
      if (column.kind == ColumnKind::boolean) return add_odd(id, written);
      if (const auto time = time_of(column, value)) return add_time(id, *time, written);
      if (is_code(written) && takes_code(id, written)) return;
      [[fallthrough]];
    case Role::numeric:
      see(id, ColumnKind::number);
      return add_numeric(id, value);
  }
}

// A code among values that need not be of one kind is a text. In a column of numbers, one with zeros in front is a
// number (false), and one with too many digits is odd.
bool RowEncoder::takes_code(ColumnId id, std::string_view code) {
  const bool numbers = columns_[id].kind == ColumnKind::number;
  if (numbers && !has_zeros_in_front(code)) {
    add_odd(id, code);
    return true;
  }
  note_code(id, code, numbers);
  if (!numbers) add_text(id, code);
  return !numbers;
}

void RowEncoder::add_number(ColumnId id, double value) {
  if (!wants_text(id)) return add_number(id, value, {});
  char text[32];
  add_number(id, value, {text, std::to_chars(text, text + sizeof text, value).ptr});
}

void RowEncoder::add_bool(ColumnId id, bool value, std::string_view written) {
  if (testing_) return test(id, written, std::nullopt);
  Column& column = columns_[id];
  if (column.role == Role::numeric || column.role == Role::weight) return add_number(id, value, written);
  if (column.role == Role::label) return set_label(column, written, value);
  const char* const word = value ? "true" : "false";
  if (column.role != Role::automatic || column.kind == ColumnKind::number) return add_text(id, word);
  see(id, ColumnKind::boolean);
  add_category(id, word);
}

Key RowEncoder::key_of_last(std::uint32_t begin) const {
  const std::string& arena = block_->arena;
  if (arena.size() > kMostNameBytes) throw BadValue{"expected names of less than 256 MiB in a block"};
  return key_of_name(std::string_view(arena).substr(begin), block_->secret);
}

void RowEncoder::append_named(const Column& column, std::uint32_t begin) {
  Block& block = *block_;
  block.keys.push_back(key_of_last(begin));
  block.values.push_back(1);
  const auto size = static_cast<std::uint32_t>(block.arena.size()) - begin;
  block.names.push_back(block.add_name({begin, size, column.in_block}));
}

RowEncoder::SettledColumn RowEncoder::settled(ColumnId id, bool holds_numbers) {
  if (!memo_) memo_.emplace();
  const Column& column = columns_[id];
  SettledColumn settled{.id = id, .key = column.key};
  if (column.role == Role::skip) settled.form = Form::skipped;
  if (!column.sides.empty()) return settled;  // its features are remembered for its interactions
  if (holds_numbers && takes_plain_numbers(id)) settled.form = Form::number;
  if (takes_plain_texts(id)) settled.form = Form::text;
  return settled;
}

void RowEncoder::list_settled(SettledColumn& settled) {
  Column& column = columns_[settled.id];
  list_in_block(column);
  settled.name_in_block = column.name_in_block;
  settled.listed = true;
}

void RowEncoder::add_numeric(ColumnId id, double value) {
  if (!fits_float(value)) {
    std::array<char, 32> text;
    return add_odd(id, {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr});
  }
  append_number(columns_[id], value);
}

void RowEncoder::append_number(Column& column, double value) {
  Block& block = *block_;
  list_in_block(column);
  block.numbers.push_back({value, static_cast<std::uint32_t>(block.keys.size())});
  block.keys.push_back(column.key);
  block.values.push_back(static_cast<float>(value));
  block.names.push_back(column.name_in_block);
  remember(column, block.keys.size() - 1);
}

}  // namespace wmsketch
