#include "wmsketch/prepare/spread_rows.hpp"

#include <utility>

namespace wmsketch {

// The finaliser of SplitMix64: neighbouring rows must not be chosen together, nor every second one.
std::uint64_t SpreadRows::hash_of(std::uint64_t row) {
  std::uint64_t bits = row + 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

void SpreadRows::add(const RowBlock& block, std::span<const float> given) {
  if (given.empty()) given = block.weights;
  named |= block.named;
  if (block.named) secret = block.secret;
  for (std::size_t row = 0; row < block.size(); ++row, ++n_seen_) {
    const float weight = row < given.size() ? given[row] : 1.0f;
    if (!is_taken(n_seen_) || row >= block.labels.size() || weight == 0) continue;
    append_row(block, row);
    if (!given.empty()) {
      weights.resize(size(), 1.0f);  // earlier blocks may have had none
      weights.back() = weight;
    }
    numbers_.push_back(n_seen_);
    while (is_full() && size() > 1) halve();
  }
}

void SpreadRows::halve() {
  ++level_;
  RowBlock kept;
  std::vector<std::uint64_t> numbers;
  for (std::size_t row = 0; row < size(); ++row) {
    if (!is_taken(numbers_[row])) continue;
    kept.append_row(*this, row);
    numbers.push_back(numbers_[row]);
  }
  kept.named = named;
  kept.secret = secret;
  static_cast<RowBlock&>(*this) = std::move(kept);
  numbers_ = std::move(numbers);
}

}  // namespace wmsketch
