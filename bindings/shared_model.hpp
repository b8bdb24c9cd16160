// A model with its schema, guarded by a lock.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "column_rules.hpp"
#include "guarded.hpp"
#include "mappings.hpp"
#include "python_rows.hpp"
#include "state.hpp"
#include "wmsketch/models/prepared_model.hpp"
#include "wmsketch/prepare/rekeyed_rows.hpp"

namespace wmsketch::python {

namespace nb = nanobind;

// One thread learns at a time; any number predict in between. A thread that waits for the lock has released the GIL.
//
// `Given` defines how Python passes labels. It has
//   Labels, Argument, One       the labels of the core (row_labels.hpp); the argument for many rows and for one row
//   of(argument), of_one(one)   converts to Labels
//   to_margins(margins), to_margin(margins)
template <class Model, class Given>
class SharedModel {
 public:
  using Prepared = PreparedModel<Model, typename Given::Labels>;
  using Labels = typename Given::Labels;
  using Argument = typename Given::Argument;
  using GivenLabels = Given;
  using Make = typename Prepared::Make;

  SharedModel(Make make, bool named, ColumnRules rules) : prepared_(std::move(make), named, std::move(rules)) {}
  SharedModel(const SharedModel& other) : prepared_(other.copied()) {}

  void learn_arrays(const MatrixRows& rows, const Argument& argument, const Weights& weights, const Times& times) {
    const auto labels = Given::of(argument);
    check_lengths(rows.size(), labels.size(), span_of(weights).size(), span_of(times).size());
    const nb::gil_scoped_release unlocked;
    const std::unique_lock lock(mutex_);
    prepared_.learn_arrays(rows, labels, span_of(weights), span_of(times));
  }
  auto margins_of_arrays(const MatrixRows& rows) const {
    return Given::to_margins(asked_for_long([&] { return prepared_.margins_of_arrays(rows); }));
  }

  // Rows of a reader, without references to Python objects. The arguments replace weights, times and labels of the
  // block.
  void learn_block(const RowBlock& block, const Weights& weights, const Times& times, const Labels& labels) {
    const nb::gil_scoped_release unlocked;
    with_keys_under(secret(), block, [&](const RowBlock& rows) {
      RowBatch batch = rows.batch();
      if (weights) batch.weights = span_of(weights);
      if (times) batch.times = span_of(times);
      check_lengths(rows.size(), labels.size(), batch.weights.size(), batch.times.size());
      const std::unique_lock lock(mutex_);
      prepared_.learn(rows, batch, labels, rows.named);
    });
  }
  auto margins_of_block(const RowBlock& block) const {
    return Given::to_margins(asked_for_long([&] {
      return with_keys_under(secret(), block,
                             [&](const RowBlock& rows) { return prepared_.margins(rows, rows.named); });
    }));
  }
  bool settle_by(std::span<const double> margins, std::span<const std::int8_t> labels) {
    const auto lock = writing();
    return prepared_.settle_by(margins, labels, {});
  }
  bool settle(const RowBlock& block) {
    const nb::gil_scoped_release unlocked;
    return with_keys_under(secret(), block, [&](const RowBlock& rows) {
      const std::unique_lock lock(mutex_);
      return prepared_.settle(rows);
    });
  }
  std::vector<float> values_of_block(const RowBlock& block) const {
    const auto lock = reading();
    return prepared_.values_of(block);
  }

  std::optional<NumberedRows> numbered_rows_of(const RowBlock& block) const {
    const auto lock = reading();
    return prepared_.numbered_rows_of(block);
  }

  // Rows of Python objects. The GIL is kept, because names are read from the objects. `objects` is null if they were
  // encoded. streamed: a single row, the next of a stream.
  void learn_python(MappingBlock* objects, const RowBlock& block, const Labels& labels, bool streamed = false) {
    RowBatch batch = block.batch();
    batch.streamed = streamed;
    const auto lock = lock_without_gil<std::unique_lock<SharedMutex>>(objects);
    prepared_.learn(block, batch, labels, objects == nullptr);
  }
  Margins margins_of_python(MappingBlock* objects, const RowBlock& block, bool next = false) const {
    const auto lock = lock_without_gil<std::shared_lock<SharedMutex>>(objects);
    return prepared_.margins(block, objects == nullptr, next);
  }

  // The margins, and what the same model answers: under one lock, because another thread may learn.
  template <class Ask>
  auto margins_and(MappingBlock* objects, const RowBlock& block, bool next, Ask ask) const {
    const auto lock = lock_without_gil<std::shared_lock<SharedMutex>>(objects);
    Margins margins = prepared_.margins(block, objects == nullptr, next);
    return std::pair(std::move(margins), prepared_.ask([&](const Model& model, const Schema&) { return ask(model); }));
  }

  // --- conversion of Python objects ---

  // Whether rows are used unchanged, so that a MappingBlock suffices.
  bool takes_any_columns() const { return prepared_.takes_any_columns(); }
  std::unique_ptr<PythonRows> make_rows(bool for_learning) const {
    const auto lock = reading();
    return std::make_unique<PythonRows>(prepared_.make_encoder(for_learning));
  }
  // An idle converter, or a new one. Requires the GIL. Outdated ones are moved out before they are destroyed, because
  // dropping a Python object may call this method.
  std::unique_ptr<PythonRows> borrow_rows(bool for_learning) {
    if (idle_version_ != prepared_.columns_version()) {
      const auto outdated = std::pair(std::exchange(idle_[0], {}), std::exchange(idle_[1], {}));
      idle_version_ = prepared_.columns_version();
    }
    auto& idle = idle_[for_learning];
    if (idle.empty()) return make_rows(for_learning);
    auto rows = std::move(idle.back());
    idle.pop_back();
    return rows;
  }
  void give_back(std::unique_ptr<PythonRows> rows, bool for_learning) {
    constexpr std::size_t kMostIdle = 4;
    rows->restart();
    auto& idle = idle_[for_learning];
    if (idle_version_ == prepared_.columns_version() && idle.size() < kMostIdle) idle.push_back(std::move(rows));
  }

  // --- the shape ---

  bool named() const { return prepared_.named(); }
  const NameSecret& secret() const { return prepared_.secret(); }
  const ColumnRules& rules() const { return prepared_.rules(); }
  bool decided() const { return prepared_.decided(); }
  std::size_t most_schema_nbytes() const { return prepared_.most_schema_nbytes(); }
  std::size_t schema_nbytes() const { return prepared_.schema_nbytes(); }
  bool scales_numbers() const { return prepared_.scales_numbers(); }
  bool is_numbered() const { return prepared_.is_numbered(); }
  Schema schema() const {
    const auto lock = reading();
    return prepared_.schema();
  }
  void set_schema(const Schema& schema) {
    const auto lock = writing();
    prepared_.set_schema(schema);
  }
  void start(Make make, bool named) {
    const auto lock = writing();
    prepared_.start(std::move(make), named);
  }
  void introduce(const std::vector<std::string>& labels) {
    const auto lock = writing();
    prepared_.introduce(labels);
  }

  // --- merging; from copies, so that two models can be merged into each other concurrently ---

  void merge(const SharedModel& other) {
    const Prepared theirs = other.copied();
    const nb::gil_scoped_release unlocked;
    const std::unique_lock lock(mutex_);
    prepared_.merge(theirs);
  }
  template <class Others>
  void merge_all(const Others& others, const SharedModel* base) {
    std::vector<std::unique_ptr<Prepared>> copies;
    std::vector<const Prepared*> theirs;
    for (const SharedModel* other : others) {
      copies.push_back(std::make_unique<Prepared>(other->copied()));
      theirs.push_back(copies.back().get());
    }
    const std::unique_ptr<Prepared> began = base != nullptr ? std::make_unique<Prepared>(base->copied()) : nullptr;
    const nb::gil_scoped_release unlocked;
    const std::unique_lock lock(mutex_);
    prepared_.merge_all(theirs, began.get());
  }
  void take(const SharedModel& other) {
    const Prepared theirs = other.copied();
    const auto lock = writing();
    prepared_.take(theirs);
  }

  // --- the state ---

  Arrays state() const {
    const auto saved = [&] {
      const auto lock = reading();
      return save_state(const_cast<Prepared&>(prepared_));  // saving changes nothing
    };
    return saved().arrays();
  }
  std::optional<double> state_number(const std::string& name) const {
    return asked([&](const Model& model) { return number_of_state(const_cast<Model&>(model), name); });
  }
  void load_state(const Arrays& state) {  // requires a fresh model
    const auto lock = writing();
    python::load_state(prepared_, state);
  }
  std::size_t nbytes() const {
    const auto lock = reading();
    return prepared_.nbytes();
  }

  // Returns ask(model) under the shared lock.
  template <class Ask>
  MadeWithoutPython auto asked(Ask ask) const {
    const auto lock = reading();
    return prepared_.ask([&](const Model& model, const Schema&) { return ask(model); });
  }

 private:
  std::unique_lock<SharedMutex> writing() { return lock_without_gil<std::unique_lock<SharedMutex>>(nullptr); }
  std::shared_lock<SharedMutex> reading() const { return lock_without_gil<std::shared_lock<SharedMutex>>(nullptr); }

  Prepared copied() const {
    const auto lock = reading();
    return prepared_;
  }

  template <class Ask>
  auto asked_for_long(Ask ask) const {
    const nb::gil_scoped_release unlocked;
    const std::shared_lock lock(mutex_);
    return ask();
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
  Prepared prepared_;
  std::uint64_t idle_version_ = 0;  // columns_version of the idle converters
  std::vector<std::unique_ptr<PythonRows>> idle_[2];
};

}  // namespace wmsketch::python
