// Rows of numbered features as the columns of a numbered schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wmsketch/data/row_block.hpp"
#include "wmsketch/prepare/schema.hpp"

namespace wmsketch {

// Converts a batch to a block whose scaled values are numbers. Every row gets every centred column: a value that it
// lacks is 0. NaN means missing and gives no feature. If a column occurs twice in a row, its values are summed. Other
// features are copied.
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
