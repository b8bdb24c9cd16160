// Rows of numbered features as the columns of a numbered schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wmsketch/data/row_block.hpp"
#include "wmsketch/prepare/schema.hpp"

namespace wmsketch {

// The rows of a batch as a block whose scaled values are numbers. Each row has each column that is centred, because a
// value that it lacks is 0; one that is NaN is missing and gives no feature. A column that stands twice in a row is
// summed. Other features are copied.
class NumberedRows final : public RowBlock {
 public:
  void assign(const RowBatch& batch, const Schema& schema);
  // These features with the labels, weights and times of a batch of as many rows.
  RowBatch labelled_as(const RowBatch& batch) const;
};

// The values before conversion to float of a block without names; empty if it does not have them.
inline std::vector<double> wide_values_of(const RowBlock& block) {
  std::vector<double> wide;
  if (block.numbers.size() != block.keys.size()) return wide;
  for (const RowBlock::Number& number : block.numbers) wide.push_back(number.value);
  return wide;
}

}  // namespace wmsketch
