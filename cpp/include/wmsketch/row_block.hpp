// A batch of rows that owns its memory: what readers produce and learners consume.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wmsketch/sparse_row.hpp"

namespace wmsketch {

// Readers whose features have names derive from this and answer `name`; `named` says so.
class RowBlock : public NameSource {
 public:
  std::vector<std::int64_t> starts{0};
  std::vector<Key> keys;
  std::vector<float> values;
  std::vector<std::int8_t> labels;  // -1 or +1 a row; empty when the input has none
  std::vector<float> weights;       // one a row, or empty
  std::vector<double> times;        // in seconds, one a row, or empty
  bool named = false;

  std::size_t size() const { return starts.size() - 1; }
  std::string name(std::size_t) const override { return {}; }

  RowBatch batch() const { return {starts, keys, values, labels, weights, named ? this : nullptr, times}; }

  void clear() {
    starts.assign(1, 0);
    keys.clear();
    values.clear();
    labels.clear();
    weights.clear();
    times.clear();
  }
};

}  // namespace wmsketch
