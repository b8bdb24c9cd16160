#include "wmsketch/prepare/shuffled_rows.hpp"

#include <algorithm>
#include <stdexcept>

#include "wmsketch/data/random.hpp"

namespace wmsketch {
namespace {

void require_weights(const std::vector<const RowBlock*>& blocks, const std::vector<std::span<const float>>& weights) {
  if (!weights.empty() && weights.size() != blocks.size())
    throw std::invalid_argument("weights must have one array, or none, for each block");
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (!weights[i].empty() && weights[i].size() != blocks[i]->size())
      throw std::invalid_argument("weights must have one entry for each row, got " + std::to_string(weights[i].size()) +
                                  " for " + std::to_string(blocks[i]->size()) + " rows");
}

}  // namespace

ShuffledRows::ShuffledRows(std::vector<const RowBlock*> blocks, std::uint64_t seed,
                           const std::vector<std::span<const float>>& weights)
    : blocks_(std::move(blocks)) {
  require_weights(blocks_, weights);
  std::vector<Place> rows = rows_of_blocks();
  const std::size_t n_fixed = first_rows.size();
  Random random(seed);
  for (std::size_t left = rows.size(); left > n_fixed + 1; --left)
    std::swap(rows[left - 1], rows[n_fixed + random.below(static_cast<std::uint32_t>(left - n_fixed))]);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    prefetch(rows, i);
    const Place row = rows[i];
    const bool given = row.block < weights.size() && !weights[row.block].empty();
    add(row, given ? weights[row.block] : std::span<const float>(blocks_[row.block]->weights));
  }
}

ShuffledRows::ShuffledRows(std::vector<const RowBlock*> blocks, std::span<const std::int64_t> order)
    : blocks_(std::move(blocks)) {
  const std::vector<Place> rows = rows_of_blocks();
  for (const std::int64_t number : order) {
    if (number < 0 || static_cast<std::size_t>(number) >= rows.size())
      throw std::invalid_argument("order must hold numbers of rows from 0 to " + std::to_string(rows.size()) +
                                  ", got " + std::to_string(number));
    const Place row = rows[static_cast<std::size_t>(number)];
    add(row, blocks_[row.block]->weights);
  }
}

// The rows are scattered over memory, so those that come soon are asked for: first where they begin, then their
// features.
void ShuffledRows::prefetch(const std::vector<Place>& rows, std::size_t i) const {
  constexpr std::size_t kFar = 16, kNear = 8;
  if (i + kFar < rows.size()) {
    const Place far = rows[i + kFar];
    __builtin_prefetch(blocks_[far.block]->starts.data() + far.at);
  }
  if (i + kNear >= rows.size()) return;
  const Place near = rows[i + kNear];
  const RowBlock& block = *blocks_[near.block];
  const std::int64_t begin = block.starts[near.at];
  __builtin_prefetch(block.keys.data() + begin);
  __builtin_prefetch(block.values.data() + begin);
  if (block.numbers.empty()) return;
  const double share =
      static_cast<double>(begin) / static_cast<double>(block.keys.size());  // as append_row looks for them
  const auto* const number =
      block.numbers.data() + static_cast<std::size_t>(share * static_cast<double>(block.numbers.size()));
  __builtin_prefetch(number);
  __builtin_prefetch(number + 4);
}

// All rows in their order. Takes over what the blocks know of their columns, and reserves memory.
std::vector<ShuffledRows::Place> ShuffledRows::rows_of_blocks() {
  std::vector<Place> rows;
  std::size_t n_features = 0;
  for (std::uint32_t number = 0; number < blocks_.size(); ++number) {
    const RowBlock& block = *blocks_[number];
    named |= block.named;
    if (block.named) secret = block.secret;
    for (std::uint32_t row = 0; row < block.size(); ++row) rows.push_back({number, row});
    n_features += static_cast<std::size_t>(block.starts.back() - block.starts.front());
    new_kinds.insert(new_kinds.end(), block.new_kinds.begin(), block.new_kinds.end());
    more_new_kinds |= block.more_new_kinds;
    if (first_rows.size() + block.size() < rows.size()) continue;  // an earlier row has no recorded columns
    for (std::size_t row = 0; row < std::min(block.first_rows.size(), block.size()); ++row) {
      auto& noted = first_rows.emplace_back();
      for (const auto& [column, kind] : block.first_rows[row]) {
        noted.push_back({static_cast<std::uint32_t>(column_names.size()), kind});
        column_names.push_back(block.column_names[column]);
      }
    }
  }
  keys.reserve(n_features);
  values.reserve(n_features);
  origins_.reserve(n_features);
  return rows;
}

void ShuffledRows::add(Place row, std::span<const float> its_weights) {
  const RowBlock& block = *blocks_[row.block];
  const std::int64_t begin = block.starts[row.at], end = block.starts[row.at + 1];
  append_row(block, row.at);
  for (std::int64_t i = begin; i < end; ++i) origins_.push_back({row.block, static_cast<std::uint32_t>(i)});
  if (its_weights.empty()) return;
  weights.resize(size(), 1.0f);  // earlier blocks may have had none
  weights.back() = its_weights[row.at];
}

}  // namespace wmsketch
