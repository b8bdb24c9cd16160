// Borrowed views of examples: the (key, value) pairs of one row, and a batch of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace wmsketch {

using Key = std::uint32_t;  // a feature: an integer id, or the 32-bit hash of a name

// Returns the names of features. It is called only when a key enters the active set, so it may be slow.
class NameSource {
 public:
  virtual ~NameSource() = default;
  // The name of feature i, an index into the keys of the batch. Empty if the feature has no name.
  virtual std::string name(std::size_t i) const = 0;
};

struct SparseRow {
  const Key* keys = nullptr;
  const float* values = nullptr;
  std::size_t size = 0;
  const NameSource* names = nullptr;      // null if features are integer ids
  std::size_t first = 0;                  // index of the row's first feature for `names`
  const std::uint32_t* origin = nullptr;  // index of feature i before repeated keys were summed; null: i

  std::string name(std::size_t i) const {
    return names == nullptr ? std::string() : names->name(first + (origin == nullptr ? i : origin[i]));
  }
};

// The number of columns of a matrix; 0: rows have the features they have.
struct MatrixWidth {
  std::size_t columns = 0;
  bool dense = false;
};

// Rows that together form one example of a larger model. They share its time and its decay.
struct LargerExample {
  double examples_before = 0;  // number of earlier examples, after forgetting
  double share = 1;            // of the decay of the example, for each row
};

// Consecutive rows as in a CSR matrix: row r is [starts[r], starts[r + 1]).
struct RowBatch {
  std::span<const std::int64_t> starts;  // n_rows + 1 entries
  std::span<const Key> keys;
  std::span<const float> values;
  std::span<const std::int8_t> labels;  // -1 or +1; empty for prediction
  std::span<const float> weights;       // empty: every example has weight 1
  const NameSource* names = nullptr;
  std::span<const double> times{};                   // in seconds, one for each row; empty: no time passes
  std::uint64_t key_limit = std::uint64_t{1} << 32;  // all keys are below this
  std::span<const double> offsets = {};              // added to the margins when learning; empty: none
  const LargerExample* example = nullptr;            // null: each row is an example of its own
  bool distinct = false;                             // no row contains a key twice
  std::span<const std::uint32_t> classes = {};       // used instead of labels if there are more than two classes
  std::span<const double> targets = {};              // used instead of labels if a number is to be predicted
  bool streamed = false;                             // a single row that comes next in the stream
  std::span<const double> wide = {};                 // the values before conversion to float; empty: they were floats
  mutable std::optional<float> known_squares{};  // the sum of the squared values, kept because several checks need it

  std::size_t size() const { return starts.empty() ? 0 : starts.size() - 1; }
  SparseRow row(std::size_t r) const {
    const auto begin = static_cast<std::size_t>(starts[r]);
    return {keys.data() + begin, values.data() + begin, static_cast<std::size_t>(starts[r + 1]) - begin, names, begin};
  }
  SparseRow all() const {  // the features of all rows, one after the other
    if (size() == 0) return {};
    const auto begin = static_cast<std::size_t>(starts.front());
    return {keys.data() + begin, values.data() + begin, static_cast<std::size_t>(starts.back()) - begin, names, begin};
  }
  RowBatch with_values(std::span<const float> others) const {
    RowBatch batch = *this;
    batch.values = others;
    batch.wide = {};
    batch.known_squares.reset();
    return batch;
  }
};

// The largest weight of an example, but at least 1.
inline double heaviest_row(const RowBatch& batch) {
  float most = 1;
  for (const float weight : batch.weights) most = weight > most ? weight : most;
  return most;
}

}  // namespace wmsketch
