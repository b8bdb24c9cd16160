// The words of a column of texts.
#include <algorithm>
#include <bit>
#include <cmath>

#include "wmsketch/readers/numbers.hpp"
#include "wmsketch/readers/row_encoder_block.hpp"
#include "wmsketch/rule/loss.hpp"

namespace wmsketch {
namespace {

bool is_word_byte(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<signed char>(c) < 0;
}

}  // namespace

void RowEncoder::add_tokens(ColumnId id, std::string_view text) {
  Column& column = columns_[id];
  list_in_block(column);
  tokens_.clear();
  for (std::size_t at = 0; at < text.size();) {
    while (at < text.size() && !is_word_byte(text[at])) ++at;
    const std::size_t begin = at;
    while (at < text.size() && is_word_byte(text[at])) ++at;
    if (at > begin) tokens_.emplace_back(begin, at - begin);
  }
  std::string& arena = block_->arena;
  const std::size_t first_place = block_->keys.size();
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
      append_named(column, begin);
    }
  }
  if (options_.word_values != WordValues::counts) merge_words(first_place);
  if (column.sides.empty()) return;
  for (std::size_t place = first_place; place < block_->keys.size(); ++place) remember(column, place);
}

void RowEncoder::merge_words(std::size_t first) {
  Block& block = *block_;
  const std::size_t n = block.keys.size() - first;
  if (n == 0) return;
  const std::size_t mask = std::bit_ceil(2 * n) - 1;
  word_places_.assign(mask + 1, kUnset);
  word_counts_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t key = block.keys[first + i];
    std::size_t at = key & mask;
    while (word_places_[at] != kUnset && block.keys[first + word_places_[at]] != key) at = (at + 1) & mask;
    if (word_places_[at] != kUnset) {
      ++word_counts_[word_places_[at]];
      continue;
    }
    word_places_[at] = static_cast<std::uint32_t>(word_counts_.size());
    block.keys[first + word_counts_.size()] = key;
    block.names[first + word_counts_.size()] = block.names[i + first];
    word_counts_.push_back(1);
  }
  block.truncate(first + word_counts_.size());
  double squares = 0;
  for (std::size_t i = 0; i < word_counts_.size(); ++i) {
    const double count = word_counts_[i];
    const double value = options_.word_values == WordValues::sublinear ? 1 + log_same_everywhere(count) : count;
    block.values[first + i] = static_cast<float>(value);
    squares += value * value;
  }
  const double length = std::sqrt(squares);
  for (std::size_t i = 0; i < word_counts_.size(); ++i)
    block.values[first + i] = static_cast<float>(block.values[first + i] / length);
}

}  // namespace wmsketch
