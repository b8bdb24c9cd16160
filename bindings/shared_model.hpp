// A model and its lock, and the rows that Python gives it: arrays, blocks of a reader, mappings.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "column_rules.hpp"
#include "guarded.hpp"
#include "mappings.hpp"
#include "python_rows.hpp"
#include "state.hpp"
#include "wmsketch/learner.hpp"
#include "wmsketch/prepare/schema.hpp"
#include "wmsketch/row_block.hpp"

namespace wmsketch::python {

[[noreturn]] inline void raise_bad_row(const BadRow& bad, std::size_t first_row) {
  throw nb::value_error(("row " + std::to_string(first_row + bad.row) + ": " + bad.what()).c_str());
}

// The model needs a shape before it can go on: its rows turned out to be a table, whose schema takes some of the
// budget, or to have names. `start` gives it one. Nothing of the call that raised this was learned.
struct ShapeWanted : std::exception {
  const char* what() const noexcept override { return "the model needs a shape for its rows"; }
};

// A model, its schema and their lock. One thread learns at a time, any number predict in between. Whoever waits for the
// lock has let go of the GIL.
//
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
class SharedModel {
 public:
  using Argument = typename Given::Argument;
  using Make = std::function<std::unique_ptr<Model>()>;

  SharedModel(Make make, bool named, ColumnRules rules)
      : rules_(std::move(rules)),

        schema_(rules_.schema),
        named_(named),
        make_(std::move(make)) {}
  SharedModel(const SharedModel& other) {
    const auto lock = other.reading();
    rules_ = other.rules_;
    schema_ = other.schema_;
    planned_ = other.planned_;
    named_ = other.named_;
    make_ = other.make_;
    model_ = other.model_ ? other.model_->copy() : nullptr;
    columns_changed();
  }

  template <class Rows>
  void learn_arrays(const Rows& rows, const Argument& argument, const Weights& weights, const Times& times) {
    const Given labels(argument);
    check_lengths(rows.size(), labels.size(), weights ? weights->size() : 0, times ? times->size() : 0);
    const auto with_labels = [&](RowBatch batch, std::size_t first) {
      labels.put_into(batch, first);
      if (weights) batch.weights = span_of(weights).subspan(first, batch.size());
      if (times) batch.times = span_of(times).subspan(first, batch.size());
      return batch;
    };
    const nb::gil_scoped_release unlocked;
    const std::unique_lock lock(mutex_);
    require_room_for_names(rows.named());
    undecided_if_it_fails([&] {
      begin_with_arrays();
      bool may_overflow = false;
      rows.for_each_batch([&](const RowBatch& batch, std::size_t first) {
        check(*model_, labels, with_labels(batch, first), first);
        may_overflow = may_overflow || model_->may_overflow(with_labels(batch, first));
      });
      all_or_nothing(model_, may_overflow, [&] {
        rows.for_each_batch([&](const RowBatch& batch, std::size_t first) {
          learn(*model_, labels, with_labels(batch, first), first);
        });
      });
    });
  }

  template <class Rows>
  auto margins_of_arrays(const Rows& rows) const {
    return margins_of(rows.size(),
                      [&](const Model& model, const Schema& schema, std::span<double> out, std::size_t columns) {
                        refuse_arrays_for(schema);
                        rows.for_each_batch([&](const RowBatch& batch, std::size_t first) {
                          check_values(model, batch, first);
                          model.margins(batch, out.subspan(first * columns, batch.size() * columns));
                        });
                      });
  }

  // Rows that a reader made: nothing in them belongs to Python. What is given stands in for the block's own.
  void learn_block(const RowBlock& block, const Weights& weights, const Times& times, const Given& labels) {
    RowBatch batch = block.batch();
    if (weights) batch.weights = span_of(weights);
    if (times) batch.times = span_of(times);
    labels.put_into(batch, 0);
    check_lengths(block.size(), labels.size(), batch.weights.size(), batch.times.size());
    const nb::gil_scoped_release unlocked;
    const std::unique_lock lock(mutex_);
    learn_rows(block, batch, labels, block.named);
  }
  auto margins_of_block(const RowBlock& block) const {
    return margins_of(block.size(), [&](const Model& model, const Schema& schema, std::span<double> out, std::size_t) {
      require_columns_for(schema, block, block.named);
      margins_into(model, schema, block, out);
    });
  }
  // The values of a block's features as the model takes them.
  std::vector<float> values_of_block(const RowBlock& block) const {
    return with_model([&](const Model&, const Schema& schema) {
      require_columns_for(schema, block, block.named);
      std::vector<float> values;
      schema.apply(block, values);
      return values;
    });
  }

  // Rows of Python objects: the GIL stays, because names are read out of them.
  // streamed: it is one row by itself, the next of a stream.
  void learn_python(MappingBlock* objects, const RowBlock& block, const Given& labels, bool streamed = false) {
    RowBatch batch = block.batch();
    batch.streamed = streamed;
    labels.put_into(batch, 0);
    const auto lock = lock_without_gil<std::unique_lock<SharedMutex>>(objects);
    learn_rows(block, batch, labels, objects == nullptr);
  }
  // streamed: of one row, as the next of the stream.
  std::vector<double> margins_of_python(MappingBlock* objects, const RowBlock& block, std::size_t& columns,
                                        bool streamed = false) const {
    const auto lock = lock_without_gil<std::shared_lock<SharedMutex>>(objects);
    return with_model_locked([&](const Model& model, const Schema& schema) {
      require_columns_for(schema, block, objects == nullptr);
      columns = Given::columns(model);
      std::vector<double> margins(block.size() * columns);
      margins_into(model, schema, block, margins, streamed);
      return margins;
    });
  }

  // --- what rows of Python objects become ---

  // Whether rows are taken as they are, so that a MappingBlock will do.
  bool takes_any_columns() const { return takes_any_columns_; }
  // One that is idle, or a new one; the GIL is held.
  std::unique_ptr<PythonRows> borrow_rows(bool for_learning) {
    auto& idle = idle_[for_learning];
    if (idle.empty() || idle_version_ != version_) {
      if (idle_version_ != version_) idle_[0].clear(), idle_[1].clear();
      idle_version_ = version_;
      const auto lock = reading();
      const bool undecided = schema_.state() == Schema::State::undecided;
      const Schema schema = undecided && !for_learning ? schema_.decided_now() : schema_;
      auto rows = std::make_unique<PythonRows>(encoder_options(schema, for_learning));
      rows->note_columns(undecided);
      if (!for_learning && !schema.has_other_columns())
        for (std::size_t i = 0; i < schema.size(); ++i) rows->expect_column(schema.column(i).name);
      return rows;
    }
    auto rows = std::move(idle.back());
    idle.pop_back();
    return rows;
  }
  void give_back(std::unique_ptr<PythonRows> rows, bool for_learning) {
    rows->restart();
    if (idle_version_ == version_ && idle_[for_learning].size() < 4) idle_[for_learning].push_back(std::move(rows));
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
    return options;
  }

  // --- the shape ---

  bool named() const { return named_; }
  bool decided() const { return model_ != nullptr; }
  // Bytes of the budget that the schema takes, now or after `start`.
  std::size_t schema_nbytes() const { return planned_ ? planned_->nbytes() : model_ ? schema_.nbytes() : 0; }
  const Schema& schema() const { return schema_; }
  Schema schema_now() const {
    return with_model([](const Model&, const Schema& schema) { return schema; });
  }
  const ColumnRules& rules() const { return rules_; }
  void set_schema(const Schema& schema) {
    const auto lock = writing();
    schema_ = schema;
    columns_changed();
  }

  // Gives a model that wants it another shape; a model that has begun stays as it is.
  void start(Make make, bool named) {
    const auto lock = writing();
    if (model_) return;
    make_ = std::move(make);
    named_ = named;
    if (planned_) begin(*planned_);
  }
  // Classes that are known before their first examples.
  void introduce(const std::vector<std::string>& labels) {
    const auto lock = writing();
    if (model_) {
      Given::introduce(*model_, labels);
    } else {
      Given::introduce(*make_(), labels);  // refuses what has no room
      schema_.held().introduced = labels;
    }
  }

  // --- the rest ---

  // From a copy of the other, so that two models may be merged into each other at once; into a copy of this one, so
  // that a failure leaves it as it was. Rows that a model still holds are learned by the schema of the other.
  void merge(const SharedModel& other) {
    SharedModel theirs(other);
    const nb::gil_scoped_release unlocked;
    const std::unique_lock lock(mutex_);
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
        schema.merge(theirs.schema_);
        merged->merge(*theirs.model_);
      } else {
        merge_held(*merged, schema, theirs.schema_.held(), make_);
      }
      model_ = std::move(merged);
      schema_ = std::move(schema);
    }
    columns_changed();
  }

  Arrays state() const {
    const auto lock = reading();
    SavingArchive archive;
    if (schema_.state() != Schema::State::open) const_cast<Schema&>(schema_).archive(archive);
    if (model_) model_->archive(archive);
    return archive.arrays;
  }
  std::optional<double> state_number(const std::string& name) const {
    return with_model(
        [&](const Model& model, const Schema&) { return number_of_state(const_cast<Model&>(model), name); });
  }
  // For a fresh model only.
  void load_state(const Arrays& state) {
    const auto lock = writing();
    LoadingArchive archive(state);
    schema_ = Schema::open(rules_.schema);
    if (state.contains("schema_state")) schema_.archive(archive);
    if (schema_.state() != Schema::State::undecided) {
      model_ = make_();
      model_->archive(archive);
    }
    columns_changed();
  }

  std::size_t nbytes() const {
    const auto lock = reading();
    return schema_.nbytes() + (model_ ? model_->nbytes() : 0);
  }

  std::unique_lock<SharedMutex> writing() { return lock_without_gil<std::unique_lock<SharedMutex>>(nullptr); }
  std::shared_lock<SharedMutex> reading() const { return lock_without_gil<std::shared_lock<SharedMutex>>(nullptr); }

  // What ask(model) answers, while nobody learns.
  template <class Ask>
  auto asked(Ask ask) const {
    return with_model([&](const Model& model, const Schema&) { return ask(model); });
  }

 private:
  // --- with the lock ---

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
    schema.learn(block, batch.weights, batch.times, values_);
    batch.values = values_;
    try {
      learn_all();
    } catch (...) {
      schema.return_to(before);
      throw;
    }
    if (!block.new_kinds.empty()) columns_changed();
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
    const_cast<SharedModel*>(this)->learn_held(model, schema, schema_.held());
    return use(static_cast<const Model&>(*model), schema);
  }
  template <class Use>
  auto with_model(Use use) const {
    const auto lock = reading();
    return with_model_locked(use);
  }

  void margins_into(const Model& model, const Schema& schema, const RowBlock& block, std::span<double> out,
                    bool streamed = false) const {
    RowBatch batch = block.batch();
    batch.streamed = streamed;
    check_values(model, batch, 0);
    std::vector<float> values;
    if (schema.changes(block)) {
      schema.apply(block, values);
      batch.values = values;
    }
    model.margins(batch, out);
  }

  template <class Fill>
  auto margins_of(std::size_t rows, Fill fill) const {
    std::vector<double> margins;
    std::size_t columns = 1;
    {
      const nb::gil_scoped_release unlocked;
      const std::shared_lock lock(mutex_);
      with_model_locked([&](const Model& model, const Schema& schema) {
        columns = Given::columns(model);
        margins.resize(rows * columns);
        fill(model, schema, std::span(margins), columns);
      });
    }
    return Given::to_margins(margins, columns);
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

  template <class Lock>
  Lock lock_without_gil(MappingBlock* objects) const {
    Lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) {
      if (objects) objects->own();
      const nb::gil_scoped_release unlocked;
      lock.lock();
    }
    return lock;
  }

  mutable SharedMutex mutex_;
  ColumnRules rules_;
  Schema schema_;
  std::optional<Schema> planned_;  // decided, and waiting for a shape
  bool named_ = false;
  Make make_;
  std::unique_ptr<Model> model_;
  std::vector<float> values_;  // scratch
  std::atomic<bool> takes_any_columns_ = false;
  std::atomic<std::uint64_t> version_ = 0;  // of what is known of the columns
  std::uint64_t idle_version_ = 0;          // that of the idle rows
  std::vector<std::unique_ptr<PythonRows>> idle_[2];
};

}  // namespace wmsketch::python
