// Working memory for one example. The caller owns it, so that stores need none and predicting is const.
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

  // Makes room for a row of n features, and to compute on up to seven more: whole vectors, of which the end is not
  // used.
  void fit(std::size_t n) {
    if (n + 8 > room_) grow(n);
  }
  Located located() {
    return {hash.data(), line.data(), word.data(), raw.data(), signed_value.data(), lightest.data()};
  }

  const LocatedPacked& located_packed() const { return located_packed_; }

  // The row with repeated keys summed, in order of first appearance. Sorted rows without repeats cost one comparison
  // a feature, those with repeats a few.
  SparseRow without_repeats(const SparseRow& row);

  std::vector<std::uint32_t> hash, line, word, candidates, before, after, draw, placed, askers;
  std::vector<float> raw, signed_value, lightest, estimate, delta, entering, squares, stepped;
  LocatedRow row{};

 private:
  void grow(std::size_t n);
  bool all_different(const SparseRow& row);
  // How many different keys a row has; they and their sums are left in the vectors below.
  std::size_t join_neighbours(const SparseRow& row);  // of a row in ascending order
  std::size_t join_anywhere(const SparseRow& row);

  std::size_t room_ = 0;
  LocatedPacked located_packed_{};  // kept, because copying a dozen pointers would slow short rows
  std::vector<Key> keys_;
  std::vector<float> values_;
  std::vector<std::uint32_t> origin_, table_;
};

}  // namespace wmsketch
