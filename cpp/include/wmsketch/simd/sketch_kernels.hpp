// The vectorised loops of a sketch with several rows of float cells. As kernels.hpp: the same bits from every
// instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wmsketch/simd/kernels.hpp"

namespace wmsketch {

// One row of a sketch: where its cells begin, and their number.
struct CellRow {
  std::uint32_t first, width;
};

struct SketchKernels {
  static constexpr std::uint32_t kMostDepth = 64;

  // Finds the cell of each feature in one row of the sketch, and gives its value the sign of the cell. Returns the sum
  // of cells and values. `hash`, `word` and `signed_value` have room for whole vectors.
  float (*read_cells)(const float* cells, CellRow row, const std::uint32_t* hash, const float* values, std::size_t n,
                      std::uint32_t* word, float* signed_value);
  // The median over the rows of each feature's signed cells (the mean of the middle two where depth is even). Feature i
  // of row r is at r * n + i. A median of zero is +0.
  void (*medians)(const float* cells, const std::uint32_t* word, const std::uint32_t* hash, std::size_t n,
                  std::uint32_t depth, float* out);
  // Goes on from feature `first`: the weights of keys that are in the set become the estimates. Stops at a feature that
  // is not in the set and may enter, and returns it, or n. `lines` are those of a LineSet.
  std::size_t (*follow)(float* lines, std::uint32_t n_lines, const Key* keys, const std::uint32_t* hash,
                        const float* estimate, std::size_t first, std::size_t n);
};

const SketchKernels& sketch_kernels();  // of the instruction set of kernels()

}  // namespace wmsketch
