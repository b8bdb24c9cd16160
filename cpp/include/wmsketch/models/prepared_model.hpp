// A model with its schema: rows become features by the schema before they are learned. It has no lock.
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
#include "wmsketch/prepare/schema.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch {

// How rows with named columns are read, beside what the schema learns of them.
struct ColumnRules {
  EncoderOptions encoder{};
  SchemaOptions schema{};
};

// The model needs a shape before it can go on: its rows turned out to be a table, whose schema takes some of the
// budget, or to have names. `start` gives it one. Nothing of the call that threw this was learned.
struct ShapeWanted : std::exception {
  const char* what() const noexcept override { return "the model needs a shape for its rows"; }
};

struct Margins {
  std::vector<double> values;  // row after row
  std::size_t per_row = 1;
};

// There is no model until the schema knows what the rows are. Until then it holds the first rows, and each question is
// put to a model made of them. A call that fails leaves everything as it was. `Labels` is one of row_labels.hpp.
template <class Model, class Labels>
class PreparedModel {
 public:
  using Make = std::function<std::unique_ptr<Model>()>;

  PreparedModel(Make make, bool named, ColumnRules rules);
  PreparedModel(const PreparedModel& other) { *this = other; }
  PreparedModel& operator=(const PreparedModel& other);

  // --- learning ---

  // `batch` has the rows of the block; its weights and times may stand in for the block's own. `by_columns`: the rows
  // were made by the rules of columns.
  void learn(const RowBlock& block, RowBatch batch, const Labels& labels, bool by_columns);
  // Rows of arrays; see matrix_rows.hpp. All of them are checked before the first is learned.
  template <class Rows>
  void learn_arrays(const Rows& rows, const Labels& labels, std::span<const float> weights,
                    std::span<const double> times);
  // Classes that are known before their first rows.
  void introduce(const std::vector<std::string>& labels);

  // --- asking ---

  // What `use(model, schema)` answers.
  template <class Use>
  auto ask(Use use) const;
  // `next`: one row by itself, as the next of the stream.
  Margins margins(const RowBlock& block, bool by_columns, bool next = false) const;
  template <class Rows>
  Margins margins_of_arrays(const Rows& rows) const;
  // The values of a block's features as the model takes them.
  std::vector<float> values_of(const RowBlock& block) const;
  std::size_t nbytes() const { return schema_.nbytes() + (model_ ? model_->nbytes() : 0); }

  // --- columns ---

  const ColumnRules& rules() const { return rules_; }
  const NameSecret& secret() const { return rules_.encoder.secret; }  // that this model hashes names under
  Schema schema() const {
    return ask([](const Model&, const Schema& schema) { return schema; });
  }
  void set_schema(const Schema& schema);
  // Whether rows are taken as they are, without the rules of columns.
  bool takes_any_columns() const { return takes_any_columns_; }
  // An encoder of rows with named columns, as this model wants them now.
  std::unique_ptr<RowEncoder> make_encoder(bool for_learning) const;
  std::uint64_t columns_version() const { return columns_version_; }  // changes with what such an encoder knows

  // --- the shape ---

  bool named() const { return named_; }               // whether there is room for names
  bool decided() const { return model_ != nullptr; }  // whether it is known what the rows are
  void start(Make make, bool named);                  // a model that has begun stays as it is
  std::size_t schema_nbytes() const;                  // bytes of the budget that the schema takes, now or after `start`
  std::size_t most_schema_nbytes() const;             // if all columns turn out to hold numbers
  // Whether the table that the model has begun with, or would begin with, has numbers.
  bool scales_numbers() const { return (planned_ ? *planned_ : schema_).scales_numbers(); }

  // --- several models ---

  void merge(const PreparedModel& other);
  // In one pass, of models that know what their rows are; see Learner::merge. `base` may be null.
  void merge_all(std::span<const PreparedModel* const> others, const PreparedModel* base);
  // Becomes a model that knows what its rows are, in the size of this one, which is new.
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
  bool hold_or_begin(const RowBlock& block, const RowBatch& batch, const Labels& labels, bool by_columns);
  void hold(const RowBlock& block, const RowBatch& batch, const Labels& labels);
  void hold_held(const HeldRows& rows);
  void require_learnable_held() const;
  static void learn_held(std::unique_ptr<Model>& model, Schema& schema, const HeldRows& held);
  static void merge_held(Model& into, Schema& schema, const HeldRows& held, const Make& make);
  std::unique_ptr<Model> make_introduced() const;
  void begin(const Schema& decided);
  void begin_or_want_shape(const Schema& decided);
  void begin_with_arrays();

  static void refuse_arrays_for(const Schema& schema);
  static void require_columns_for(const Schema& schema, const RowBlock& block, bool by_columns);
  void require_room_for_names(bool named) const;
  void columns_changed();
  bool has_no_rules() const;

  ColumnRules rules_;
  Schema schema_;
  std::optional<Schema> planned_;  // decided, and waiting for a shape
  bool named_ = false;
  Make make_;
  std::unique_ptr<Model> model_;
  std::atomic<bool> takes_any_columns_ = false;
  std::atomic<std::uint64_t> columns_version_ = 0;
};

// A call that fails decides nothing.
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

// Rows whose numbers may leave their range fail while they are learned: the model is then what it was.
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

// Numbers bad rows as those of the whole input, of which a batch begins at row `first`.
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
template <class Rows>
void PreparedModel<Model, Labels>::learn_arrays(const Rows& rows, const Labels& labels, std::span<const float> weights,
                                                std::span<const double> times) {
  const auto each_labelled = [&](auto use) {
    rows.for_each_batch([&](RowBatch& batch, std::size_t first) {
      labels.put_into(batch, first);
      if (!weights.empty()) batch.weights = weights.subspan(first, batch.size());
      if (!times.empty()) batch.times = times.subspan(first, batch.size());
      numbered_from(first, [&] { use(batch); });
    });
  };
  require_room_for_names(rows.named());
  undecided_if_it_fails([&] {
    begin_with_arrays();
    bool may_overflow = false;
    each_labelled([&](const RowBatch& batch) {
      labels.check(*model_, batch);
      may_overflow = may_overflow || model_->may_overflow(batch);
    });
    all_or_nothing(model_, may_overflow,
                   [&] { each_labelled([&](const RowBatch& batch) { labels.learn(*model_, batch); }); });
  });
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

template <class Model, class Labels>
template <class Rows>
Margins PreparedModel<Model, Labels>::margins_of_arrays(const Rows& rows) const {
  return ask([&](const Model& model, const Schema& schema) {
    refuse_arrays_for(schema);
    Margins margins{{}, Labels::margins_per_row(model)};
    margins.values.resize(rows.size() * margins.per_row);
    rows.for_each_batch([&](const RowBatch& batch, std::size_t first) {
      numbered_from(first, [&] { model.check(batch, false); });
      model.margins(batch, std::span(margins.values).subspan(first * margins.per_row, batch.size() * margins.per_row));
    });
    return margins;
  });
}

extern template class PreparedModel<Learner, BinaryLabels>;
extern template class PreparedModel<Multiclass, ClassLabels>;

}  // namespace wmsketch
