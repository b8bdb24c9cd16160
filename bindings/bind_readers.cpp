// Row blocks and the text parsers.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <map>
#include <tuple>

#include "column_rules.hpp"
#include "text.hpp"
#include "wmsketch/prepare/shuffled_rows.hpp"
#include "wmsketch/readers/arrow_rows.hpp"
#include "wmsketch/readers/csv.hpp"
#include "wmsketch/readers/json_lines.hpp"
#include "wmsketch/readers/libsvm.hpp"
#include "wmsketch/readers/plain_text.hpp"
#include "wmsketch/readers/vw.hpp"

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
  if (i >= block.keys.size()) throw nb::index_error("no such feature in this block");
  return escaped(block.name(i));
}

std::vector<nb::str> as_strs(const std::vector<std::string>& names) {
  std::vector<nb::str> all;
  for (const std::string& name : names) all.push_back(escaped(name));
  return all;
}

using Labels = std::tuple<std::optional<nb::str>, std::optional<nb::str>, bool>;
constexpr const char* kLabelsDoc =
    "The negative and the positive label as they were written, None until one came; and whether there are several "
    "negative ones, of which this is the first.";

template <class Source>
Labels labels_of(const Source& source) {
  const LabelNames& names = source.label_rule().names();
  const auto text = [](const auto& name) { return name ? std::optional(escaped(*name)) : std::nullopt; };
  return {text(names.negative), text(names.positive), names.several_negatives};
}

constexpr Words<Quoting, 3> kQuotings = {
    {{"strict", Quoting::strict}, {"whole_cells", Quoting::whole_cells}, {"none", Quoting::none}}};

using RowWeights = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void bind_row_block(nb::module_& m) {
  nb::class_<RowBlock>(m, "RowBlock", nb::dynamic_attr(),
                       "Examples one behind the other: row r has features starts[r] to starts[r + 1].")
      .def("__len__", &RowBlock::size)
      .def_prop_ro("starts", &view<&RowBlock::starts>)
      .def_prop_ro("keys", &view<&RowBlock::keys>)
      .def_prop_ro("values", &view<&RowBlock::values>)
      .def_prop_ro("labels", &view<&RowBlock::labels>, "-1 or +1 a row; empty when the input has no labels")
      .def_prop_ro("has_labels", [](const RowBlock& block) { return block.labels.size() == block.size(); })
      .def_prop_ro("has_classes", [](const RowBlock& block) { return block.classes.size() == block.size(); })
      .def_prop_ro("weights", &view<&RowBlock::weights>, "One a row; empty when all weigh 1")
      .def_prop_ro("times", &view<&RowBlock::times>, "In seconds, one a row; empty when no column has them")
      .def_prop_ro("classes", &view<&RowBlock::classes>, "With many classes: for each row its place in class_texts")
      .def_ro("class_texts", &RowBlock::class_texts, "The different labels, each behind its kind: s, i or b")
      .def_ro("named", &RowBlock::named, "Whether features have names (and keys are their hashes)")
      .def("name", &name_of, "i"_a, "The name of the feature at keys[i]; empty when it has none.")
      .def(
          "exact_values",
          [](const RowBlock& block, std::size_t n) {
            std::vector<double> values(
                block.values.begin(),
                block.values.begin() + static_cast<std::ptrdiff_t>(std::min(n, block.values.size())));
            for (const RowBlock::Number& number : block.numbers)
              if (number.place < values.size()) values[number.place] = number.value;
            return values;
          },
          "n"_a, "The first n values, with numbers of columns as they were before they became floats.")
      .def("drop_rows", &RowBlock::drop_first_rows, "n"_a, "Drop the first n rows.")
      .def_prop_rw(
          "position", [](nb::handle self) { return nb::borrow<nb::any>(nb::getattr(self, "_position", nb::none())); },
          [](nb::handle self, nb::any position) { nb::setattr(self, "_position", position); }, nb::arg().none(),
          "Where the block ends in its input, to go on from there.");
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
      "The rows of all blocks as one block, in another order. Weights that are given stand in for those of a block.");
}

template <class Source>
std::vector<nb::str> negatives_of(const Source& source) {
  return as_strs(source.label_rule().negatives());
}
constexpr const char* kNegativesDoc = "The first labels that came while none was positive, where one was given.";

constexpr Words<Fault, 8> kFaults = {{{"file", Fault::file},
                                      {"row", Fault::row},
                                      {"value", Fault::value},
                                      {"code", Fault::code},
                                      {"label", Fault::label},
                                      {"encoding", Fault::encoding},
                                      {"third_label", Fault::third_label},
                                      {"which_positive", Fault::which_positive}}};

void bind_rejected_row(nb::module_& m) {
  nb::class_<RejectedRow>(m, "RejectedRow", "A row that cannot be read, and why.")
      .def_ro("line", &RejectedRow::line, "Its line, or the number of the row where there are no lines; from 1.")
      .def_ro("column", &RejectedRow::column, "The character of the line, from 1; 0 where there are no lines.")
      .def_prop_ro("message", [](const RejectedRow& self) { return escaped(self.message); })
      .def_prop_ro(
          "fault",
          [](const RejectedRow& self) { return std::string(kFaults[static_cast<std::size_t>(self.fault)].first); },
          "file: no row is to blame; row; value: it contradicts its column; code: it is no number; label: there is "
          "none; encoding; "
          "third_label: there were two "
          "others; which_positive: nobody can tell which label is.")
      .def_prop_ro(
          "name", [](const RejectedRow& self) { return escaped(self.name); },
          "The column of a value, where it could be read as text; else empty.")
      .def_prop_ro(
          "value", [](const RejectedRow& self) { return escaped(self.value); }, "The value; else empty.")
      .def_prop_ro(
          "text", [](const RejectedRow& self) { return nb::bytes(self.text.data(), self.text.size()); },
          "The line as it stands in the file.");
}

using Rejected = std::tuple<std::uint64_t, std::uint64_t, std::vector<RejectedRow>, std::uint64_t>;

// What readers of lines and of batches have to say of bad rows.
template <class Reader>
void bind_rejects(nb::class_<Reader>& reader) {
  reader
      .def_prop_ro(
          "bad_row", [](const Reader& self) { return self.error(); }, "None, or the row that ended the input.")
      .def(
          "set_rejects",
          [](Reader& self, bool skip_bad, bool skip_missing, bool keep_all) {
            self.set_rejects({skip_bad, skip_missing, keep_all});
          },
          nb::kw_only(), "skip_bad"_a, "skip_missing"_a, "keep_all"_a,
          "Pass over bad rows, and rows without a label; tell all of them, or only the first.")
      .def(
          "take_rejected",
          [](Reader& self) -> Rejected {
            RejectedRows::Counts counts = self.take_rejected();
            return {counts.n_bad, counts.n_missing, std::move(counts.rows), counts.n_left_out};
          },
          "Bad rows and rows without a label that were passed over since the last call, and the first of each, or "
          "all; and rows that the condition left out.");
}

using Chunk = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void bind_line_parser(nb::module_& m) {
  nb::class_<LineParser> parser(m, "LineParser", "What the parsers of text share.");
  bind_rejects(parser);
  parser
      .def(
          "feed",
          [](LineParser& self, Chunk chunk, bool final) {
            const std::string_view bytes(reinterpret_cast<const char*>(chunk.data()), chunk.size());
            nb::gil_scoped_release unlocked;
            return self.feed(bytes, final);
          },
          "chunk"_a, "final"_a = false,
          nb::sig("def feed(self, chunk: bytes | bytearray | memoryview, final: bool = False) -> RowBlock"),
          "The rows of the lines this chunk completes; after a bad line the rows before it, and `error` is set.")
      .def_prop_ro(
          "error",
          [](const LineParser& self) -> std::optional<std::tuple<std::uint64_t, std::uint64_t, nb::str>> {
            if (!self.error()) return std::nullopt;
            return std::tuple(self.error()->line, self.error()->column, escaped(self.error()->message));
          },
          "None, or line, column and what was wrong.")
      .def("next_file", &LineParser::next_file, "Count lines from 1 again.");
}

template <class Parser>
void bind_labelled_parser(nb::module_& m, const char* name, const char* doc) {
  nb::class_<Parser, LineParser>(m, name, doc)
      .def(
          "__init__",
          [](Parser* self, std::optional<double> positive, bool require_labels, bool many_classes,
             std::size_t longest_line, std::optional<std::uint64_t> name_seed) {
            const LabelOptions options{positive, require_labels, many_classes};
            if constexpr (std::is_constructible_v<Parser, LabelOptions, NameSecret>)
              new (self) Parser(options, secret_of(name_seed));
            else  // features have no names
              new (self) Parser(options);
            self->set_longest_line(longest_line);
          },
          nb::kw_only(), "positive"_a = nb::none(), "require_labels"_a = true, "many_classes"_a = false,
          "longest_line"_a = LineParser::kLongestLine, "name_seed"_a = nb::none())
      .def_prop_ro("labels", &labels_of<Parser>, kLabelsDoc)
      .def_prop_ro("negatives", &negatives_of<Parser>, kNegativesDoc);
}

using Names = std::vector<std::string>;

void bind_columns(nb::module_& m) {
  nb::class_<ColumnRules>(m, "ColumnRules", "How rows with named columns become features; see wmsketch.Schema.")
      .def(
          "__init__",
          [](ColumnRules* self, const nb::kwargs& given) {
            SchemaOptions schema;
            EncoderOptions encoder = encoder_options(given, [&](const std::string& name, nb::handle value) {
              if (name == "numbers") {
                schema.numbers = meaning(kNumbers, "numbers", nb::cast<std::string>(value));
              } else if (name == "most_bytes") {
                schema.most_bytes = nb::cast<std::size_t>(value);
              } else if (name == "most_held_bytes") {
                schema.most_held_bytes = nb::cast<std::size_t>(value);
              } else {
                return false;
              }
              return true;
            });
            schema.numeric = encoder.numeric;
            new (self) ColumnRules{std::move(encoder), schema};
          },
          nb::sig("def __init__(self, **options: typing.Any) -> None"));
  nb::class_<RowEncoder>(m, "RowEncoder", "What the values of named columns become; see open_examples.")
      .def(
          "__init__",
          [](RowEncoder* self, const nb::kwargs& given) {
            new (self) RowEncoder(encoder_options(given, [](const std::string&, nb::handle) { return false; }));
          },
          nb::sig("def __init__(self, **options: typing.Any) -> None"))
      .def_prop_ro(
          "column_names", [](const RowEncoder& self) { return as_strs(self.column_names()); },
          "The columns seen so far.")
      .def_prop_ro(
          "unknown_names", [](const RowEncoder& self) { return as_strs(self.unknown_names()); },
          "Columns that the data which a model learned from did not have: they make no feature.")
      .def_prop_ro(
          "number_names", [](const RowEncoder& self) { return as_strs(self.number_names()); },
          "Columns that have had numbers.")
      .def_prop_ro(
          "unseen_names", [](const RowEncoder& self) { return as_strs(self.unseen_names()); },
          "Names in the options that no column has had so far.")
      .def_prop_ro(
          "codes",
          [](const RowEncoder& self) {
            std::vector<std::tuple<nb::str, nb::str, bool>> all;
            for (const auto& [column, first, is_number] : self.codes())
              all.emplace_back(escaped(column), escaped(first), is_number);
            return all;
          },
          "Columns that had codes, like 02139: name, the first, and whether they are read as numbers.")
      .def_prop_ro("labels", &labels_of<RowEncoder>, kLabelsDoc)
      .def_prop_ro("negatives", &negatives_of<RowEncoder>, kNegativesDoc);

  nb::class_<JsonLinesParser, LineParser>(m, "JsonLinesParser", "JSON Lines, fed in chunks.")
      .def(nb::init<RowEncoder&>(), "encoder"_a, nb::keep_alive<1, 2>());
  nb::class_<CsvParser, LineParser>(m, "CsvParser", "Separated values, fed in chunks.")
      .def(
          "__init__",
          [](CsvParser* self, RowEncoder& encoder, char delimiter, Names columns, const std::string& quoting,
             char decimal, std::optional<char> thousands) {
            new (self) CsvParser(encoder, delimiter, std::move(columns), meaning(kQuotings, "quoting", quoting),
                                 {decimal, thousands.value_or('\0')});
          },
          "encoder"_a, nb::kw_only(), "delimiter"_a = ',', "columns"_a = Names(), "quoting"_a = "strict",
          "decimal"_a = '.', "thousands"_a = nb::none(), nb::keep_alive<1, 2>())
      .def_prop_ro(
          "columns", [](const CsvParser& self) { return as_strs(self.columns()); }, "The columns of this file.")
      .def_prop_ro(
          "nearly_numbers",
          [](const CsvParser& self) {
            std::vector<std::tuple<nb::str, std::uint64_t, std::uint64_t, nb::str>> all;
            for (const auto& each : self.nearly_numbers())
              all.emplace_back(escaped(each.name), each.n_numbers, each.n_others, escaped(each.first_other));
            return all;
          },
          "Columns that are text because of a few of their first values: name, numbers, others, the first of them.");
  nb::class_<PlainTextParser, LineParser>(m, "PlainTextParser", "Plain text, fed in chunks; a line is an example.")
      .def(
          "__init__",
          [](PlainTextParser* self, std::uint32_t ngrams, bool lowercase, std::optional<std::uint64_t> name_seed) {
            new (self) PlainTextParser(ngrams, lowercase, secret_of(name_seed));
          },
          nb::kw_only(), "ngrams"_a = 1, "lowercase"_a = false, "name_seed"_a = nb::none());

  nb::class_<ArrowRows> batches(m, "ArrowRows", "The record batches of an Arrow stream as rows.");
  bind_rejects(batches);
  batches
      .def(
          "__init__",
          [](ArrowRows* self, RowEncoder& encoder, nb::capsule stream, std::uint64_t rows_before) {
            if (!stream.name() || std::string_view(stream.name()) != "arrow_array_stream")
              throw nb::type_error("expected the capsule that __arrow_c_stream__() gives");
            new (self) ArrowRows(encoder, static_cast<ArrowArrayStream*>(stream.data()), rows_before);
          },
          "encoder"_a, "stream"_a, "rows_before"_a = 0, nb::keep_alive<1, 2>())
      .def_prop_ro(
          "columns", [](const ArrowRows& self) { return as_strs(self.columns()); },
          "All columns, those inside structures too.")
      .def("next", &ArrowRows::next, nb::call_guard<nb::gil_scoped_release>(),
           "Some thousand rows, or None at the end; after a bad row the rows before it, and `bad_row` is set.");
}

}  // namespace

void bind_readers(nb::module_& m) {
#ifdef NDEBUG
  // After Ctrl-C a thread may still wait for a pipe, with a parser in its hands: nothing to bother a user with.
  nb::set_leak_warnings(false);
#endif
  bind_row_block(m);
  bind_rejected_row(m);
  bind_line_parser(m);
  bind_labelled_parser<LibsvmParser>(m, "LibsvmParser", "LIBSVM text, fed in chunks.");
  bind_labelled_parser<VwParser>(m, "VwParser", "Vowpal Wabbit text, fed in chunks.");
  bind_columns(m);
}

}  // namespace wmsketch::python
