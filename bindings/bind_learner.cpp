// The learners: convert, check, call.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <mutex>
#include <shared_mutex>

#include "arrays.hpp"
#include "config.hpp"
#include "mappings.hpp"
#include "state.hpp"
#include "wmsketch/kernels.hpp"
#include "wmsketch/learner.hpp"
#include "wmsketch/row_block.hpp"

namespace wmsketch::python {
namespace {

[[noreturn]] void raise_bad_row(const BadRow& bad, std::size_t first_row) {
  throw nb::value_error(("row " + std::to_string(first_row + bad.row) + ": " + bad.what()).c_str());
}

// A learner and its lock: one thread learns at a time, any number predict in between. Whoever waits for the lock has
// let go of the GIL.
class SharedLearner {
 public:
  explicit SharedLearner(const Config& config)
      : learner_(make_learner(config.kind, config.exact_set, config.store, config.rule)) {}
  SharedLearner(const SharedLearner& other) {
    const auto lock = other.reading();
    learner_ = other.learner_->copy();
  }

  template <class Rows>
  void learn_arrays(const Rows& rows, const Vector<std::int8_t>& labels, const Weights& weights) {
    check_lengths(rows.size(), labels.size(), weights ? weights->size() : 0);
    const auto with_labels = [&](RowBatch batch, std::size_t first) {
      batch.labels = span_of(labels).subspan(first, batch.size());
      if (weights) batch.weights = span_of(weights).subspan(first, batch.size());
      return batch;
    };
    const nb::gil_scoped_release unlocked;
    const std::unique_lock lock(mutex_);
    rows.for_each_batch(
        [&](const RowBatch& batch, std::size_t first) { check(with_labels(batch, first), true, first); });
    rows.for_each_batch([&](const RowBatch& batch, std::size_t first) { learner_->learn(with_labels(batch, first)); });
  }

  template <class Rows>
  nb::ndarray<nb::numpy, double, nb::ndim<1>> margins_of_arrays(const Rows& rows) const {
    std::vector<double> margins(rows.size());
    {
      const nb::gil_scoped_release unlocked;
      const std::shared_lock lock(mutex_);
      rows.for_each_batch([&](const RowBatch& batch, std::size_t first) {
        check(batch, false, first);
        learner_->margins(batch, std::span(margins).subspan(first, batch.size()));
      });
    }
    return to_numpy<double>(margins);
  }

  // Rows that a reader made: nothing in them belongs to Python. `weights` stand in for the block's own.
  void learn_block(const RowBlock& block, const Weights& weights, const Labels& labels) {
    RowBatch batch = block.batch();
    if (weights) batch.weights = span_of(weights);
    if (labels) batch.labels = span_of(labels);
    if (batch.labels.empty() && block.size() > 0) throw nb::value_error("the rows have no labels to learn from");
    check_lengths(block.size(), batch.labels.size(), batch.weights.size());
    const nb::gil_scoped_release unlocked;
    const std::unique_lock lock(mutex_);
    require_room_for_names(block.named);
    check(batch, true, 0);
    learner_->learn(batch);
  }
  nb::ndarray<nb::numpy, double, nb::ndim<1>> margins_of_block(const RowBlock& block) const {
    std::vector<double> margins(block.size());
    {
      const nb::gil_scoped_release unlocked;
      const std::shared_lock lock(mutex_);
      check(block.batch(), false, 0);
      learner_->margins(block.batch(), margins);
    }
    return to_numpy<double>(margins);
  }

  // Rows of Python objects: the GIL stays, because names are read out of them.
  void learn_mappings(const MappingBlock& block) {
    require_room_for_names(block.named);
    const auto lock = writing();
    learner_->check(block.batch(), true);
    learner_->learn(block.batch());
  }
  std::vector<double> margins_of_mappings(const MappingBlock& block) const {
    std::vector<double> margins(block.size());
    const auto lock = reading();
    learner_->margins(block.batch(), margins);
    return margins;
  }

  // From a copy of the other, so that two learners may be merged into each other at once; into a copy of this one, so
  // that a failure leaves it as it was.
  void merge(const SharedLearner& other) {
    const SharedLearner theirs(other);
    const nb::gil_scoped_release unlocked;
    const std::unique_lock lock(mutex_);
    auto merged = learner_->copy();
    merged->merge(*theirs.learner_);
    learner_ = std::move(merged);
  }

  std::unique_lock<std::shared_mutex> writing() { return lock_without_gil<std::unique_lock<std::shared_mutex>>(); }
  std::shared_lock<std::shared_mutex> reading() const {
    return lock_without_gil<std::shared_lock<std::shared_mutex>>();
  }
  Learner& learner() { return *learner_; }
  const Learner& learner() const { return *learner_; }

 private:
  void check(const RowBatch& batch, bool for_learning, std::size_t first) const {
    try {
      learner_->check(batch, for_learning);
    } catch (const BadRow& bad) {
      raise_bad_row(bad, first);
    }
  }

  // A name that could not be kept would later show up as a bare hash.
  void require_room_for_names(bool named) const {
    if (named && !learner_->keeps_names())
      throw std::invalid_argument(
          "features came by name after a start with integer ids; set name_bytes (for example '2KiB') to keep names");
  }

  template <class Lock>
  Lock lock_without_gil() const {
    Lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) {
      const nb::gil_scoped_release unlocked;
      lock.lock();
    }
    return lock;
  }

  mutable std::shared_mutex mutex_;
  std::unique_ptr<Learner> learner_;
};

// Fills a block from a list of mappings, saying which row is bad.
void fill(MappingBlock& block, nb::handle rows) {
  std::size_t row = 0;
  for (nb::handle features : rows) {
    try {
      block.add(features);
    } catch (const nb::builtin_exception& problem) {
      throw nb::builtin_exception(problem.type(), ("row " + std::to_string(row) + ": " + problem.what()).c_str());
    }
    ++row;
  }
}

template <class Index, class Value>
void bind_csr(nb::class_<SharedLearner>& learner) {
  using Starts = Vector<Index>;
  using Values = Vector<Value>;
  learner.def(
      "learn_csr",
      [](SharedLearner& self, const Starts& indptr, const Starts& indices, const Values& data,
         const Vector<std::int8_t>& labels, const Weights& weights) {
        try {
          self.learn_arrays(CsrRows<Index, Value>(indptr, indices, data), labels, weights);
        } catch (const BadRow& bad) {
          raise_bad_row(bad, 0);
        }
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("data").noconvert(),
      nb::arg("labels").noconvert(), nb::arg("weights").noconvert() = nb::none(),
      "Learn the rows of a CSR matrix in order. All rows are checked before the first is learned.");
  learner.def(
      "margins_csr",
      [](const SharedLearner& self, const Starts& indptr, const Starts& indices, const Values& data) {
        try {
          return self.margins_of_arrays(CsrRows<Index, Value>(indptr, indices, data));
        } catch (const BadRow& bad) {
          raise_bad_row(bad, 0);
        }
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("data").noconvert());
}

template <class Value>
void bind_dense(nb::class_<SharedLearner>& learner) {
  using Rows = DenseRows<Value>;
  learner.def(
      "learn_dense",
      [](SharedLearner& self, const typename Rows::Matrix& matrix, const Vector<std::int8_t>& labels,
         const Weights& weights,
         const typename Rows::Names& names) { self.learn_arrays(Rows(matrix, names), labels, weights); },
      nb::arg("matrix").noconvert(), nb::arg("labels").noconvert(), nb::arg("weights").noconvert() = nb::none(),
      nb::arg("names") = nb::none());
  learner.def(
      "margins_dense",
      [](const SharedLearner& self, const typename Rows::Matrix& matrix, const typename Rows::Names& names) {
        return self.margins_of_arrays(Rows(matrix, names));
      },
      nb::arg("matrix").noconvert(), nb::arg("names") = nb::none());
}

// One row's memory, used again by the next row of this thread; Python's objects are let go of at once.
class RowInUse {
 public:
  RowInUse() { block_.clear_all(); }
  ~RowInUse() { block_.clear_all(); }
  MappingBlock* operator->() { return &block_; }
  MappingBlock& operator*() { return block_; }

 private:
  inline static thread_local MappingBlock block_;
};

void bind_rows_of_objects(nb::class_<SharedLearner>& learner) {
  learner
      .def(
          "learn_row",
          [](SharedLearner& self, nb::handle features, int label, double weight) {
            RowInUse block;
            block->add(features);
            block->labels.push_back(static_cast<std::int8_t>(label));
            if (weight != 1.0) block->weights.push_back(static_cast<float>(weight));
            self.learn_mappings(*block);
          },
          nb::arg("features"), nb::arg("label"), nb::arg("weight") = 1.0)
      .def(
          "learn_rows",
          [](SharedLearner& self, nb::handle rows, const Vector<std::int8_t>& labels, const Weights& weights) {
            MappingBlock block;
            fill(block, rows);
            check_lengths(block.size(), labels.size(), weights ? weights->size() : 0);
            block.labels.assign(labels.data(), labels.data() + labels.size());
            if (weights) block.weights.assign(weights->data(), weights->data() + weights->size());
            try {
              self.learn_mappings(block);
            } catch (const BadRow& bad) {
              raise_bad_row(bad, 0);
            }
          },
          nb::arg("rows"), nb::arg("labels").noconvert(), nb::arg("weights").noconvert() = nb::none())
      .def("margin_row",
           [](const SharedLearner& self, nb::handle features) {
             RowInUse block;
             block->add(features);
             return self.margins_of_mappings(*block)[0];
           })
      .def("margins_rows", [](const SharedLearner& self, nb::handle rows) {
        MappingBlock block;
        fill(block, rows);
        return to_numpy<double>(self.margins_of_mappings(block));
      });
}

using HeavyRow = nb::typed<nb::tuple, int, double, double, double, nb::str, bool>;

void bind_questions(nb::class_<SharedLearner>& learner) {
  learner
      .def("weight",
           [](const SharedLearner& self, Key key) {
             const auto lock = self.reading();
             return self.learner().weight(key);
           })
      .def("deviation",
           [](const SharedLearner& self, Key key) {
             const auto lock = self.reading();
             return self.learner().deviation(key);
           })
      .def("largest_missed",
           [](const SharedLearner& self, std::size_t k) {
             const auto lock = self.reading();
             return self.learner().largest_missed(k);
           })
      .def("weights",
           [](const SharedLearner& self, const Vector<Key>& keys) {
             const auto lock = self.reading();
             std::vector<double> weights;
             for (const Key key : span_of(keys)) weights.push_back(self.learner().weight(key));
             return to_numpy<double>(weights);
           })
      .def("top",
           [](const SharedLearner& self, std::size_t k) {
             const auto lock = self.reading();
             nb::typed<nb::list, HeavyRow> rows;
             for (const auto& row : self.learner().top(k))
               rows.append(nb::make_tuple(row.key, row.weight, row.low, row.high,
                                          nb::steal(PyUnicode_DecodeUTF8(
                                              row.name.data(), static_cast<Py_ssize_t>(row.name.size()), "replace")),
                                          row.shortened));
             return rows;
           })
      .def_prop_ro("keeps_keys", [](const SharedLearner& self) { return self.learner().keeps_keys(); })
      .def_prop_ro("bias",
                   [](const SharedLearner& self) {
                     const auto lock = self.reading();
                     return self.learner().bias();
                   })
      .def_prop_ro("progress",
                   [](const SharedLearner& self) {
                     const auto lock = self.reading();
                     const Progress& progress = self.learner().progress();
                     return std::make_tuple(progress.n_seen, progress.n_positive, progress.features_seen,
                                            progress.mistakes, progress.log_loss.value());
                   })
      .def_prop_ro("names_shortened",
                   [](const SharedLearner& self) {
                     const auto lock = self.reading();
                     return self.learner().names_shortened();
                   })
      .def_prop_ro("nbytes",
                   [](const SharedLearner& self) {
                     const auto lock = self.reading();
                     return self.learner().nbytes();
                   })
      .def_prop_ro("paper_bytes",
                   [](const SharedLearner& self) {
                     const auto lock = self.reading();
                     return self.learner().paper_bytes();
                   })
      .def("hash", [](const SharedLearner& self, std::uint32_t row, Key key) { return self.learner().hash(row, key); })
      .def_prop_ro("random_state", [](const SharedLearner& self) {
        const auto lock = self.reading();
        return self.learner().random_state();
      });
}

void bind_state(nb::class_<SharedLearner>& learner) {
  learner
      .def(
          "state",
          [](SharedLearner& self) {
            const auto lock = self.reading();
            return save_state(self.learner());
          },
          "All that was learned, as a dict of arrays.")
      .def(
          "load_state",
          [](SharedLearner& self, const Arrays& state) {
            const auto lock = self.writing();
            load_state(self.learner(), state);
          },
          "Replace all that was learned. A state that does not fit raises ValueError; use a fresh learner for it.")
      .def("merge", &SharedLearner::merge, "Average with a learner of the same configuration, weighted by examples.")
      .def("copy", [](const SharedLearner& self) { return new SharedLearner(self); }, nb::rv_policy::take_ownership);
}

}  // namespace

void bind_config(nb::module_& m);

void bind_learner(nb::module_& m) {
  bind_config(m);
  nb::class_<SharedLearner> learner(m, "Learner");
  learner.def(nb::init<const Config&>());
  bind_csr<std::int32_t, float>(learner);
  bind_csr<std::int32_t, double>(learner);
  bind_csr<std::int64_t, float>(learner);
  bind_csr<std::int64_t, double>(learner);
  bind_dense<float>(learner);
  bind_dense<double>(learner);
  bind_rows_of_objects(learner);
  learner
      .def("learn_block", &SharedLearner::learn_block, nb::arg("block"), nb::arg("weights").noconvert() = nb::none(),
           nb::arg("labels").noconvert() = nb::none(), "Weights and labels stand in for the block's own.")
      .def("margins_block", &SharedLearner::margins_of_block);
  bind_questions(learner);
  bind_state(learner);

  m.def("key_of", &key_of_feature, "The 32-bit key of a feature: an integer as it is, a string hashed.");
  m.def("sigmoid", &sigmoid);
  m.def("kernels", [] { return kernels().name; }, "The instruction set in use.");
  m.def("force_portable_kernels", &force_portable_kernels, "For tests: switch the vector kernels off or on.");
}

}  // namespace wmsketch::python
