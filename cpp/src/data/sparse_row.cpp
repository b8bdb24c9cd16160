#include "wmsketch/data/sparse_row.hpp"

#include "wmsketch/simd/kernels.hpp"

namespace wmsketch {

float RowBatch::squares() const {
  if (!known_squares) known_squares = kernels().dot(values.data(), values.data(), values.size());
  return *known_squares;
}

}  // namespace wmsketch
