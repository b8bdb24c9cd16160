// A model and its lock, and the rows that Python gives it: arrays, blocks of a reader, mappings.
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
#include <vector>

#include "arrays.hpp"
#include "guarded.hpp"
#include "mappings.hpp"
#include "state.hpp"
#include "wmsketch/learner.hpp"
#include "wmsketch/row_block.hpp"

namespace wmsketch::python {

[[noreturn]] inline void raise_bad_row(const BadRow& bad, std::size_t first_row) {
  throw nb::value_error(("row " + std::to_string(first_row + bad.row) + ": " + bad.what()).c_str());
}

// One thread learns at a time, any number predict in between. Whoever waits for the lock has let go of the GIL.
//
// `Given` is how Python gives the labels of rows. It is made of a Given::Argument, and has
//   size()                               how many there are
//   put_into(batch, first)               labels of rows from `first` on, into a batch of them
//   check(model, batch), learn(model, batch)
//   static columns(model)                margins of one row
//   static to_margins(numbers, columns)  as a numpy array
template <class Model, class Given>
class SharedModel {
 public:
  using Argument = typename Given::Argument;

  explicit SharedModel(std::unique_ptr<Model> model) : model_(std::move(model)) {}
  SharedModel(const SharedModel& other) {
    const auto lock = other.reading();
    model_ = other.model_->copy();
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
    rows.for_each_batch(
        [&](const RowBatch& batch, std::size_t first) { check(labels, with_labels(batch, first), first); });
    rows.for_each_batch(
        [&](const RowBatch& batch, std::size_t first) { labels.learn(*model_, with_labels(batch, first)); });
  }

  template <class Rows>
  auto margins_of_arrays(const Rows& rows) const {
    return margins_of(rows.size(), [&](std::span<double> out, std::size_t columns) {
      rows.for_each_batch([&](const RowBatch& batch, std::size_t first) {
        check_values(batch, first);
        model_->margins(batch, out.subspan(first * columns, batch.size() * columns));
      });
    });
  }

  // Rows that a reader made: nothing in them belongs to Python. What is given stands in for the block's own.
  void learn_block(const RowBlock& block, const Weights& weights, const Times& times, const Given* labels) {
    RowBatch batch = block.batch();
    if (weights) batch.weights = span_of(weights);
    if (times) batch.times = span_of(times);
    if (labels) labels->put_into(batch, 0);
    check_lengths(block.size(), labels ? labels->size() : batch.labels.size(), batch.weights.size(),
                  batch.times.size());
    const nb::gil_scoped_release unlocked;
    const std::unique_lock lock(mutex_);
    require_room_for_names(block.named);
    const Given own;
    check(labels ? *labels : own, batch, 0);
    (labels ? *labels : own).learn(*model_, batch);
  }
  auto margins_of_block(const RowBlock& block) const {
    return margins_of(block.size(), [&](std::span<double> out, std::size_t) {
      check_values(block.batch(), 0);
      model_->margins(block.batch(), out);
    });
  }

  // Rows of Python objects: the GIL stays, because names are read out of them.
  void learn_mappings(const MappingBlock& block, const Given& labels) {
    RowBatch batch = block.batch();
    labels.put_into(batch, 0);
    require_room_for_names(block.named);
    const auto lock = writing();
    labels.check(*model_, batch);
    labels.learn(*model_, batch);
  }
  std::vector<double> margins_of_mappings(const MappingBlock& block, std::size_t& columns) const {
    const auto lock = reading();
    columns = Given::columns(*model_);
    std::vector<double> margins(block.size() * columns);
    model_->margins(block.batch(), margins);
    return margins;
  }

  // From a copy of the other, so that two models may be merged into each other at once; into a copy of this one, so
  // that a failure leaves it as it was.
  void merge(const SharedModel& other) {
    const SharedModel theirs(other);
    const nb::gil_scoped_release unlocked;
    const std::unique_lock lock(mutex_);
    auto merged = model_->copy();
    merged->merge(*theirs.model_);
    model_ = std::move(merged);
  }

  std::unique_lock<SharedMutex> writing() { return lock_without_gil<std::unique_lock<SharedMutex>>(mutex_); }
  std::shared_lock<SharedMutex> reading() const { return lock_without_gil<std::shared_lock<SharedMutex>>(mutex_); }
  Model& model() { return *model_; }
  const Model& model() const { return *model_; }

  // What ask(model) answers, while nobody learns.
  template <class Ask>
  auto asked(Ask ask) const {
    const auto lock = reading();
    return ask(*model_);
  }

 private:
  template <class Fill>
  auto margins_of(std::size_t rows, Fill fill) const {
    std::vector<double> margins;
    std::size_t columns = 1;
    {
      const nb::gil_scoped_release unlocked;
      const std::shared_lock lock(mutex_);
      columns = Given::columns(*model_);
      margins.resize(rows * columns);
      fill(std::span(margins), columns);
    }
    return Given::to_margins(margins, columns);
  }

  void check(const Given& labels, const RowBatch& batch, std::size_t first) const {
    try {
      labels.check(*model_, batch);
    } catch (const BadRow& bad) {
      raise_bad_row(bad, first);
    }
  }
  void check_values(const RowBatch& batch, std::size_t first) const {
    try {
      model_->check(batch, false);
    } catch (const BadRow& bad) {
      raise_bad_row(bad, first);
    }
  }

  // A name that could not be kept would later show up as a bare hash.
  void require_room_for_names(bool named) const {
    if (named && !model_->keeps_names())
      throw std::invalid_argument(
          "features came by name after a start with integer ids; set name_bytes (for example '2KiB') to keep names");
  }

  mutable SharedMutex mutex_;
  std::unique_ptr<Model> model_;
};

}  // namespace wmsketch::python
