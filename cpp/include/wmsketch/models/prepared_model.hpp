// A model with its schema, which turns rows into features before they are learned. It has no lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/error.hpp"
#include "wmsketch/data/row_block.hpp"
#include "wmsketch/models/row_labels.hpp"
#include "wmsketch/prepare/numbered_rows.hpp"
#include "wmsketch/prepare/schema.hpp"
#include "wmsketch/readers/matrix_rows.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch {

// How rows with named columns are read, besides what the schema learns of them.
struct ColumnRules {
  EncoderOptions encoder{};
  SchemaOptions schema{};
};

// Thrown if the model needs a shape first. Its rows turned out to be a table, whose schema takes part of the budget, or
// to have names. Call `start` with the shape and repeat the call; nothing of it was learned.
struct ShapeWanted : std::exception {
  const char* what() const noexcept override { return "the model needs a shape for its rows"; }
};

struct Margins {
  std::vector<double> values;  // in row-major order
  std::size_t per_row = 1;
};

// There is no model until the schema knows whether the rows are a table. Until then the schema holds the first rows,
// and each question is answered by a temporary model of them. A call that fails changes nothing. `Labels` is a class of
// row_labels.hpp.
template <class Model, class Labels>
class PreparedModel {
 public:
  using Make = std::function<std::unique_ptr<Model>()>;

  PreparedModel(Make make, bool named, ColumnRules rules);
  PreparedModel(const PreparedModel& other) { *this = other; }
  PreparedModel& operator=(const PreparedModel& other);

  // --- learning ---

  // `batch` has the rows of the block; its weights and times may replace those of the block. `by_columns`: the rows
  // were encoded by the column rules.
  void learn(const RowBlock& block, RowBatch batch, const Labels& labels, bool by_columns);
  // Learns rows of arrays (matrix_rows.hpp). All rows are checked before the first is learned.
  void learn_arrays(const MatrixRows& rows, const Labels& labels, std::span<const float> weights,
                    std::span<const double> times);
  // Learner::settle, with the margins of these rows. Models of many classes never change.
  bool settle(const RowBlock& rows) { return settle_by(margins(rows, rows.named).values, rows.labels, rows.weights); }
  bool settle_by(std::span<const double> margins, std::span<const std::int8_t> labels, std::span<const float> weights);
  // Declares classes before their first rows.
  void introduce(const std::vector<std::string>& labels);

  // --- asking ---

  // Returns use(model, schema).
  template <class Use>
  auto ask(Use use) const;
  // `next`: the block has one row, which is predicted as the next of the stream.
  Margins margins(const RowBlock& block, bool by_columns, bool next = false) const;
  Margins margins_of_arrays(const MatrixRows& rows) const;
  // The values of the block's features as the model sees them, after scaling.
  std::vector<float> values_of(const RowBlock& block) const;
  // The rows as the model sees them if its columns are numbered, otherwise nullopt.
  std::optional<NumberedRows> numbered_rows_of(const RowBlock& block) const;
  std::size_t nbytes() const { return schema_.nbytes() + (model_ ? model_->nbytes() : 0); }

  // --- columns ---

  const ColumnRules& rules() const { return rules_; }
  const NameSecret& secret() const { return rules_.encoder.secret; }  // seeds the hash of names
  Schema schema() const {
    return ask([](const Model&, const Schema& schema) { return schema; });
  }
  void set_schema(const Schema& schema);
  // Whether rows are used unchanged, without column rules.
  bool takes_any_columns() const { return takes_any_columns_; }
  // An encoder for rows with named columns, in the current state of this model.
  std::unique_ptr<RowEncoder> make_encoder(bool for_learning) const;
  std::uint64_t columns_version() const { return columns_version_; }  // changes when such an encoder becomes outdated

  // --- the shape ---

  bool named() const { return named_; }               // whether there is room for names
  bool decided() const { return model_ != nullptr; }  // whether it is known that rows are, or are not, a table
  void start(Make make, bool named);                  // does nothing if the model has begun
  std::size_t schema_nbytes() const;                  // bytes of the schema, now or after `start`
  std::size_t most_schema_nbytes() const;             // the same if all columns turn out to be numeric
  // Whether the table with which the model has begun, or would begin, has numbers.
  bool scales_numbers() const { return (planned_ ? *planned_ : schema_).scales_numbers(); }
  // The same for a table whose columns have numbers.
  bool is_numbered() const { return (planned_ ? *planned_ : schema_).is_numbered(); }

  // --- several models ---

  void merge(const PreparedModel& other);
  // Merges several models in one pass; see Learner::merge. All must be decided. `base` may be null.
  void merge_all(std::span<const PreparedModel* const> others, const PreparedModel* base);
  // Becomes a copy of `other`, which is decided, in the size of this model, which is new.
  void take(const PreparedModel& other);
  void archive(Archive& archive);

 private:
  template <class Work>
  void undecided_if_it_fails(Work work);
  template <class Work>
  static void all_or_nothing(std::unique_ptr<Model>& model, bool may_fail, Work work);
  template <class Work>
  static void numbered_from(std::size_t first, Work work);

  static void learn_prepared(std::unique_ptr<Model>& model, Schema& schema, const RowBlock& block, RowBatch batch,
                             const Labels& labels);
  static void learn_numbered(Model& model, Schema& schema, const RowBatch& batch, const Labels& labels);
  bool hold_or_begin(const RowBlock& block, const RowBatch& batch, const Labels& labels, bool by_columns,
                     MatrixWidth width = {});
  void hold(const RowBlock& block, const RowBatch& batch, const Labels& labels);
  void hold_held(const HeldRows& rows);
  void require_learnable_held() const;
  static void learn_held(std::unique_ptr<Model>& model, Schema& schema, const HeldRows& held);
  static void merge_held(Model& into, Schema& schema, const HeldRows& held, const Make& make);
  std::unique_ptr<Model> make_introduced() const;
  void begin(const Schema& decided);
  void begin_or_want_shape(const Schema& decided);
  bool hold_or_begin_with_arrays(const MatrixRows& rows, const Labels& labels, std::span<const float> weights,
                                 std::span<const double> times);
  static Margins numbered_margins(const Model& model, const Schema& schema, const RowBatch& batch);

  static void refuse_arrays_for(const Schema& schema);
  static void require_columns_for(const Schema& schema, const RowBlock& block, bool by_columns);
  void require_room_for_names(bool named) const;
  void columns_changed();
  bool has_no_rules() const;

  ColumnRules rules_;
  Schema schema_;
  std::optional<Schema> planned_;  // decided, waiting for a shape
  bool named_ = false;
  Make make_;
  std::unique_ptr<Model> model_;
  std::atomic<bool> takes_any_columns_ = false;
  std::atomic<std::uint64_t> columns_version_ = 0;
};

// Undoes the decision about the schema if `work` throws.
template <class Model, class Labels>
template <class Work>
void PreparedModel<Model, Labels>::undecided_if_it_fails(Work work) {
  if (model_) return work();
  const Schema before = schema_;
  try {
    work();
  } catch (...) {
    if (model_) {
      model_.reset();
      schema_ = before;
      columns_changed();
    }
    throw;
  }
}

// Restores the model if `work` throws. Rows whose numbers overflow fail while they are learned.
template <class Model, class Labels>
template <class Work>
void PreparedModel<Model, Labels>::all_or_nothing(std::unique_ptr<Model>& model, bool may_fail, Work work) {
  auto before = may_fail ? model->copy() : nullptr;
  try {
    work();
  } catch (...) {
    if (before) model = std::move(before);
    throw;
  }
}

// Renumbers a BadRow from the batch, whose first row is `first`, to the whole input.
template <class Model, class Labels>
template <class Work>
void PreparedModel<Model, Labels>::numbered_from(std::size_t first, Work work) {
  try {
    work();
  } catch (const BadRow& bad) {
    throw BadRow(first + bad.row, bad.what());
  }
}

template <class Model, class Labels>
template <class Use>
auto PreparedModel<Model, Labels>::ask(Use use) const {
  if (model_) return use(static_cast<const Model&>(*model_), schema_);
  auto model = make_introduced();
  Schema schema = schema_.decided_now();
  learn_held(model, schema, schema_.held());
  return use(static_cast<const Model&>(*model), static_cast<const Schema&>(schema));
}

extern template class PreparedModel<Learner, BinaryLabels>;
extern template class PreparedModel<Learner, Targets>;
extern template class PreparedModel<Multiclass, ClassLabels>;

}  // namespace wmsketch
