// Bindings of blocks of rows: their arrays, parts and orders.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "first_columns.hpp"
#include "text.hpp"
#include "wmsketch/data/part_of_rows.hpp"
#include "wmsketch/prepare/shuffled_rows.hpp"
#include "wmsketch/prepare/spread_rows.hpp"

namespace wmsketch::python {

using namespace nb::literals;

namespace {

// A read-only view that keeps the block alive.
template <auto Member>
auto view(nb::handle self) {
  const auto& values = nb::cast<const RowBlock&>(self).*Member;
  using Value = typename std::remove_cvref_t<decltype(values)>::value_type;
  return nb::ndarray<nb::numpy, const Value, nb::ndim<1>>(values.data(), {values.size()}, self);
}

nb::str name_of(const RowBlock& block, std::size_t i) {
  if (i >= block.keys.size())
    throw nb::index_error("the index of a feature must be below the number of features in the block");
  return escaped(block.name(i));
}

using RowWeights = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using RowNumbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

}  // namespace

void bind_row_blocks(nb::module_& m) {
  nb::class_<RowBlock>(m, "RowBlock", nb::dynamic_attr(),
                       "Consecutive examples: row r has the features starts[r] to starts[r + 1].")
      .def("__len__", &RowBlock::size)
      .def_prop_ro("starts", &view<&RowBlock::starts>)
      .def_prop_ro("keys", &view<&RowBlock::keys>)
      .def_prop_ro("values", &view<&RowBlock::values>)
      .def_prop_ro("labels", &view<&RowBlock::labels>, "-1 or +1 for each row; empty if the input has no labels.")
      .def_prop_ro("has_labels", [](const RowBlock& block) { return block.labels.size() == block.size(); })
      .def_prop_ro("has_classes", [](const RowBlock& block) { return block.classes.size() == block.size(); })
      .def_prop_ro("weights", &view<&RowBlock::weights>, "One for each row; empty if all are 1.")
      .def_prop_ro("times", &view<&RowBlock::times>, "In seconds, one for each row; empty if there is no time column.")
      .def_prop_ro("classes", &view<&RowBlock::classes>, "For many classes: index of each row's label in class_texts.")
      .def_ro("class_texts", &RowBlock::class_texts, "The distinct labels, each after its type: s, i or b.")
      .def_prop_ro("targets", &view<&RowBlock::targets>,
                   "For a numeric label: the label of each row, NaN if it has none.")
      .def_prop_ro("has_targets", [](const RowBlock& block) { return block.targets.size() == block.size(); })
      .def_ro("named", &RowBlock::named, "Whether features have names, whose hashes are the keys.")
      .def("name", &name_of, "i"_a, "The name of the feature at keys[i]; empty if it has none.")
      // numbers instead of arrays: a command that reads text starts without numpy
      .def(
          "class_counts",
          [](const RowBlock& block) {
            std::vector<std::uint64_t> counts(block.class_texts.size());
            for (const std::uint32_t text : block.classes) ++counts[text];
            return counts;
          },
          "The number of rows of each of class_texts.")
      .def_prop_ro(
          "n_features", [](const RowBlock& block) { return block.keys.size(); }, "How many keys there are.")
      .def(
          "first_starts",
          [](const RowBlock& block, std::size_t n) {
            return std::vector<std::int64_t>(
                block.starts.begin(),
                block.starts.begin() + static_cast<std::ptrdiff_t>(std::min(n, block.starts.size())));
          },
          "n"_a, "The first n of starts.")
      .def("first_columns", &first_columns, "n_rows"_a, "row"_a = 0, "widest"_a = kAnyWidth, "fewest"_a = 1,
           "The first rows by column: the numbers of the rows, from `row` on, and their cells, of which a row has at "
           "most `widest`. A number has double precision, a category is its text. Words with fewer cells than `fewest` "
           "are left out, but no column of a table.")
      .def("drop_rows", &RowBlock::drop_first_rows, "n"_a, "Drop the first n rows.")
      .def(
          "part",
          [](const RowBlock& block, std::size_t first, std::size_t last) -> std::unique_ptr<RowBlock> {
            return std::make_unique<PartOfRows>(block, first, last);
          },
          "first"_a, "last"_a, nb::keep_alive<0, 1>(), "The rows from first up to, but not including, last.")
      .def_prop_rw(
          "position", [](nb::handle self) { return nb::borrow<nb::any>(nb::getattr(self, "_position", nb::none())); },
          [](nb::handle self, nb::any position) { nb::setattr(self, "_position", position); }, nb::arg().none(),
          "Where the block ends in its input, for resuming.")
      .def_prop_rw(
          "counted", [](nb::handle self) { return nb::borrow<nb::any>(nb::getattr(self, "_counted", nb::none())); },
          [](nb::handle self, nb::any counted) { nb::setattr(self, "_counted", counted); }, nb::arg().none(),
          "The DistinctFeatures up to the end of the block, if its reader was asked to count them.");
  nb::class_<SpreadRows, RowBlock>(m, "SpreadRows", "A sample of the rows of a stream, spread over all of it.")
      .def(nb::init<>())
      .def(
          "add",
          [](SpreadRows& self, const RowBlock& block, const std::optional<RowWeights>& weights) {
            self.add(block, weights ? std::span(weights->data(), weights->size()) : std::span<const float>());
          },
          "block"_a, "weights"_a = nb::none(), "The next rows of the stream. Weights replace those of the block.");
  m.def(
      "shuffle_rows",
      [](const nb::tuple& blocks, const std::vector<std::optional<RowWeights>>& weights,
         std::uint64_t seed) -> std::unique_ptr<RowBlock> {
        std::vector<const RowBlock*> all;
        std::vector<std::span<const float>> given;
        for (nb::handle block : blocks) all.push_back(&nb::cast<const RowBlock&>(block));
        for (const auto& each : weights)
          given.push_back(each ? std::span(each->data(), each->size()) : std::span<const float>());
        const nb::gil_scoped_release unlocked;
        return std::make_unique<ShuffledRows>(std::move(all), seed, given);
      },
      "blocks"_a, "weights"_a, "seed"_a, nb::keep_alive<0, 1>(),
      nb::sig("def shuffle_rows(blocks: tuple[RowBlock, ...], weights: "
              "collections.abc.Sequence[numpy.typing.NDArray[numpy.float32] | None], seed: int) -> RowBlock"),
      "The rows of all blocks as one block, shuffled. Weights replace those of a block.");
  m.def(
      "take_rows",
      [](const nb::tuple& blocks, const RowNumbers& order) -> std::unique_ptr<RowBlock> {
        std::vector<const RowBlock*> all;
        for (nb::handle block : blocks) all.push_back(&nb::cast<const RowBlock&>(block));
        const nb::gil_scoped_release unlocked;
        return std::make_unique<ShuffledRows>(std::move(all), std::span(order.data(), order.size()));
      },
      "blocks"_a, "order"_a, nb::keep_alive<0, 1>(),
      nb::sig("def take_rows(blocks: tuple[RowBlock, ...], order: numpy.typing.NDArray[numpy.int64]) -> RowBlock"),
      "The rows with these numbers, counted over all blocks, as one block.");
}

}  // namespace wmsketch::python
