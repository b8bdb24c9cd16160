// Binds the methods of a model that take rows, for every kind of labels.
#pragma once

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <tuple>

#include "limited_api.hpp"
#include "shared_model.hpp"

namespace wmsketch::python {

using SchemaList =
    nb::typed<nb::list, nb::typed<nb::tuple, nb::str, nb::str,
                                  nb::typed<nb::object, std::optional<std::tuple<double, double, double>>>>>;
using SchemaEntry = std::tuple<std::string, std::string, std::optional<std::tuple<double, double, double>>>;

// Rows of Python objects as a block. If the model takes any columns and the values are plain, they are read directly.
// Otherwise the column rules apply. Each thread reuses the memory of its last row unless that is still in use: a method
// of a value may call a model.
template <class Shared>
class RowsInUse {
 public:
  RowsInUse(Shared& model, bool for_learning) : model_(model), for_learning_(for_learning) {
    OfThread& memory = of_this_thread();
    if (!memory.in_use) {
      memory.in_use = true;
      shared_ = &memory;
      objects_ = &memory.block;
    } else {
      own_ = std::make_unique<MappingBlock>();
      objects_ = own_.get();
    }
    objects_->secret = model.secret();
  }
  ~RowsInUse() {
    objects_->clear_all();
    if (shared_) shared_->in_use = false;
    if (encoded_) model_.give_back(std::move(encoded_), for_learning_);
  }
  RowsInUse(const RowsInUse&) = delete;

  void add_one(nb::handle row) {
    if ((model_.takes_any_columns() || !has_columns_fast(row)) && objects_->add(row)) return;
    objects_->clear_all();
    encode_known(row);
  }

  // Adds a dict that needs no column rules, without running code of other objects. Returns false if it cannot.
  bool add_usual(PyObject* row) {
    return PyDict_CheckExact(row) && model_.takes_any_columns() && objects_->add_usual(row);
  }

  // Adds all rows of a list. An error names the bad row.
  void add_all(nb::handle rows) {
    const nb::object list = nb::steal(PySequence_List(rows.ptr()));  // keeps generated rows alive
    if (!list.is_valid()) throw nb::python_error();
    const bool plain = model_.takes_any_columns() || !any_has_columns(list);
    if (plain && for_each(list, [&](nb::handle row) { return objects_->add(row); })) {
      objects_->own_row(list);
      return;
    }
    objects_->clear_all();
    for_each(list, [&](nb::handle row) {
      encode(row);
      return true;
    });
  }

  MappingBlock* objects() { return encoded_ ? nullptr : objects_; }
  const RowBlock& block() const { return encoded_ ? encoded_->rows() : *objects_; }
  // For adding weights and times, which the block does not have itself.
  RowBlock& mutable_block() { return const_cast<RowBlock&>(block()); }

 private:
  struct OfThread {
    MappingBlock block;
    bool in_use = false;
  };
  static OfThread& of_this_thread() {
    thread_local OfThread memory;
    return memory;
  }

  // Adds the row. One without a column that the model knows has no features: a stream does not end because of it.
  void encode_known(nb::handle row) {
    try {
      encode(row);
    } catch (const NoKnownColumn& problem) {
      const std::string warning = problem.message + ": predicted by the intercept alone";
      if (PyErr_WarnEx(PyExc_UserWarning, warning.c_str(), 2) < 0) throw nb::python_error();
      encode(nb::dict());
    }
  }
  void encode(nb::handle row) {
    if (!encoded_) encoded_ = model_.borrow_rows(for_learning_);
    encoded_->add(row);
  }

  // Whether a row has columns: all its features are named, none is an integer.
  static bool has_columns(nb::handle row) {
    const bool mapping = nb::hasattr(row, "keys");
    if (!mapping && !nb::hasattr(row, "__iter__")) throw nb::type_error(kRowIs);
    bool any = false;
    for (nb::handle feature : mapping ? row.attr("keys")() : nb::borrow(row)) {
      if (!mapping && !PySequence_Check(feature.ptr())) return false;  // reported when it is read
      const nb::object name = mapping ? nb::borrow(feature) : nb::steal(PySequence_GetItem(feature.ptr(), 0));
      if (!name.is_valid()) throw nb::python_error();
      if (PyIndex_Check(name.ptr())) return false;
      any = true;
    }
    return any;
  }
  static bool has_columns_fast(nb::handle row) {
    if (!PyDict_CheckExact(row.ptr())) return has_columns(row);
    PyObject *name, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(row.ptr(), &at, &name, &value))
      if (!PyUnicode_CheckExact(name) && PyIndex_Check(name)) return false;
    return size_of_dict(row.ptr()) > 0;
  }
  static bool any_has_columns(nb::handle rows) {
    for (nb::handle row : rows)
      if (has_columns_fast(row)) return true;
    return false;
  }

  template <class Use>
  static bool for_each(nb::handle rows, Use use) {
    std::size_t number = 0;
    for (nb::handle row : rows) {
      try {
        if (!use(row)) return false;
      } catch (const NoKnownColumn& problem) {
        throw nb::value_error(("row " + std::to_string(number) + ": " + problem.message).c_str());
      } catch (const nb::builtin_exception& problem) {
        throw nb::builtin_exception(problem.type(), ("row " + std::to_string(number) + ": " + problem.what()).c_str());
      }
      ++number;
    }
    return true;
  }

  Shared& model_;
  bool for_learning_;
  OfThread* shared_ = nullptr;
  std::unique_ptr<MappingBlock> own_;
  MappingBlock* objects_;
  std::unique_ptr<PythonRows> encoded_;
};

template <class Index, class Value, class Shared>
void bind_csr(nb::class_<Shared>& model) {
  using Starts = Vector<Index>;
  using Values = Vector<Value>;
  model.def(
      "learn_csr",
      [](Shared& self, const Starts& indptr, const Starts& indices, const Values& data,
         const typename Shared::Argument& labels, const Weights& weights, const Times& times, std::size_t n_columns) {
        self.learn_arrays(CsrRows<Index, Value>(span_of(indptr), span_of(indices), span_of(data), n_columns), labels,
                          weights, times);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("data").noconvert(),
      nb::arg("labels").noconvert(), nb::arg("weights").noconvert() = nb::none(),
      nb::arg("times").noconvert() = nb::none(), nb::arg("n_columns") = 0,
      "Learn the rows of a CSR matrix in order. All rows are checked before the first is learned.");
  model.def(
      "margins_csr",
      [](const Shared& self, const Starts& indptr, const Starts& indices, const Values& data) {
        return self.margins_of_arrays(CsrRows<Index, Value>(span_of(indptr), span_of(indices), span_of(data)));
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("data").noconvert());
}

template <class Value, class Shared>
void bind_dense(nb::class_<Shared>& model) {
  using Matrix = nb::ndarray<const Value, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
  using Names = typename DenseRows<Value>::Names;
  const auto rows_of = [](const Shared& self, const Matrix& matrix, const Names& names, bool may_miss) {
    return DenseRows<Value>(matrix.data(), matrix.shape(0), matrix.shape(1), names, self.secret(), may_miss);
  };
  model.def(
      "learn_dense",
      [rows_of](Shared& self, const Matrix& matrix, const typename Shared::Argument& labels, const Weights& weights,
                const Times& times, const Names& names,
                bool may_miss) { self.learn_arrays(rows_of(self, matrix, names, may_miss), labels, weights, times); },
      nb::arg("matrix").noconvert(), nb::arg("labels").noconvert(), nb::arg("weights").noconvert() = nb::none(),
      nb::arg("times").noconvert() = nb::none(), nb::arg("names") = nb::none(), nb::arg("may_miss") = false,
      "Learn the rows of a matrix in order. With `may_miss`, NaN is a missing value.");
  model.def(
      "margins_dense",
      [rows_of](const Shared& self, const Matrix& matrix, const Names& names, bool may_miss) {
        return self.margins_of_arrays(rows_of(self, matrix, names, may_miss));
      },
      nb::arg("matrix").noconvert(), nb::arg("names") = nb::none(), nb::arg("may_miss") = false);
}

template <class Shared>
auto margin_of_row(Shared& self, nb::handle features, bool next) {
  RowsInUse<Shared> row(self, false);
  row.add_one(features);
  return Shared::GivenLabels::to_margin(self.margins_of_python(row.objects(), row.block(), next));
}

template <class Shared>
void bind_mappings(nb::class_<Shared>& model) {
  using Given = typename Shared::GivenLabels;
  model
      .def(
          "learn_row",
          [](Shared& self, nb::handle features, const typename Given::One& label, double weight,
             std::optional<double> time) {
            RowsInUse<Shared> row(self, true);
            row.add_one(features);
            if (weight != 1.0) row.mutable_block().weights.push_back(static_cast<float>(weight));
            if (time) row.mutable_block().times.push_back(*time);
            self.learn_python(row.objects(), row.block(), Given::of_one(label), true);
          },
          nb::arg("features").none(), nb::arg("label"), nb::arg("weight") = 1.0, nb::arg("time") = nb::none())
      .def(
          "learn_rows",
          [](Shared& self, nb::handle rows, const typename Shared::Argument& argument, const Weights& weights,
             const Times& times) {
            RowsInUse<Shared> all(self, true);
            all.add_all(rows);
            RowBlock& block = all.mutable_block();
            const auto labels = Given::of(argument);
            check_lengths(block.size(), labels.size(), weights ? weights->size() : 0, times ? times->size() : 0);
            if (weights) block.weights.assign(weights->data(), weights->data() + weights->size());
            if (times) block.times.assign(times->data(), times->data() + times->size());
            self.learn_python(all.objects(), block, labels);
          },
          nb::arg("rows"), nb::arg("labels").noconvert(), nb::arg("weights").noconvert() = nb::none(),
          nb::arg("times").noconvert() = nb::none())
      .def("margin_row", &margin_of_row<Shared>, nb::arg("features").none(), nb::arg("next") = false,
           "The margin of a row. With `next`, it is predicted as the next row of the stream.")
      .def(
          "features_row",
          [](Shared& self, nb::handle features) {
            RowsInUse<Shared> row(self, false);
            row.add_one(features);
            const RowBlock& block = row.block();
            if (row.objects()) row.objects()->own();  // making the answer may run the collector
            nb::typed<nb::list, nb::typed<nb::tuple, int, double, std::optional<nb::str>>> found;
            if (const std::optional<NumberedRows> rows = self.numbered_rows_of(block)) {
              for (std::size_t i = 0; i < rows->keys.size(); ++i)
                found.append(nb::make_tuple(rows->keys[i], rows->values[i], nb::none()));
              return found;
            }
            const std::vector<float> values = self.values_of_block(block);
            for (std::size_t i = 0; i < block.keys.size(); ++i) {
              const std::string name = block.name(i);
              const bool by_name = !name.empty() || block.keys[i] == key_of_name("", self.secret());
              found.append(nb::make_tuple(block.keys[i], values[i],
                                          by_name ? nb::object(nb::str(name.data(), name.size())) : nb::none()));
            }
            return found;
          },
          "The features of a row as the model sees them: key, value, and name or None.")
      .def("margins_rows", [](Shared& self, nb::handle rows) {
        RowsInUse<Shared> all(self, false);
        all.add_all(rows);
        return Given::to_margins(self.margins_of_python(all.objects(), all.block()));
      });
}

template <class Shared>
void bind_schema(nb::class_<Shared>& model) {
  model.def_prop_ro("named", &Shared::named, "Whether the model has room for names.")
      .def_prop_ro(
          "has_other_columns", [](const Shared& self) { return self.schema().has_other_columns(); },
          "Whether rows had columns that are not in the schema.")
      .def_prop_ro("decided", &Shared::decided, "Whether it is known if rows are a table, so that the model has begun.")
      .def_prop_ro("most_schema_nbytes", &Shared::most_schema_nbytes,
                   "Bytes of the schema if all columns turn out to be numeric.")
      .def(
          "most_schema_nbytes_with",
          [](const Shared& self, const std::vector<const Shared*>& others) {
            Schema all = self.schema();
            for (const Shared* other : others) all.merge(other->schema());
            return all.most_nbytes();
          },
          nb::arg("others"), "The same for the schema that merging with these models gives.")
      .def_prop_ro("scales_numbers", &Shared::scales_numbers,
                   "Whether the table with which the model begins has numeric columns, which are scaled.")
      .def_prop_ro("is_numbered", &Shared::is_numbered,
                   "Whether the table with which the model begins has numbered columns, those of an array.")
      .def_prop_ro("schema_nbytes", &Shared::schema_nbytes,
                   "Bytes of the budget that the schema takes, now or after `start`.")
      .def_prop_ro(
          "schema",
          [](const Shared& self) -> std::optional<SchemaList> {
            const Schema schema = self.schema();
            if (!schema.is_table()) return std::nullopt;
            SchemaList columns;
            for (std::size_t i = 0; i < schema.size(); ++i) {
              const Schema::Column column = schema.column(i);
              const nb::object scale =
                  column.scale
                      ? nb::object(nb::make_tuple(column.scale->count, column.scale->mean, column.scale->squares))
                      : nb::none();
              columns.append(nb::make_tuple(escaped(column.name), word_of(column.kind), scale));
            }
            return columns;
          },
          "Name, kind and scale (count, mean, sum of squares) of each column; None if rows are not a table.")
      .def(
          "set_schema",
          [](Shared& self, const std::optional<std::vector<SchemaEntry>>& entries, bool numbered) {
            if (!entries) return self.set_schema(Schema::open(self.rules().schema));
            std::vector<Schema::Column> columns;
            for (const auto& [name, kind, scale] : *entries) {
              Schema::Column column{name, meaning(kColumnKinds, "kind", kind), std::nullopt};
              if (scale) column.scale = NumberScale{std::get<0>(*scale), std::get<1>(*scale), std::get<2>(*scale)};
              columns.push_back(std::move(column));
            }
            self.set_schema(Schema::of_columns(columns, self.rules().schema, numbered));
          },
          nb::arg("columns").none(), nb::arg("numbered") = false,
          "Begin with these columns, or with rows that are no table (None), or replace the columns.")
      .def(
          "values_of_block",
          [](const Shared& self, const RowBlock& block) { return to_numpy<float>(self.values_of_block(block)); },
          "The values of the features of a block as the model sees them, after scaling.")
      .def(
          "numbered_rows_of",
          [](const Shared& self, const RowBlock& block) {
            const std::optional<NumberedRows> rows = self.numbered_rows_of(block);
            return rows ? nb::make_tuple(to_numpy<std::int64_t>(rows->starts), to_numpy<Key>(rows->keys),
                                         to_numpy<float>(rows->values))
                        : nb::object(nb::none());
          },
          nb::sig("def numbered_rows_of(self, block: RowBlock) -> tuple[Annotated[NDArray[numpy.int64], "
                  "dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], "
                  "Annotated[NDArray[numpy.float32], dict(shape=(None,))]] | None"),
          "Starts, keys and values of the rows as a model with numbered columns sees them; None for other models.")
      .def(
          "keys_of_block",
          [](const Shared& self, const RowBlock& block) {
            return with_keys_under(self.secret(), block, [](const RowBlock& rows) { return to_numpy<Key>(rows.keys); });
          },
          "The keys of the features of a block in this model.")
      .def(
          "key_of", [](const Shared& self, nb::handle feature) { return key_of_feature(feature, self.secret()); },
          "The 32-bit key of a feature in this model: an integer unchanged, a string hashed.");
}

// Binds all methods that take rows, and those of the state.
template <class Shared>
void bind_rows(nb::class_<Shared>& model) {
  bind_csr<std::int32_t, float>(model);
  bind_csr<std::int32_t, double>(model);
  bind_csr<std::int64_t, float>(model);
  bind_csr<std::int64_t, double>(model);
  bind_dense<float>(model);
  bind_dense<double>(model);
  bind_mappings(model);
  bind_schema(model);
  model.def("margins_block", [](const Shared& self, const RowBlock& block) { return self.margins_of_block(block); })
      .def(
          "state", [](Shared& self) { return self.state(); }, "Everything learned, as a dict of arrays.")
      .def(
          "state_number", [](Shared& self, const std::string& name) { return self.state_number(name); },
          nb::arg("name"), "One number of the state, without copying arrays; None if the state has no such number.")
      .def(
          "load_state", [](Shared& self, const Arrays& state) { self.load_state(state); },
          "Replace everything learned; call it on a fresh model. Raises ValueError if the state does not fit.")
      .def(
          "merge", [](Shared& self, const Shared& other) { self.merge(other); },
          "Merge a model of the same configuration into this one.")
      .def(
          "merge_all",
          [](Shared& self, const std::vector<const Shared*>& others, const Shared* base) {
            self.merge_all(others, base);
          },
          nb::arg("others"), nb::arg("base").none() = nb::none(),
          "Merge models of the same configuration into this one; `base` is the model from which all started, or None.")
      .def(
          "take", [](Shared& self, const Shared& other) { self.take(other); }, nb::arg("other"),
          "Become a copy of a model of other sizes but the same configuration; call it on a fresh model.")
      .def(
          "copy", [](const Shared& self) { return new Shared(self); }, nb::rv_policy::take_ownership)
      .def_prop_ro("nbytes", &Shared::nbytes)
      .def_prop_ro("names_shortened",
                   [](const Shared& self) { return self.asked([](auto& model) { return model.names_shortened(); }); });
}

}  // namespace wmsketch::python
