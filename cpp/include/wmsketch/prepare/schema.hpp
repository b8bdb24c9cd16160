// The schema of rows with named columns: names and kinds of the columns, and the scales of their numbers.
//
// Rows are a table if nearly all of the first rows have the same columns. The schema then keeps these columns, and
// expresses their numbers in standard deviations from the mean. Rows with an open vocabulary (a bag of words) are
// learned unchanged, and the schema stores nothing. The first rows are held until this is decided.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/row_block.hpp"
#include "wmsketch/prepare/held_rows.hpp"
#include "wmsketch/prepare/number_scale.hpp"
#include "wmsketch/rule/forgetting.hpp"

namespace wmsketch {

enum class Numbers : std::uint8_t { automatic, scaled, raw };

struct SchemaOptions {
  Numbers numbers = Numbers::automatic;                // automatic: scaled if rows are a table
  std::size_t most_bytes = std::size_t{1} << 20;       // limit for the columns of a table
  std::size_t most_held_bytes = std::size_t{1} << 20;  // limit for rows held before the decision
  HalfLife half_life{};                                // of the scales
  NameSecret secret{};                                 // seeds the hash of column names
  std::vector<std::string> numeric{};                  // columns of the table, even if the first rows lack them
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

  // --- before the decision ---
  HeldRows& held() { return held_; }
  const HeldRows& held() const { return held_; }
  // Decides from the held rows and those of the block together; nullopt: not clear yet. `weights` are those of the
  // block's rows, or empty. Throws std::invalid_argument for a table whose columns exceed most_bytes.
  std::optional<Schema> decided_with(const RowBlock& block, std::span<const float> weights = {}) const {
    return decide(&block, weights, false);
  }
  // The decision if the stream ended here.
  Schema decided_now() const { return *decide(nullptr, {}, true); }
  static Schema open(const SchemaOptions& options);
  static Schema of_columns(std::span<const Column> columns, const SchemaOptions& options);

  // --- a table ---
  std::size_t size() const { return entries_.size(); }
  Column column(std::size_t i) const;
  bool has_other_columns() const { return others_; }         // whether rows had columns that are not in the schema
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
      const NumberScale *mine = scale_of(other.name(i)), *theirs = other.scale_of(other.name(i));
      if (theirs == nullptr || !(theirs->deviation() > 0)) continue;
      if (mine == nullptr ? has(other.name(i)) : !(mine->deviation() > 0)) continue;
      const double mean = mine != nullptr ? mine->mean : 0, deviation = mine != nullptr ? mine->deviation() : 1;
      const double factor = theirs->deviation() / deviation, shift = (theirs->mean - mean) / deviation;
      if (factor != 1 || shift != 0) visit(other.entries_[i].key, factor, shift);
    }
  }
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
  };
  static constexpr std::uint16_t kNone = 0xffff;
  static constexpr std::size_t kMostColumns = kNone - 1;

  std::optional<Schema> decide(const RowBlock* block, std::span<const float> weights, bool now) const;
  void add_numeric_to(std::vector<Column>& columns) const;
  void add(const Column& column);
  std::size_t nbytes_with(std::size_t n_scales) const;
  static std::size_t places_for(std::size_t n_scales);
  void index();
  std::string_view name(std::size_t i) const;
  bool has(std::string_view column) const;
  const NumberScale* scale_of(std::string_view column) const;  // null: the column has none
  std::uint16_t find(Key key) const;  // index of the scale of the feature with this key, or kNone
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
  double time_ = -std::numeric_limits<double>::infinity();  // of the latest row
};

}  // namespace wmsketch
