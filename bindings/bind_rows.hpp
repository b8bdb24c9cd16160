// The methods of a model that take rows, for every kind of labels.
#pragma once

#include "shared_model.hpp"

namespace wmsketch::python {

// Fills a block from a list of mappings, saying which row is bad.
inline void fill(MappingBlock& block, nb::handle rows) {
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

// One row's memory, used again by the next row of this thread; Python's objects are let go of at once.
class RowInUse {
 public:
  RowInUse() : block_(of_this_thread()) {}
  ~RowInUse() { block_.clear_all(); }
  MappingBlock* operator->() { return &block_; }
  MappingBlock& operator*() { return block_; }

 private:
  static MappingBlock& of_this_thread() {
    thread_local MappingBlock block;
    return block;
  }

  MappingBlock& block_;
};

template <class Index, class Value, class Shared>
void bind_csr(nb::class_<Shared>& model) {
  using Starts = Vector<Index>;
  using Values = Vector<Value>;
  model.def(
      "learn_csr",
      [](Shared& self, const Starts& indptr, const Starts& indices, const Values& data,
         const typename Shared::Argument& labels, const Weights& weights, const Times& times) {
        try {
          self.learn_arrays(CsrRows<Index, Value>(indptr, indices, data), labels, weights, times);
        } catch (const BadRow& bad) {
          raise_bad_row(bad, 0);
        }
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("data").noconvert(),
      nb::arg("labels").noconvert(), nb::arg("weights").noconvert() = nb::none(),
      nb::arg("times").noconvert() = nb::none(),
      "Learn the rows of a CSR matrix in order. All rows are checked before the first is learned.");
  model.def(
      "margins_csr",
      [](const Shared& self, const Starts& indptr, const Starts& indices, const Values& data) {
        try {
          return self.margins_of_arrays(CsrRows<Index, Value>(indptr, indices, data));
        } catch (const BadRow& bad) {
          raise_bad_row(bad, 0);
        }
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("data").noconvert());
}

template <class Value, class Shared>
void bind_dense(nb::class_<Shared>& model) {
  using Rows = DenseRows<Value>;
  model.def(
      "learn_dense",
      [](Shared& self, const typename Rows::Matrix& matrix, const typename Shared::Argument& labels,
         const Weights& weights, const Times& times,
         const typename Rows::Names& names) { self.learn_arrays(Rows(matrix, names), labels, weights, times); },
      nb::arg("matrix").noconvert(), nb::arg("labels").noconvert(), nb::arg("weights").noconvert() = nb::none(),
      nb::arg("times").noconvert() = nb::none(), nb::arg("names") = nb::none());
  model.def(
      "margins_dense",
      [](const Shared& self, const typename Rows::Matrix& matrix, const typename Rows::Names& names) {
        return self.margins_of_arrays(Rows(matrix, names));
      },
      nb::arg("matrix").noconvert(), nb::arg("names") = nb::none());
}

template <class Shared>
void bind_mappings(nb::class_<Shared>& model) {
  using Given = typename Shared::GivenLabels;
  model
      .def(
          "learn_row",
          [](Shared& self, nb::handle features, const typename Given::One& label, double weight,
             std::optional<double> time) {
            RowInUse block;
            block->add(features);
            if (weight != 1.0) block->weights.push_back(static_cast<float>(weight));
            if (time) block->times.push_back(*time);
            self.learn_mappings(*block, Given::of_one(label), true);
          },
          nb::arg("features"), nb::arg("label"), nb::arg("weight") = 1.0, nb::arg("time") = nb::none())
      .def(
          "learn_rows",
          [](Shared& self, nb::handle rows, const typename Shared::Argument& argument, const Weights& weights,
             const Times& times) {
            MappingBlock block;
            fill(block, rows);
            const Given labels(argument);
            check_lengths(block.size(), labels.size(), weights ? weights->size() : 0, times ? times->size() : 0);
            if (weights) block.weights.assign(weights->data(), weights->data() + weights->size());
            if (times) block.times.assign(times->data(), times->data() + times->size());
            try {
              self.learn_mappings(block, labels);
            } catch (const BadRow& bad) {
              raise_bad_row(bad, 0);
            }
          },
          nb::arg("rows"), nb::arg("labels").noconvert(), nb::arg("weights").noconvert() = nb::none(),
          nb::arg("times").noconvert() = nb::none())
      .def("margin_row",
           [](const Shared& self, nb::handle features) {
             RowInUse block;
             block->add(features);
             std::size_t columns = 0;
             return Given::to_margin(self.margins_of_mappings(*block, columns, true));
           })
      .def("margins_rows", [](const Shared& self, nb::handle rows) {
        MappingBlock block;
        fill(block, rows);
        std::size_t columns = 0;
        const std::vector<double> margins = self.margins_of_mappings(block, columns);
        return Given::to_margins(margins, columns);
      });
}

// All of them, and the state.
template <class Shared>
void bind_rows(nb::class_<Shared>& model) {
  bind_csr<std::int32_t, float>(model);
  bind_csr<std::int32_t, double>(model);
  bind_csr<std::int64_t, float>(model);
  bind_csr<std::int64_t, double>(model);
  bind_dense<float>(model);
  bind_dense<double>(model);
  bind_mappings(model);
  model.def("margins_block", [](const Shared& self, const RowBlock& block) { return self.margins_of_block(block); })
      .def(
          "state",
          [](Shared& self) {
            const auto lock = self.reading();
            return save_state(self.model());
          },
          "All that was learned, as a dict of arrays.")
      .def(
          "state_number",
          [](Shared& self, const std::string& name) {
            const auto lock = self.reading();
            return number_of_state(self.model(), name);
          },
          nb::arg("name"), "One number of the state, which takes no arrays; None if there is none of that name.")
      .def(
          "load_state",
          [](Shared& self, const Arrays& state) {
            const auto lock = self.writing();
            load_state(self.model(), state);
          },
          "Replace all that was learned. A state that does not fit raises ValueError; use a fresh model for it.")
      .def(
          "merge", [](Shared& self, const Shared& other) { self.merge(other); },
          "Average with a model of the same configuration, weighted by examples.")
      .def(
          "copy", [](const Shared& self) { return new Shared(self); }, nb::rv_policy::take_ownership)
      .def_prop_ro("nbytes", [](const Shared& self) { return self.asked([](auto& model) { return model.nbytes(); }); })
      .def_prop_ro("names_shortened",
                   [](const Shared& self) { return self.asked([](auto& model) { return model.names_shortened(); }); });
}

}  // namespace wmsketch::python
