// Working memory for one example. The caller owns it, so stores need none and prediction is const.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "wmsketch/data/sparse_row.hpp"
#include "wmsketch/simd/kernels.hpp"

namespace wmsketch {

class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // Makes room for a row of n features. SIMD loops process whole vectors, so there is room for more elements.
  static constexpr std::size_t kBeyond = 7;
  void fit(std::size_t n) {
    if (n + kBeyond + 1 > room_) grow(n);
  }
  Located located() {
    return {hash.data(), line.data(), word.data(), raw.data(), signed_value.data(), lightest.data()};
  }

  const LocatedPacked& located_packed() const { return located_packed_; }

  // The row with the values of repeated keys summed, in order of first appearance. A sorted row without repeats costs
  // one comparison per feature.
  SparseRow without_repeats(const SparseRow& row) { return is_increasing(row) ? row : join_repeats(row); }
  static bool is_increasing(const SparseRow& row) {
    if (row.size > kFew) return kernels().strictly_increasing(row.keys, row.size);
    bool increasing = true;
    for (std::size_t i = 1; i < row.size; ++i) increasing &= row.keys[i - 1] < row.keys[i];
    return increasing;
  }

  std::vector<std::uint32_t> hash, line, word, candidates, before, after, draw, placed, newcomers;
  std::vector<float> raw, signed_value, lightest, estimate, delta, entering, squares, stepped;
  LocatedRow row{};

 private:
  static constexpr std::size_t kFew = 8;

  void grow(std::size_t n);
  SparseRow join_repeats(const SparseRow& row);
  bool all_different(const SparseRow& row);
  bool all_different_by_comparing(const SparseRow& row);
  // Both return the number of distinct keys. The keys and their sums are left in keys_ and values_.
  std::size_t join_neighbours(const SparseRow& row);  // the keys of the row must be in ascending order
  std::size_t join_anywhere(const SparseRow& row);

  std::size_t room_ = 0;
  LocatedPacked located_packed_{};  // stored, because filling in a dozen pointers for each row would slow short rows
  std::vector<Key> keys_;
  std::vector<float> values_;
  std::vector<std::uint32_t> origin_, table_;
  std::vector<std::uint8_t> marks_;
  std::uint8_t row_mark_ = 0;  // of this row
};

}  // namespace wmsketch
