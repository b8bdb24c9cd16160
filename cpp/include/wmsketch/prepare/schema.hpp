// The schema of rows with columns: names or numbers of the columns, their kinds, and the scales of their numbers.
//
// Rows are a table if nearly all of the first rows have the same columns. The schema then keeps these columns, and
// expresses their numbers in standard deviations from the mean. Rows with an open vocabulary (a bag of words) are
// learned unchanged, and the schema stores nothing. The first rows are held until this is decided.
//
// Rows of numbered features (arrays, sparse matrices, LIBSVM, dicts with integer keys) have numbered columns. A column
// with a value in nearly all of the first rows is expressed in standard deviations from the mean, and a value that a
// row lacks is 0. Another column is expressed in units of the root mean square of its values, so that 0 stays 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/number_scale.hpp"
#include "wmsketch/data/row_block.hpp"
#include "wmsketch/prepare/held_rows.hpp"
#include "wmsketch/rule/forgetting.hpp"

namespace wmsketch {

// The kind of a column that has values of both kinds.
inline ColumnKind joined(ColumnKind a, ColumnKind b) {
  if (a == ColumnKind::unknown) return b;
  if (a == ColumnKind::sparse && b == ColumnKind::number) return b;
  if (b == ColumnKind::sparse && a == ColumnKind::number) return a;
  return b == ColumnKind::unknown || a == b ? a : ColumnKind::mixed;
}

enum class Numbers : std::uint8_t { automatic, scaled, raw };

struct SchemaOptions {
  Numbers numbers = Numbers::automatic;                // automatic: scaled if rows are a table
  std::size_t most_bytes = std::size_t{1} << 20;       // limit for the columns of a table
  std::size_t most_held_bytes = std::size_t{1} << 20;  // limit for rows held before the decision
  HalfLife half_life{};                                // of the scales
  NameSecret secret{};                                 // seeds the hash of column names
  std::vector<std::string> numeric{};                  // columns of the table, even if the first rows lack them
  bool numbered = false;                               // whether numbered features may be a table
};

class Schema {
 public:
  enum class State : std::uint8_t { undecided, open, table };
  static constexpr std::size_t kFirstRows = 10;  // used to tell a table from an open vocabulary

  struct Column {
    std::string name;
    ColumnKind kind;
    std::optional<NumberScale> scale;
  };

  explicit Schema(const SchemaOptions& options = {}) : options_(options) {}

  State state() const { return state_; }
  bool is_table() const { return state_ == State::table; }
  bool is_numbered() const { return numbered_; }  // a table whose columns have numbers, not names

  // --- before the decision ---
  HeldRows& held() { return held_; }
  const HeldRows& held() const { return held_; }
  // Decides from the held rows and those of the block together; nullopt: not clear yet. `weights` are those of the
  // block's rows, or empty. `width` is that of a matrix. Throws std::invalid_argument for a table with names
  // whose columns exceed most_bytes.
  std::optional<Schema> decided_with(const RowBlock& block, std::span<const float> weights = {},
                                     MatrixWidth width = {}) const {
    return may_be_numbered(&block) ? decide_numbered(&block, weights, width, false) : decide(&block, weights, false);
  }
  // The decision if the stream ended here.
  Schema decided_now() const {
    return may_be_numbered(nullptr) ? *decide_numbered(nullptr, {}, {}, true) : *decide(nullptr, {}, true);
  }
  static Schema open(const SchemaOptions& options);
  // The names of numbered columns are their numbers.
  static Schema of_columns(std::span<const Column> columns, const SchemaOptions& options, bool numbered = false);

  // --- a table ---
  std::size_t size() const { return entries_.size(); }
  Column column(std::size_t i) const;
  Key key(std::size_t i) const { return entries_[i].key; }  // of the feature that is the column's number
  // The place of the column whose numbers have this key; kNone: there is none.
  static constexpr std::uint16_t kNone = 0xffff;
  std::uint16_t place_of(Key key) const {
    if (key < entries_.size() && entries_[key].key == key && entries_[key].scale != kNone)  // of arrays
      return static_cast<std::uint16_t>(key);
    return find(key);
  }
  bool is_centred(std::size_t i) const { return entries_[i].kind != ColumnKind::sparse; }
  bool has_other_columns() const { return others_; }  // whether rows had columns that are not in the schema
  // The number of a numbered column that is not in the schema. It is taken as it is, unless all first columns had
  // scales: then it came late, and must not drown them.
  float without_scale(float value) const { return others_ ? value : std::clamp(value, -1.0f, 1.0f); }
  bool scales_numbers() const;                               // whether a column is numeric, and so is scaled
  std::optional<std::set<std::string>> all_columns() const;  // all columns that rows had; nullopt: unknown
  // Compute the values of the block's features: numbers are scaled, and interactions multiply the scaled numbers.
  // `learn` first adds each row to the scales, then scales it. A row of weight 0 is scaled but not added.
  void learn(const RowBlock& block, std::span<const float> weights, std::span<const double> times,
             std::vector<float>& values);
  void apply(const RowBlock& block, std::vector<float>& values) const;
  // Whether `learn` or `apply` would change a value of the block.
  bool changes(const RowBlock& block) const { return is_table() && !block.numbers.empty() && !scales_.empty(); }

  // The state that `learn` changes, for a rollback.
  struct Mark {
    std::vector<NumberScale> scales;
    std::vector<ColumnKind> kinds;
    std::vector<std::uint8_t> absurd;
    double time;
    bool others;
  };
  Mark mark() const;
  void return_to(const Mark& mark);

  // The same columns with empty scales.
  Schema emptied() const;
  // Adds what the other schema learned, since `base` if there is one. Adds the columns that only the other has. Throws
  // std::invalid_argument if a column has scaled numbers in one schema and other values in the other.
  void merge(const Schema& other, const Schema* base = nullptr);
  // Converts numbers from this schema's scales to those of another, which has all its columns: calls
  // `visit(key, factor, shift)` for each column whose scale differs; see Learner::rescale. Numbers of a column that is
  // not known here were taken as they are.
  template <class Visit>
  void for_each_change(const Schema& other, Visit visit) const {
    for (std::size_t i = 0; i < other.size(); ++i) {
      const std::optional<Unit> theirs = other.unit(i);
      if (!theirs || !(theirs->size > 0)) continue;
      const std::size_t place = place_of_name(other.name(i), i);
      const std::optional<Unit> own = place < size() ? unit(place) : Unit{};
      if (!own || !(own->size > 0)) continue;
      const double factor = theirs->size / own->size, shift = (theirs->zero - own->zero) / own->size;
      if (factor != 1 || shift != 0) visit(other.entries_[i].key, factor, shift);
    }
  }
  // The numbers of column i are expressed as (number - zero) / size; nullopt: it is not scaled.
  struct Unit {
    double zero = 0, size = 1;
  };
  std::optional<Unit> unit(std::size_t i) const;
  std::size_t nbytes() const;
  // The size if all columns turn out to be numeric. Models reserve this much, so that models of one table have the same
  // shape, whichever columns were empty in their first rows.
  std::size_t most_nbytes() const;
  void archive(Archive& archive);

 private:
  struct Entry {
    Key key;
    std::uint32_t name_end;
    std::uint16_t scale;  // index into scales_, or kNone
    ColumnKind kind;
    std::uint8_t absurd = 0;  // number of absurd values since the last usual one; the scale ignores them
  };
  static constexpr std::size_t kMostColumns = kNone - 1;
  static constexpr std::size_t kMostWithoutFeatures = std::size_t{1} << 14;  // bytes
  static constexpr std::uint8_t kNewScale = 100;  // after this many absurd values in a row, they are the new scale

  bool fits_held(const RowBlock& block) const;
  std::optional<Schema> decide(const RowBlock* block, std::span<const float> weights, bool now) const;
  bool may_be_numbered(const RowBlock* block) const;
  std::optional<Schema> decide_numbered(const RowBlock* block, std::span<const float> weights, MatrixWidth width,
                                        bool now) const;
  void set_first_ranges(const HeldRows& held, const RowBlock* block, std::span<const float> weights);
  NumberScale zeros_beside(const NumberScale& sparse) const;
  bool add_to_scale(std::size_t i, double value);
  float scaled(std::size_t i, double value) const;
  void add_numeric_to(std::vector<Column>& columns) const;
  void add(const Column& column);
  std::size_t nbytes_with(std::size_t n_scales) const;
  static std::size_t places_for(std::size_t n_scales);
  void index();
  std::string name(std::size_t i) const;
  // size(): there is none. The search begins at `first`.
  std::size_t place_of_name(std::string_view column, std::size_t first = 0) const;
  const NumberScale* scale_of(std::string_view column) const;  // null: the column has none
  std::uint16_t find(Key key) const;
  void multiply(const RowBlock& block, std::vector<float>& values) const;
  void fade(std::span<const double> times, std::size_t row);

  SchemaOptions options_;
  State state_ = State::undecided;
  HeldRows held_;
  std::string names_;
  std::vector<Entry> entries_;
  std::vector<NumberScale> scales_;
  std::vector<std::uint16_t> places_;  // open addressing, from keys to entries with a scale
  bool others_ = false;
  bool numbered_ = false;
  std::vector<UsualRange> first_ranges_;  // one per scale, computed from the rows that decided the schema
  std::size_t first_rows_left_ = 0;       // how many of the deciding rows are not learned yet
  double time_ = -std::numeric_limits<double>::infinity();  // of the latest row
};

}  // namespace wmsketch
