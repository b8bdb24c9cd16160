// How rows with named columns become features: which columns there are, what they hold and how large their numbers are.
//
// Rows are a table when nearly every one of the first rows has the same columns. The schema then keeps these columns,
// and measures their numbers in standard deviations from their mean. Rows with an open vocabulary (a bag of words) are
// learned as they are, and leave nothing here. Until it is clear which of the two they are, the first rows are held.
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
  Numbers numbers = Numbers::automatic;                // automatic: scaled where rows are a table
  std::size_t most_bytes = std::size_t{1} << 20;       // for the columns of a table
  std::size_t most_held_bytes = std::size_t{1} << 20;  // for rows that wait for the decision
  HalfLife half_life{};                                // of the scales
  NameSecret secret{};                                 // that names of columns are hashed under
  std::vector<std::string> numeric{};                  // columns of a table, whether or not its first rows have them
};

class Schema {
 public:
  enum class State : std::uint8_t { undecided, open, table };
  static constexpr std::size_t kFirstRows = 10;  // that are looked at to tell a table from an open vocabulary

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
  // What the held rows and those of the block are together; nullopt: it is not clear yet. `weights` are those of the
  // block's rows, or empty. Throws std::invalid_argument for a table whose columns do not fit into most_bytes.
  std::optional<Schema> decided_with(const RowBlock& block, std::span<const float> weights = {}) const {
    return decide(&block, weights, false);
  }
  // What the rows would be if the stream ended here.
  Schema decided_now() const { return *decide(nullptr, {}, true); }
  static Schema open(const SchemaOptions& options);
  static Schema of_columns(std::span<const Column> columns, const SchemaOptions& options);

  // --- a table ---
  std::size_t size() const { return entries_.size(); }
  Column column(std::size_t i) const;
  bool has_other_columns() const { return others_; }  // whether rows had columns that are not among these
  bool scales_numbers() const;                        // whether a column holds numbers, which are measured from a mean
  std::optional<std::set<std::string>> all_columns() const;  // that rows had; none: they may have had any
  // The values of the block's features: numbers are scaled, and the products of interactions follow them. `learn` adds
  // the rows to the scales first, each before it is scaled. A row of weight 0 is scaled and not added.
  void learn(const RowBlock& block, std::span<const float> weights, std::span<const double> times,
             std::vector<float>& values);
  void apply(const RowBlock& block, std::vector<float>& values) const;
  // Whether `learn` or `apply` would change a value of the block.
  bool changes(const RowBlock& block) const { return is_table() && !block.numbers.empty() && !scales_.empty(); }

  // What `learn` changes, to return to it.
  struct Mark {
    std::vector<NumberScale> scales;
    std::vector<ColumnKind> kinds;
    double time;
    bool others;
  };
  Mark mark() const;
  void return_to(const Mark& mark);

  // The same columns without what was learned of their numbers.
  Schema emptied() const;
  // What another has learned, since a base where there is one. Columns that it alone knows are added. Throws
  // std::invalid_argument where one took for scaled numbers what is none to the other.
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
  // The size if all columns turn out to hold numbers. Models are sized for it, so that models of one table have one
  // shape, whichever columns were empty in their first rows.
  std::size_t most_nbytes() const;
  void archive(Archive& archive);

 private:
  struct Entry {
    Key key;
    std::uint32_t name_end;
    std::uint16_t scale;  // its place in scales_, or kNone
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
  const NumberScale* scale_of(std::string_view column) const;  // null: it has none
  std::uint16_t find(Key key) const;  // the scale of the number column whose feature has this key
  void multiply(const RowBlock& block, std::vector<float>& values) const;
  void fade(std::span<const double> times, std::size_t row);

  SchemaOptions options_;
  State state_ = State::undecided;
  HeldRows held_;
  std::string names_;
  std::vector<Entry> entries_;
  std::vector<NumberScale> scales_;
  std::vector<std::uint16_t> places_;  // open addressing over the keys of the entries that have a scale
  bool others_ = false;
  double time_ = -std::numeric_limits<double>::infinity();  // of the latest row
};

}  // namespace wmsketch
