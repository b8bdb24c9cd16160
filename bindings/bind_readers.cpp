// Bindings of the text parsers.
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

#include "chunk.hpp"
#include "column_rules.hpp"
#include "python_rows.hpp"
#include "text.hpp"
#include "wmsketch/readers/arrow_rows.hpp"
#include "wmsketch/readers/json_lines.hpp"
#include "wmsketch/readers/libsvm.hpp"
#include "wmsketch/readers/plain_text.hpp"
#include "wmsketch/readers/vw.hpp"

namespace wmsketch::python {

using namespace nb::literals;

namespace {

using Labels = std::tuple<std::optional<nb::str>, std::optional<nb::str>, bool>;
constexpr const char* kLabelsDoc =
    "The negative and the positive label as written in the input, None until seen; and whether there are several "
    "negative labels, of which this is the first.";

template <class Source>
Labels labels_of(const Source& source) {
  const LabelNames& names = source.label_rule().names();
  const auto text = [](const auto& name) { return name ? std::optional(escaped(*name)) : std::nullopt; };
  return {text(names.negative), text(names.positive), names.several_negatives};
}

template <class Source>
std::vector<nb::str> negatives_of(const Source& source) {
  return as_strs(source.label_rule().negatives());
}
constexpr const char* kNegativesDoc = "The first distinct labels seen while none was the given positive label.";

constexpr Words<Fault, 8> kFaults = {{{"file", Fault::file},
                                      {"row", Fault::row},
                                      {"value", Fault::value},
                                      {"shape", Fault::shape},
                                      {"label", Fault::label},
                                      {"encoding", Fault::encoding},
                                      {"third_label", Fault::third_label},
                                      {"which_positive", Fault::which_positive}}};

void bind_rejected_row(nb::module_& m) {
  nb::class_<RejectedRow>(m, "RejectedRow", "A row that cannot be read, and why.")
      .def_ro("line", &RejectedRow::line, "The line, or the row number if there are no lines; from 1.")
      .def_ro("column", &RejectedRow::column, "The character in the line, from 1; 0 if there are no lines.")
      .def_prop_ro("message", [](const RejectedRow& self) { return escaped(self.message); })
      .def_prop_ro(
          "fault",
          [](const RejectedRow& self) { return std::string(kFaults[static_cast<std::size_t>(self.fault)].first); },
          "file: the problem is not in a row; row; value: does not fit its column; shape: a line that is no row; "
          "label: missing; encoding; third_label: two other labels were seen; which_positive: it is unclear which "
          "label "
          "is positive.")
      .def_prop_ro(
          "name", [](const RejectedRow& self) { return escaped(self.name); },
          "The column of a bad value that could be read as text; else empty.")
      .def_prop_ro(
          "value", [](const RejectedRow& self) { return escaped(self.value); }, "The bad value; else empty.")
      .def_prop_ro(
          "text", [](const RejectedRow& self) { return nb::bytes(self.text.data(), self.text.size()); },
          "The line as in the file.");
}

using Rejected = std::tuple<std::uint64_t, std::uint64_t, std::vector<RejectedRow>, std::uint64_t>;

// Binds what all readers report about bad rows.
template <class Reader>
void bind_rejects(nb::class_<Reader>& reader) {
  reader
      .def_prop_ro(
          "bad_row", [](const Reader& self) { return self.error(); }, "None, or the row that ended the input.")
      .def(
          "set_rejects",
          [](Reader& self, bool skip_bad, bool tolerate, bool skip_missing, bool keep_all) {
            self.set_rejects({skip_bad, tolerate, skip_missing, keep_all});
          },
          nb::kw_only(), "skip_bad"_a, "tolerate"_a, "skip_missing"_a, "keep_all"_a,
          "Skip bad rows, or only lines that are no rows of the table (and complete short rows, and read bytes that "
          "are "
          "not UTF-8 as cp1252), and rows without a label; record all of them, "
          "or only the first.")
      .def(
          "take_rejected",
          [](Reader& self) -> Rejected {
            RejectedRows::Counts counts = self.take_rejected();
            return {counts.n_bad, counts.n_missing, std::move(counts.rows), counts.n_left_out};
          },
          "Numbers of bad rows and of rows without a label skipped since the last call, the first of each or all, "
          "and the number of rows that the condition left out.");
}

void bind_line_parser(nb::module_& m) {
  nb::class_<LineParser> parser(m, "LineParser", "Base of the text parsers.");
  bind_rejects(parser);
  parser
      .def(
          "feed",
          [](LineParser& self, Chunk chunk, bool final) {
            const std::string_view bytes = chars_of(chunk);
            nb::gil_scoped_release unlocked;
            return self.feed(bytes, final);
          },
          "chunk"_a, "final"_a = false,
          nb::sig("def feed(self, chunk: bytes | bytearray | memoryview, final: bool = False) -> RowBlock"),
          "Return the rows of the lines that this chunk completes. After a bad line, return those before and set "
          "`error`.")
      .def_prop_ro(
          "error",
          [](const LineParser& self) -> std::optional<std::tuple<std::uint64_t, std::uint64_t, nb::str>> {
            if (!self.error()) return std::nullopt;
            return std::tuple(self.error()->line, self.error()->column, escaped(self.error()->message));
          },
          "None, or line, column and the problem.")
      .def_prop_ro(
          "repaired",
          [](const LineParser& self) { return std::pair(self.repaired().n_bytes, self.repaired().first_line); },
          "Number of bytes that are not UTF-8 and were read as cp1252, and the line of the first.")
      .def("next_file", &LineParser::next_file, "Count lines from 1 again.");
}

template <class Parser>
void bind_labelled_parser(nb::module_& m, const char* name, const char* doc) {
  nb::class_<Parser, LineParser>(m, name, doc)
      .def(
          "__init__",
          [](Parser* self, std::optional<double> positive, bool require_labels, bool many_classes, bool numeric_label,
             std::size_t longest_line, std::optional<std::uint64_t> name_seed) {
            const LabelOptions options{positive, require_labels, many_classes, numeric_label};
            if constexpr (std::is_constructible_v<Parser, LabelOptions, NameSecret>)
              new (self) Parser(options, secret_of(name_seed));
            else  // features have no names
              new (self) Parser(options);
            self->set_longest_line(longest_line);
          },
          nb::kw_only(), "positive"_a = nb::none(), "require_labels"_a = true, "many_classes"_a = false,
          "numeric_label"_a = false, "longest_line"_a = LineParser::kLongestLine, "name_seed"_a = nb::none())
      .def_prop_ro("labels", &labels_of<Parser>, kLabelsDoc)
      .def_prop_ro("negatives", &negatives_of<Parser>, kNegativesDoc);
}

template <class Rows>
void read_amounts(Rows& rows, const std::string& column, char decimal, std::optional<char> thousands) {
  rows.read_amounts(column, {decimal, thousands.value_or('\0')});
}

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
  const auto options_of = [](const nb::kwargs& given) {
    return encoder_options(given, [](const std::string&, nb::handle) { return false; });
  };
  nb::class_<PythonRows>(m, "DictRows", "Turns dicts into rows, by the rules of a RowEncoder with the same options.")
      .def(
          "__init__",
          [options_of](PythonRows* self, const nb::kwargs& given) {
            new (self) PythonRows(std::make_unique<RowEncoder>(options_of(given)));
          },
          nb::sig("def __init__(self, **options: typing.Any) -> None"))
      .def("add", &PythonRows::add, "row"_a, nb::sig("def add(self, row: object) -> None"),
           "Add a row: a mapping, or pairs of a column and a value. An error adds nothing.")
      .def("read_amounts", read_amounts<PythonRows>, "column"_a, "decimal"_a, "thousands"_a,
           "See RowEncoder.read_amounts.")
      .def("take", &PythonRows::take, "Return the rows added since the last call.");
  nb::class_<RowEncoder>(m, "RowEncoder", "Turns values of named columns into features; see open_examples.")
      .def(
          "__init__",
          [options_of](RowEncoder* self, const nb::kwargs& given) { new (self) RowEncoder(options_of(given)); },
          nb::sig("def __init__(self, **options: typing.Any) -> None"))
      .def("replace_words", &RowEncoder::replace_words, "found"_a, "See `variable_words`.")
      .def("read_amounts", read_amounts<RowEncoder>, "column"_a, "decimal"_a, "thousands"_a,
           "Texts in this column are numbers, written with these separators or with the sign of a currency.")
      .def_prop_ro(
          "column_names", [](const RowEncoder& self) { return as_strs(self.column_names()); },
          "The columns seen so far.")
      .def_prop_ro(
          "unknown_names", [](const RowEncoder& self) { return as_strs(self.unknown_names()); },
          "Columns that the training data lacked; they give no feature.")
      .def_prop_ro("number_names", [](const RowEncoder& self) { return as_strs(self.number_names()); })
      .def_prop_ro(
          "unseen_names", [](const RowEncoder& self) { return as_strs(self.unseen_names()); },
          "Names in the options that no column has matched so far.")
      .def_prop_ro(
          "codes",
          [](const RowEncoder& self) {
            std::vector<std::tuple<nb::str, nb::str, bool>> all;
            for (const auto& [column, first, is_number] : self.codes())
              all.emplace_back(escaped(column), escaped(first), is_number);
            return all;
          },
          "Columns with codes like 02139: name, first code, and whether the column is read as numbers.")
      .def_prop_ro(
          "times", [](const RowEncoder& self) { return pairs_of(self.times()); },
          "Columns of times, with the first of each.")
      .def_prop_ro(
          "odd_values",
          [](const RowEncoder& self) {
            std::vector<nb::dict> all;
            for (const RowEncoder::Odd& odd : self.odd_values()) {
              if (odd.count == 0) continue;  // only in rows that were dropped
              nb::dict each;
              each["column"] = escaped(odd.column);
              each["first"] = escaped(odd.first);
              each["count"] = odd.count;
              each["row"] = odd.row;
              each["is_missing"] = odd.is_missing;
              each["is_boolean"] = odd.is_boolean;
              each["is_time"] = odd.is_time;
              each["mostly_from"] = odd.mostly_from;
              all.push_back(std::move(each));
            }
            return all;
          },
          nb::sig("def odd_values(self, /) -> list[dict[str, typing.Any]]"),
          "Columns with values that do not fit: the first of them, its row, their number, whether they are read as "
          "missing, whether the others are true or false or times, and the row from which most values are such (0: "
          "none).")
      .def_prop_ro("labels", &labels_of<RowEncoder>, kLabelsDoc)
      .def_prop_ro("negatives", &negatives_of<RowEncoder>, kNegativesDoc);

  nb::class_<JsonLinesParser, LineParser>(m, "JsonLinesParser", "Parser of JSON Lines in chunks.")
      .def(nb::init<RowEncoder&>(), "encoder"_a, nb::keep_alive<1, 2>());
  nb::class_<PlainTextParser, LineParser>(m, "PlainTextParser",
                                          "Parser of plain text in chunks; each line is an example.")
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
              throw nb::type_error("stream must be the capsule from __arrow_c_stream__()");
            new (self) ArrowRows(encoder, static_cast<ArrowArrayStream*>(stream.data()), rows_before);
          },
          "encoder"_a, "stream"_a, "rows_before"_a = 0, nb::keep_alive<1, 2>())
      .def_prop_ro(
          "columns", [](const ArrowRows& self) { return as_strs(self.columns()); },
          "All columns, including those inside structures.")
      .def("next", &ArrowRows::next, nb::call_guard<nb::gil_scoped_release>(),
           "Return a few thousand rows, or None at the end. After a bad row, return those before and set `bad_row`.");
}

}  // namespace

void bind_readers(nb::module_& m) {
#ifdef NDEBUG
  // After Ctrl-C, a thread that waits for a pipe may still hold a parser. Users need no warning about that.
  nb::set_leak_warnings(false);
#endif
  bind_rejected_row(m);
  bind_line_parser(m);
  bind_labelled_parser<LibsvmParser>(m, "LibsvmParser", "Parser of LIBSVM text in chunks.");
  bind_labelled_parser<VwParser>(m, "VwParser", "Parser of Vowpal Wabbit text in chunks.");
  bind_columns(m);
}

}  // namespace wmsketch::python
