// A model with its schema, and their lock.
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
#include "prepared_model.hpp"
#include "python_rows.hpp"
#include "state.hpp"
#include "wmsketch/data/row_block.hpp"
#include "wmsketch/models/learner.hpp"
#include "wmsketch/prepare/rekeyed_rows.hpp"
#include "wmsketch/prepare/schema.hpp"

namespace wmsketch::python {

namespace nb = nanobind;

// One thread learns at a time, any number predict in between. Whoever waits for the lock has let go of the GIL.
template <class Model, class Given>
class SharedModel : public PreparedModel<Model, Given> {
  using Base = PreparedModel<Model, Given>;

 public:
  using Argument = typename Given::Argument;
  using typename Base::Make;

  SharedModel(Make make, bool named, ColumnRules rules) : Base(std::move(make), named, std::move(rules)) {}
  SharedModel(const SharedModel& other) {
    const auto lock = other.reading();
    Base::assign(other);
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
        const RowBatch labelled = with_labels(batch, first);
        check(*model_, labels, labelled, first);
        may_overflow = may_overflow || model_->may_overflow(labelled);
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
    const nb::gil_scoped_release unlocked;
    with_keys_under(secret(), block, [&](const RowBlock& rows) {
      RowBatch batch = rows.batch();
      if (weights) batch.weights = span_of(weights);
      if (times) batch.times = span_of(times);
      labels.put_into(batch, 0);
      check_lengths(rows.size(), labels.size(), batch.weights.size(), batch.times.size());
      const std::unique_lock lock(mutex_);
      learn_rows(rows, batch, labels, rows.named);
    });
  }
  auto margins_of_block(const RowBlock& block) const {
    return margins_of(block.size(), [&](const Model& model, const Schema& schema, std::span<double> out, std::size_t) {
      with_keys_under(secret(), block, [&](const RowBlock& rows) {
        require_columns_for(schema, rows, rows.named);
        margins_into(model, schema, rows, out);
      });
    });
  }
  // The values of a block's features as the model takes them.
  std::vector<float> values_of_block(const RowBlock& block) const {
    return with_model([&](const Model&, const Schema& schema) {
      require_columns_for(schema, block, block.named);
      std::vector<float> values;
      with_keys_under(secret(), block, [&](const RowBlock& rows) { schema.apply(rows, values); });
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

  using Base::encoder_options;

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
  // --- the shape ---

  bool named() const { return named_; }
  const NameSecret& secret() const { return rules_.encoder.secret; }  // that this model hashes names under
  bool decided() const { return model_ != nullptr; }
  // Bytes of the budget that the schema takes, now or after `start`.
  std::size_t most_schema_nbytes() const { return schema_.is_table() ? schema_.most_nbytes() : 0; }
  std::size_t schema_nbytes() const { return planned_ ? planned_->most_nbytes() : model_ ? schema_.nbytes() : 0; }
  bool scales_numbers() const { return (planned_ ? *planned_ : schema_).scales_numbers(); }
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

  // From a copy of the other, so that two models may be merged into each other at once.
  void merge(const SharedModel& other) {
    const SharedModel theirs(other);
    const nb::gil_scoped_release unlocked;
    const std::unique_lock lock(mutex_);
    Base::merge_with(theirs);
  }

  // Several in one pass; from copies too.
  template <class Others>
  void merge_all(const Others& others, const SharedModel* base) {
    std::vector<std::unique_ptr<SharedModel>> copies;
    std::vector<const Base*> theirs;
    for (const SharedModel* other : others) {
      copies.push_back(std::make_unique<SharedModel>(*other));
      theirs.push_back(copies.back().get());
    }
    const std::unique_ptr<SharedModel> began = base != nullptr ? std::make_unique<SharedModel>(*base) : nullptr;
    const nb::gil_scoped_release unlocked;
    const std::unique_lock lock(mutex_);
    Base::merge_all(theirs, began.get());
  }

  void take(const SharedModel& other) {
    const SharedModel theirs(other);
    const auto lock = writing();
    Base::take(theirs);
  }

  Arrays state() const {
    const auto lock = reading();
    return Base::arrays();
  }
  std::optional<double> state_number(const std::string& name) const {
    return with_model(
        [&](const Model& model, const Schema&) { return number_of_state(const_cast<Model&>(model), name); });
  }
  // For a fresh model only.
  void load_state(const Arrays& state) {
    const auto lock = writing();
    Base::load_arrays(state);
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
  using Base::all_or_nothing;
  using Base::begin;
  using Base::begin_with_arrays;
  using Base::check;
  using Base::check_values;
  using Base::columns_changed;
  using Base::learn;
  using Base::learn_rows;
  using Base::make_;
  using Base::margins_into;
  using Base::model_;
  using Base::named_;
  using Base::planned_;
  using Base::refuse_arrays_for;
  using Base::require_columns_for;
  using Base::require_room_for_names;
  using Base::rules_;
  using Base::schema_;
  using Base::takes_any_columns_;
  using Base::undecided_if_it_fails;
  using Base::version_;
  using Base::with_model_locked;

  template <class Use>
  auto with_model(Use use) const {
    const auto lock = reading();
    return with_model_locked(use);
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
  std::uint64_t idle_version_ = 0;  // that of the idle rows
  std::vector<std::unique_ptr<PythonRows>> idle_[2];
};

}  // namespace wmsketch::python
