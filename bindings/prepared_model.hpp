// A model with its schema: rows become features by the schema before they are learned. No locks, no GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "column_rules.hpp"
#include "model_errors.hpp"
#include "state.hpp"
#include "wmsketch/data/row_block.hpp"
#include "wmsketch/models/learner.hpp"
#include "wmsketch/prepare/schema.hpp"

namespace wmsketch::python {

// There is no model until the schema knows what the rows are; until then it holds the first rows, and each question is
// put to a model made of them.
//
// `Given` is how Python gives the labels of rows. It is made of a Given::Argument, or of a block with its own, and has
//   size()                               how many there are
//   put_into(batch, first)               labels of rows from `first` on, into a batch of them
//   hold(rows, n)                        adds the labels of n rows to held ones
//   check(model, batch), learn(model, batch)
//   static columns(model)                margins of one row
//   static to_margins(numbers, columns)  as a numpy array
template <class Model, class Given>
class PreparedModel {
 public:
  using Make = std::function<std::unique_ptr<Model>()>;

 protected:
  PreparedModel(Make make, bool named, ColumnRules rules)
      : rules_(std::move(rules)), schema_(rules_.schema), named_(named), make_(std::move(make)) {}
  PreparedModel() = default;  // to be assigned to

  void assign(const PreparedModel& other) {
    rules_ = other.rules_;
    schema_ = other.schema_;
    planned_ = other.planned_;
    named_ = other.named_;
    make_ = other.make_;
    model_ = other.model_ ? other.model_->copy() : nullptr;
    columns_changed();
  }

  // columns: the rows were made by the rules of columns.
  void learn_rows(const RowBlock& block, RowBatch batch, const Given& labels, bool columns) {
    if (block.named && !named_ && !model_) throw ShapeWanted();
    require_room_for_names(block.named);
    undecided_if_it_fails([&] {
      if (!model_ && hold_or_begin(block, batch, labels, columns)) return;
      require_columns_for(schema_, block, columns);
      check(*model_, labels, batch, 0);
      learn_prepared(model_, schema_, block, batch, labels);
    });
  }

  // A call that fails decides nothing.
  template <class Work>
  void undecided_if_it_fails(Work work) {
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

  // Model and scales of a batch that fails are those before it.
  void learn_prepared(std::unique_ptr<Model>& model, Schema& schema, const RowBlock& block, RowBatch batch,
                      const Given& labels) {
    const auto learn_all = [&] {
      all_or_nothing(model, model->may_overflow(batch), [&] { learn(*model, labels, batch, 0); });
    };
    if (!schema.is_table()) return learn_all();
    const Schema::Mark before = schema.mark();
    std::vector<float> values;
    schema.learn(block, batch.weights, batch.times, values);
    batch = batch.with_values(values);
    try {
      learn_all();
    } catch (...) {
      schema.return_to(before);
      throw;
    }
    if (!block.new_kinds.empty() || block.more_new_kinds) columns_changed();
  }

  // True: the rows are held. False: the model has begun, and they are to be learned.
  bool hold_or_begin(const RowBlock& block, const RowBatch& batch, const Given& labels, bool columns) {
    planned_.reset();                             // by a call that failed
    check(*make_introduced(), labels, batch, 0);  // rows that are refused decide nothing
    const auto is_zero = [](float weight) { return weight == 0; };
    if (!batch.weights.empty() && std::all_of(batch.weights.begin(), batch.weights.end(), is_zero)) return true;
    const std::optional<Schema> decided = schema_.decided_with(block, batch.weights);
    if (!decided) {
      hold(block, batch, labels);
      return true;
    }
    require_columns_for(*decided, block, columns);
    begin_or_want_shape(*decided);
    return false;
  }

  void begin_or_want_shape(const Schema& decided) {
    if (!decided.is_table()) return begin(decided);
    planned_ = decided;
    throw ShapeWanted();
  }

  void hold(const RowBlock& block, const RowBatch& batch, const Given& labels) {
    HeldRows& held = schema_.held();
    const std::size_t before = held.size(), n = block.size();
    held.add_features(block);
    labels.hold(held, n);
    const auto append = [&](auto& to, auto from, auto missing) {
      if (from.empty() && to.empty()) return;
      to.resize(before, missing);
      to.insert(to.end(), from.begin(), from.end());
      to.resize(before + n, missing);
    };
    append(held.weights, batch.weights, 1.0f);
    append(held.times, batch.times, 0.0);
    columns_changed();
  }
  void hold_held(const HeldRows& rows) {
    const Given labels(rows);
    RowBatch batch = rows.batch();
    labels.put_into(batch, 0);
    hold(rows, batch, labels);
    auto& introduced = schema_.held().introduced;
    for (const std::string& label : rows.introduced)
      if (std::find(introduced.begin(), introduced.end(), label) == introduced.end()) introduced.push_back(label);
  }

  std::unique_ptr<Model> make_introduced() const {
    auto model = make_();
    if (!schema_.held().introduced.empty()) Given::introduce(*model, schema_.held().introduced);
    return model;
  }

  void learn_held(std::unique_ptr<Model>& model, Schema& schema, const HeldRows& held) {
    if (held.size() == 0) return;
    const Given labels(held);
    RowBatch batch = held.batch();
    labels.put_into(batch, 0);
    labels.check(*model, batch);
    learn_prepared(model, schema, held, batch, labels);
  }

  void begin(const Schema& decided) {
    auto model = make_introduced();
    Schema schema = decided;
    learn_held(model, schema, schema_.held());
    model_ = std::move(model);
    schema_ = std::move(schema);
    planned_.reset();
    columns_changed();
  }

  void begin_with_arrays() {
    if (!model_) {
      const Schema decided = schema_.held().size() == 0 ? Schema::open(rules_.schema) : schema_.decided_now();
      refuse_arrays_for(decided);
      begin(decided);
    }
    refuse_arrays_for(schema_);
  }
  static void refuse_arrays_for(const Schema& schema) {
    if (schema.is_table())
      throw std::invalid_argument(
          "the model learned from rows with named columns; give it a data frame or dicts, not an array");
  }

  static void require_columns_for(const Schema& schema, const RowBlock& block, bool columns) {
    if (schema.is_table() && !columns && block.starts.back() > block.starts.front())
      throw std::invalid_argument(
          "the model learned from rows with named columns; a feature must be the name of a column, not a number");
  }

  void merge_held(Model& into, Schema& schema, const HeldRows& held, const Make& make) {
    if (held.size() == 0) return;
    auto model = make();
    Schema own = schema.emptied();
    learn_held(model, own, held);
    schema.merge(own);
    into.merge(*model);
  }

  template <class Use>
  auto with_model_locked(Use use) const {
    if (model_) return use(static_cast<const Model&>(*model_), schema_);
    auto model = make_introduced();
    Schema schema = schema_.decided_now();
    const_cast<PreparedModel*>(this)->learn_held(model, schema, schema_.held());
    return use(static_cast<const Model&>(*model), schema);
  }
  void margins_into(const Model& model, const Schema& schema, const RowBlock& block, std::span<double> out,
                    bool streamed = false) const {
    RowBatch batch = block.batch();
    batch.streamed = streamed;
    check_values(model, batch, 0);
    std::vector<float> values;
    if (schema.changes(block)) {
      schema.apply(block, values);
      batch = batch.with_values(values);
    }
    model.margins(batch, out);
  }

  static void check(const Model& model, const Given& labels, const RowBatch& batch, std::size_t first) {
    try {
      labels.check(model, batch);
    } catch (const BadRow& bad) {
      if (batch.streamed) throw;  // there is no other row
      raise_bad_row(bad, first);
    }
  }
  static void learn(Model& model, const Given& labels, const RowBatch& batch, std::size_t first) {
    try {
      labels.learn(model, batch);
    } catch (const BadRow& bad) {
      if (batch.streamed) throw;
      raise_bad_row(bad, first);
    }
  }
  // Rows whose numbers may leave their range fail while they are learned: the model is then what it was.
  template <class Work>
  static void all_or_nothing(std::unique_ptr<Model>& model, bool may_fail, Work work) {
    auto before = may_fail ? model->copy() : nullptr;
    try {
      work();
    } catch (...) {
      if (before) model = std::move(before);
      throw;
    }
  }
  static void check_values(const Model& model, const RowBatch& batch, std::size_t first) {
    try {
      model.check(batch, false);
    } catch (const BadRow& bad) {
      raise_bad_row(bad, first);
    }
  }

  // A name that could not be kept would later show up as a bare hash.
  void require_room_for_names(bool named) const {
    if (named && model_ && !model_->keeps_names())
      throw std::invalid_argument(
          "features came by name after a start with integer ids; set name_bytes (for example '2KiB') to keep names");
  }

  void columns_changed() {
    takes_any_columns_ = schema_.state() == Schema::State::open && has_no_rules();
    ++version_;
  }

  bool has_no_rules() const {
    const EncoderOptions& rules = rules_.encoder;
    return rules.label.empty() && rules.weight.empty() && rules.time.empty() && rules.features.empty() &&
           rules.ignore.empty() && rules.numeric.empty() && rules.categorical.empty() && rules.text.empty() &&
           rules.interactions.empty() && rules.na.empty() && !rules.count_missing;
  }

  // Kinds of columns are a rule when predicting. When learning, values may be of a new kind.
  EncoderOptions encoder_options(bool for_learning) const { return encoder_options(schema_, for_learning); }
  EncoderOptions encoder_options(const Schema& schema, bool for_learning) const {
    EncoderOptions options = rules_.encoder;
    options.require_labels = false;
    for (std::size_t i = 0; i < schema.size(); ++i) {
      const Schema::Column column = schema.column(i);
      const bool sure = column.kind != ColumnKind::unknown && column.kind != ColumnKind::mixed;
      if (sure) (for_learning ? options.seen : options.kinds)[column.name] = column.kind;
    }
    if (!for_learning) options.known = schema.all_columns();
    return options;
  }

  // Rows that a model still holds are learned by the schema of the other. A failure leaves this one as it was.
  void merge_with(const PreparedModel& theirs) {
    if (!model_ && !theirs.model_) {
      const HeldRows& rows = theirs.schema_.held();
      if (schema_.held().nbytes() + rows.nbytes() <= rules_.schema.most_held_bytes) return hold_held(rows);
      begin_or_want_shape(schema_.decided_with(rows).value());
    }
    if (!model_) {  // become the other, and learn from what this one holds
      const HeldRows mine = schema_.held();
      auto begun = theirs.model_->copy();
      Schema schema = theirs.schema_;
      merge_held(*begun, schema, mine, theirs.make_);
      make_ = theirs.make_;
      named_ = theirs.named_;
      model_ = std::move(begun);
      schema_ = std::move(schema);
      planned_.reset();
    } else {
      auto merged = model_->copy();
      Schema schema = schema_;
      if (theirs.model_) {
        const PreparedModel* const other = &theirs;
        return merge_all(std::span(&other, 1), nullptr);
      }
      merge_held(*merged, schema, theirs.schema_.held(), make_);
      model_ = std::move(merged);
      schema_ = std::move(schema);
    }
    columns_changed();
  }

  // Models that know what their rows are, in one pass; see Learner::merge. Numbers that the streams measured by
  // different scales are first measured by that of all.
  void merge_all(std::span<const PreparedModel* const> others, const PreparedModel* base) {
    Schema schema = schema_;
    const auto require_begun = [](const PreparedModel& model) {
      if (!model.model_) throw merge_error("rows", "a model still holds its first rows");
    };
    require_begun(*this);
    if (base != nullptr) require_begun(*base);
    for (const PreparedModel* other : others) {
      require_begun(*other);
      schema.merge(other->schema_, base != nullptr ? &base->schema_ : nullptr);
    }
    const auto measured = [&](const PreparedModel& model) {
      auto copy = model.model_->copy();
      if (schema.is_table())
        model.schema_.for_each_change(schema,
                                      [&](Key key, double factor, double shift) { copy->rescale(key, factor, shift); });
      return copy;
    };
    std::vector<std::unique_ptr<Model>> sides;
    auto merged = measured(*this);  // a failure leaves this one as it was
    typename Model::Merging merging;
    for (const PreparedModel* other : others) {
      sides.push_back(measured(*other));
      merging.others.push_back(sides.back().get());
    }
    if (base != nullptr) {
      sides.push_back(measured(*base));
      merging.base = sides.back().get();
    }
    merged->merge(merging);
    model_ = std::move(merged);
    schema_ = std::move(schema);
    columns_changed();
  }

  // Becomes a model that knows what its rows are, in the size of this one, which is new.
  void take(const PreparedModel& other) {
    if (!other.model_) throw std::invalid_argument("cannot change the size: the model still holds its first rows");
    auto model = make_();
    model->take(*other.model_);
    model_ = std::move(model);
    schema_ = other.schema_;
    columns_changed();
  }

  Arrays arrays() const {
    SavingArchive archive;
    if (schema_.state() != Schema::State::open) const_cast<Schema&>(schema_).archive(archive);
    if (model_) model_->archive(archive);
    return archive.arrays;
  }
  void load_arrays(const Arrays& state) {
    LoadingArchive archive(state);
    schema_ = Schema::open(rules_.schema);
    if (state.contains("schema_state")) schema_.archive(archive);
    if (schema_.state() != Schema::State::undecided) {
      model_ = make_();
      model_->archive(archive);
    }
    columns_changed();
  }

  ColumnRules rules_;
  Schema schema_;
  std::optional<Schema> planned_;  // decided, and waiting for a shape
  bool named_ = false;
  Make make_;
  std::unique_ptr<Model> model_;
  std::atomic<bool> takes_any_columns_ = false;
  std::atomic<std::uint64_t> version_ = 0;  // of what is known of the columns
};

}  // namespace wmsketch::python
