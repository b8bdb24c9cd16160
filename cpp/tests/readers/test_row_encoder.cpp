#include <gtest/gtest.h>

#include "parsed_text.hpp"
#include "wmsketch/data/hashing.hpp"
#include "wmsketch/readers/csv.hpp"
#include "wmsketch/readers/json_lines.hpp"
#include "wmsketch/readers/plain_text.hpp"

namespace wmsketch {
namespace {

using Names = std::vector<std::string>;

TEST(RowEncoder, NamesContainColumnAndValue) {
  RowEncoder encoder({.text = {"t"}, .interactions = {{"c", "n"}}, .ngrams = 2, .lowercase = true});
  encoder.add_text(encoder.column("c"), "x");
  encoder.add_number(encoder.column("n"), 2.5, "2.5");
  encoder.add_bool(encoder.column("b"), true, "true");
  encoder.add_text(encoder.column("t"), "Big, Cat");
  encoder.add_text(encoder.column("empty"), "");
  encoder.end_row();
  const auto block = encoder.take();
  EXPECT_EQ(names(*block), (Names{"c=x", "n", "b=true", "t=big", "t=big cat", "t=cat", "c=x&n"}));
  EXPECT_EQ(block->values, (std::vector<float>{1, 2.5f, 1, 1, 1, 1, 2.5f}));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(block->keys[i], key_of_name(block->name(i)));
  EXPECT_EQ(block->keys[6], combine_keys(key_of_name("c=x"), key_of_name("n")));
}

TEST(RowEncoder, ACategoryHasTheSameNameFromEverySource) {
  const auto name = [](std::string_view column, std::string_view text) {
    std::string made;
    append_category_name(made, column, text);
    return made;
  };
  for (const char* column : {"c", ""}) {
    for (const char* text : {"x", "2024-05-17T08:30:00", "2024-05-17T00:00:00"}) {
      RowEncoder encoder({.categorical = {column}});
      encoder.add_text(encoder.column(column), text);
      encoder.end_row();
      EXPECT_EQ(names(*encoder.take()), (Names{name(column, text)}));
    }
  }
  EXPECT_EQ(name("c", "2024-05-17T08:30:00"), "c=2024-05-17 08:30:00");
  EXPECT_EQ(name("", "x"), "x");
}

TEST(RowEncoder, AFeatureIsTheCellOfAColumn) {
  RowEncoder encoder({.text = {"t"}, .interactions = {{"a=b", "n"}}});
  encoder.take();  // values of the next block are remembered
  for (int row = 0; row < 2; ++row) {
    encoder.add_text(encoder.column("a=b"), "x=y");
    encoder.add_number(encoder.column("n"), 2.5, "2.5");
    encoder.add_text(encoder.column("t"), "big cat");
    encoder.add_text(encoder.column(""), "z");
    encoder.end_row();
  }
  const auto block = encoder.take();
  std::string scratch;
  std::vector<std::string> columns, words;
  std::vector<std::uint32_t> ids;
  for (std::size_t i = 0; i < block->keys.size(); ++i) {
    const RowBlock::Cell cell = block->cell(i, scratch);
    columns.emplace_back(cell.column);
    words.emplace_back(cell.is_number ? "a number" : cell.word);
    ids.push_back(cell.id);
  }
  const auto twice = [](const auto& row) {
    auto both = row;
    both.insert(both.end(), row.begin(), row.end());
    return both;
  };
  EXPECT_EQ(columns, twice(Names{"a=b", "n", "t", "t", "", "a"}));  // a pair has no column: its name is split
  EXPECT_EQ(words, twice(Names{"x=y", "a number", "big", "cat", "z", "b=x=y&n"}));
  EXPECT_EQ(ids, twice(std::vector<std::uint32_t>{0, 1, 2, 2, 3, RowBlock::kNoColumn}));
}

TEST(RowEncoder, ADroppedRowLeavesNothing) {
  RowEncoder encoder({.label = "y", .weight = "w", .interactions = {{"a", "b"}}});
  encoder.add_text(encoder.column("a"), "gone");
  encoder.add_number(encoder.column("y"), 1, "1");
  encoder.drop_row();
  encoder.add_text(encoder.column("b"), "q");
  EXPECT_THROW(encoder.end_row(), BadValue);
  encoder.drop_row();
  encoder.add_number(encoder.column("y"), 0, "0");
  encoder.add_number(encoder.column("w"), 2, "2");
  encoder.add_text(encoder.column("b"), "r");
  encoder.end_row();
  const auto block = encoder.take();
  EXPECT_EQ(names(*block), (Names{"b=r"}));
  EXPECT_EQ(block->labels, (std::vector<std::int8_t>{-1}));
  EXPECT_EQ(block->weights, (std::vector<float>{2}));
}

TEST(RowEncoder, NamesOutliveTheNextBlock) {
  RowEncoder encoder({});
  const auto row = [&](const char* value) {
    encoder.add_text(encoder.column("c"), value);
    encoder.add_number(encoder.column("n"), 1, "1");
    encoder.end_row();
    return encoder.take();
  };
  const auto first = row("one"), second = row("two");
  EXPECT_EQ(names(*first), (Names{"c=one", "n"}));
  EXPECT_EQ(names(*second), (Names{"c=two", "n"}));
}

TEST(RowEncoder, NestedNamesAreNotKeptForever) {
  RowEncoder encoder({});
  JsonLinesParser parser(encoder);
  for (int i = 0; i < 200000; ++i) parser.feed("{\"user" + std::to_string(i) + "\": 1}\n", false);
  EXPECT_LT(encoder.column_names().size(), 100000u);
}

TEST(RowEncoder, OptionsAreChecked) {
  EXPECT_THROW(RowEncoder({.ngrams = 0}), std::invalid_argument);
  EXPECT_THROW(RowEncoder({.ignore = {"a"}, .interactions = {{"a", "b"}}}), std::invalid_argument);
}

TEST(Csv, QuotedCellsMayContainAnything) {
  RowEncoder encoder({});
  CsvParser parser(encoder, ',', {});
  const auto block = parser.feed("a,b\r\n\"x,\"\"y\"\"\nz\",5\" wide\r\n", true);
  EXPECT_FALSE(parser.error());
  EXPECT_EQ(names(*block), (Names{"a=x,\"y\"\nz", "b=5\" wide"}));
}

TEST(Csv, SeveralCellsOfALineMayHaveDoubledQuotes) {
  RowEncoder encoder({});
  CsvParser parser(encoder, ',', {"a", "b", "c", "d"});
  const auto block = parser.feed("\"1\"\"\",\"2\"\"\",\"3\"\"\",\"4\"\"\"\n", true);
  EXPECT_EQ(names(*block), (Names{"a=1\"", "b=2\"", "c=3\"", "d=4\""}));
}

TEST(Csv, AByteOrderMarkMayPrecedeAQuote) {
  for (std::size_t cut = 0; cut < 12; ++cut) {
    RowEncoder encoder({});
    CsvParser parser(encoder, ',', {});
    const std::string text = "\xef\xbb\xbf\"a\nb\",c\n1,2\n";
    const auto first = parser.feed(text.substr(0, cut), false), second = parser.feed(text.substr(cut), true);
    EXPECT_FALSE(parser.error());
    EXPECT_EQ(names(*second), (Names{"a\nb", "c"}));
  }
}

TEST(Csv, CountsLinesInsideQuotes) {
  RowEncoder encoder({});
  CsvParser parser(encoder, ',', {});
  parser.feed("a,b\n\"1\n\n2\",3\n4\n", true);
  ASSERT_TRUE(parser.error());
  EXPECT_EQ(parser.error()->line, 5u);
  EXPECT_EQ(parser.error()->column, 2u);
}

TEST(Csv, RejectsInvalidDelimiters) {
  RowEncoder encoder({});
  for (const char bad : {'"', '\n', '5', '.', 'e'}) EXPECT_THROW(CsvParser(encoder, bad, {}), std::invalid_argument);
}

TEST(Csv, KindsGivenAreKept) {
  RowEncoder encoder({.kinds = {{"zip", ColumnKind::text}, {"n", ColumnKind::number}}});
  CsvParser parser(encoder, ',', {});
  const auto block = parser.feed("zip,n,b\n07,1,true\n8,x,false\n", true);
  EXPECT_EQ(names(*block), (Names{"zip=07", "n", "b=true", "zip=8", "n=x", "b=false"}));
  ASSERT_EQ(encoder.odd_values().size(), 1u);  // the x in a column of numbers is a category of its own
  EXPECT_FALSE(parser.error());
  EXPECT_EQ(encoder.kind(encoder.column("b")), ColumnKind::boolean);
}

TEST(Csv, UnquotesWholeCells) {
  RowEncoder encoder({});
  CsvParser parser(encoder, '\t', {"a", "b", "c"}, Quoting::whole_cells);
  const auto block = parser.feed("\"x\t\"y \"\"z\"\"\"\t\"\n", true);
  EXPECT_FALSE(parser.error());
  EXPECT_EQ(names(*block), (Names{"a=\"x", "b=y \"z\"", "c=\""}));
}

TEST(PlainText, ALineIsAnExample) {
  PlainTextParser parser(2, true);
  const auto block = parser.feed("The cat\n\n...\nsat", true);
  EXPECT_EQ(names(*block), (Names{"the", "the cat", "cat", "sat"}));
  EXPECT_EQ(block->starts, (std::vector<std::int64_t>{0, 3, 3, 4}));
  EXPECT_TRUE(block->labels.empty());
}

}  // namespace
}  // namespace wmsketch
