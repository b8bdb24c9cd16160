// What a value of a column becomes: a feature, words, a label, a weight or a time.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "wmsketch/hashing.hpp"
#include "wmsketch/readers/numbers.hpp"
#include "wmsketch/readers/row_encoder_block.hpp"
#include "wmsketch/readers/times.hpp"

namespace wmsketch {
namespace {

constexpr std::size_t kMostNameBytes = std::size_t{1} << 28;  // of a block: a long name may stand in every row

bool is_word_byte(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<signed char>(c) < 0;
}

}  // namespace

std::optional<double> number_in(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  std::array<char, 56 + kPadding> buffer;
  std::string longer;  // rare: numbers with very many digits
  char* padded = buffer.data();
  if (text.size() + kPadding > buffer.size()) {
    longer.resize(text.size() + kPadding);
    padded = longer.data();
  }
  std::memset(std::copy(text.begin(), text.end(), padded), 0, kPadding);
  double value;
  const char* const end = read_number(padded, value);
  if (!end || static_cast<std::size_t>(end - padded) != text.size()) return std::nullopt;
  return value;
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
  if (std::isnan(value) && column.role != Role::weight && column.role != Role::time)
    return;  // missing, as it is in csv
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
  if (block.arena.size() > kMostNameBytes) throw BadValue{"expected a block whose names take less than 256 MiB"};
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
    column.number_column = static_cast<std::uint32_t>(block.number_columns.size());
    block.number_columns.push_back(column.name);
  }
  block.numbers.push_back({value, static_cast<std::uint32_t>(block.keys.size()), column.number_column});
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

}  // namespace wmsketch
