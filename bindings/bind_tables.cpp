// Parsers of tables in text.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "chunk.hpp"
#include "column_rules.hpp"
#include "wmsketch/readers/csv.hpp"
#include "wmsketch/readers/json_rows.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace wmsketch::python {
namespace {

constexpr Words<JsonRows, 3> kJsonRows = {
    {{"objects", JsonRows::objects}, {"array", JsonRows::array}, {"inner_array", JsonRows::inner_array}}};
constexpr Words<Quoting, 3> kQuotings = {
    {{"strict", Quoting::strict}, {"whole_cells", Quoting::whole_cells}, {"none", Quoting::none}}};

using Names = std::vector<std::string>;

}  // namespace

void bind_tables(nb::module_& m) {
  nb::class_<JsonRowSplitter>(m, "JsonRowSplitter", "JSON documents as JSON Lines.")
      .def(
          "__init__",
          [](JsonRowSplitter* self, const std::string& rows) {
            new (self) JsonRowSplitter(meaning(kJsonRows, "rows", rows));
          },
          "rows"_a)
      .def(
          "feed",
          [](JsonRowSplitter& self, nb::bytes chunk) {
            const std::string lines = self.feed({chunk.c_str(), chunk.size()});
            return nb::bytes(lines.data(), lines.size());
          },
          "chunk"_a, "Return the lines of the rows in this chunk.");
  nb::class_<CsvParser, LineParser>(m, "CsvParser", "Parser of separated values in chunks.")
      .def(
          "__init__",
          [](CsvParser* self, RowEncoder& encoder, char delimiter, Names columns, const std::string& quoting,
             char decimal, std::optional<char> thousands) {
            new (self) CsvParser(encoder, delimiter, std::move(columns), meaning(kQuotings, "quoting", quoting),
                                 {decimal, thousands.value_or('\0')});
          },
          "encoder"_a, nb::kw_only(), "delimiter"_a = ',', "columns"_a = Names(), "quoting"_a = "strict",
          "decimal"_a = '.', "thousands"_a = nb::none(), nb::keep_alive<1, 2>())
      .def("set_preamble", &CsvParser::set_preamble, "lines"_a, "Leave out this many nonempty lines before the header.")
      .def("set_blanks", &CsvParser::set_blanks, "behind_delimiters"_a,
           "Whether each delimiter of this file is followed by a blank that is no part of the cell.")
      .def(
          "set_sample", [](CsvParser& self, Chunk text) { self.set_sample(chars_of(text)); }, "text"_a,
          nb::sig("def set_sample(self, text: bytes | bytearray | memoryview) -> None"),
          "Guess kinds from this beginning of the file.")
      .def_prop_ro(
          "columns", [](const CsvParser& self) { return as_strs(self.columns()); }, "The columns of this file.")
      .def_prop_ro(
          "quoted_numbers", [](const CsvParser& self) { return as_strs(self.quoted_numbers()); },
          "Columns of numbers that are read as text because only they are quoted.")
      .def_prop_ro(
          "unclear_dates", [](const CsvParser& self) { return pairs_of(self.unclear_dates()); },
          "Columns of dates like 3/4/2024 that are read as text, each with its first: it is not known which number is "
          "the month.")
      .def_prop_ro(
          "amounts", [](const CsvParser& self) { return pairs_of(self.amounts()); },
          "Columns of amounts that are read as numbers, each with its first amount.")
      .def_prop_ro(
          "mixed", [](const CsvParser& self) { return pairs_of(self.mixed()); },
          "Columns of numbers and texts that are read as text, each with its first text.")
      .def_prop_ro(
          "renamed", [](const CsvParser& self) { return pairs_of(self.renamed()); },
          "Names that occur twice in a header, and what the later column is called.")
      .def_prop_ro("short_rows", &CsvParser::short_rows,
                   "Number of rows with fewer cells than columns, and the line of the first.");
}

}  // namespace wmsketch::python
