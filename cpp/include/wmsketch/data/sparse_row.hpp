// Borrowed views of examples: one row's (key, value) pairs, and a batch of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace wmsketch {

using Key = std::uint32_t;  // a feature: an integer id as it is, or 32 bits of a name's hash

// Gives the names of features. It is asked only when a key becomes heavy, so it may be slow.
class NameSource {
 public:
  virtual ~NameSource() = default;
  // The name of feature i (an index into the batch's keys); an empty string for a feature that has none.
  virtual std::string name(std::size_t i) const = 0;
};

struct SparseRow {
  const Key* keys = nullptr;
  const float* values = nullptr;
  std::size_t size = 0;
  const NameSource* names = nullptr;      // null when features are plain integers
  std::size_t first = 0;                  // index of the row's first feature for `names`
  const std::uint32_t* origin = nullptr;  // where feature i stood in the row before repeats were summed; null: at i

  std::string name(std::size_t i) const {
    return names == nullptr ? std::string() : names->name(first + (origin == nullptr ? i : origin[i]));
  }
};

// One example of a larger model that consists of several rows, which share its time and its decay.
struct LargerExample {
  double examples_before = 0;  // as far as they still count
  double share = 1;            // of the example's decay, for each row
};

// Rows one behind the other, as in a CSR matrix: row r is [starts[r], starts[r + 1]).
struct RowBatch {
  std::span<const std::int64_t> starts;  // n_rows + 1 entries
  std::span<const Key> keys;
  std::span<const float> values;
  std::span<const std::int8_t> labels;  // -1 or +1; empty when only predicting
  std::span<const float> weights;       // empty: every example weighs 1
  const NameSource* names = nullptr;
  std::span<const double> times{};                   // in seconds, one a row; empty: no time passes
  std::uint64_t key_limit = std::uint64_t{1} << 32;  // all keys are known to be below
  std::span<const double> offsets = {};              // added to the margins when learning; empty: nothing
  const LargerExample* part_of = nullptr;            // null: each row is an example of its own
  bool distinct = false;                             // no row has a key twice
  std::span<const std::uint32_t> classes = {};       // in place of labels, where there are more than two
  bool streamed = false;                             // one row by itself, which comes next in the stream
  mutable std::optional<float> known_squares{};      // for `squares`

  std::size_t size() const { return starts.empty() ? 0 : starts.size() - 1; }
  SparseRow row(std::size_t r) const {
    const auto begin = static_cast<std::size_t>(starts[r]);
    return {keys.data() + begin, values.data() + begin, static_cast<std::size_t>(starts[r + 1]) - begin, names, begin};
  }
  float squares() const;  // of all values; computed once, because several checks need the sum
  RowBatch with_values(std::span<const float> others) const {
    RowBatch batch = *this;
    batch.values = others;
    batch.known_squares.reset();
    return batch;
  }
};

// The largest weight of an example, or 1.
inline double heaviest_row(const RowBatch& batch) {
  float most = 1;
  for (const float weight : batch.weights) most = weight > most ? weight : most;
  return most;
}

}  // namespace wmsketch
