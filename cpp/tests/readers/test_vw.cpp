#include <gtest/gtest.h>

#include "parsed_text.hpp"
#include "wmsketch/data/hashing.hpp"
#include "wmsketch/readers/vw.hpp"

namespace wmsketch {
namespace {

std::string error_of(std::string_view text, LabelOptions options = {}) { return error_in(VwParser(options), text); }

TEST(Vw, ReadsNamespacesValuesAndWeights) {
  VwParser parser({});
  const auto block =
      parser.feed("1 |title:2 big:0.5 cat | bare\n\n-1 2.5 0 'a|long_namespace a_very_long_feature\r\n", true);
  EXPECT_FALSE(parser.error());
  EXPECT_EQ(names(*block),
            (std::vector<std::string>{"title^big", "title^cat", "bare", "long_namespace^a_very_long_feature"}));
  EXPECT_EQ(block->values, (std::vector<float>{1, 2, 1, 1}));
  EXPECT_EQ(block->starts, (std::vector<std::int64_t>{0, 3, 4}));
  EXPECT_EQ(block->labels, (std::vector<std::int8_t>{1, -1}));
  EXPECT_EQ(block->weights, (std::vector<float>{1, 2.5f}));
  EXPECT_TRUE(block->named);
  for (std::size_t i = 0; i < block->keys.size(); ++i) EXPECT_EQ(block->keys[i], key_of_name(block->name(i)));
}

TEST(Vw, BlocksUseTheMemoryOfEarlierOnes) {
  auto parser = std::make_unique<VwParser>(LabelOptions());
  std::vector<std::unique_ptr<RowBlock>> kept;
  for (int i = 0; i < 20; ++i) {
    std::string text;
    for (int row = 0; row < 1 + i * 7 % 10; ++row)
      text += "1 |s a" + std::to_string(i) + " b:" + std::to_string(row) + "\n";
    auto block = parser->feed(text, false);
    if (i % 3 == 0) kept.push_back(std::move(block));  // others end here
  }
  parser.reset();  // blocks may outlive it
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const std::size_t n_rows = 1 + 3 * k * 7 % 10;
    ASSERT_EQ(kept[k]->size(), n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) {
      EXPECT_EQ(kept[k]->name(2 * row), "s^a" + std::to_string(3 * k));
      EXPECT_EQ(kept[k]->name(2 * row + 1), "s^b");
      EXPECT_EQ(kept[k]->values[2 * row + 1], static_cast<float>(row));
    }
  }
}

TEST(Vw, KnowsWhetherARowHasANameTwice) {
  EXPECT_TRUE(VwParser({}).feed("1 |a x y\n1 |a x|b x\n", true)->distinct);
  EXPECT_FALSE(VwParser({}).feed("1 |a x y\n1 |a y x|a y\n1 | z\n", true)->distinct);
}

TEST(Vw, NamesEndWithTheirWord) {
  for (const std::string space : {"", "b"}) {
    VwParser parser({});
    const auto block =
        parser.feed("1 |" + space + " a:2 b\r\n1 |" + space + " c\rd\n1 |" + space + " e|" + space + " f\r", true);
    ASSERT_FALSE(parser.error());
    const std::string before = space.empty() ? "" : space + "^";
    std::vector<std::string> expected, views;
    for (const char* const name : {"a", "b", "c\rd", "e", "f"}) expected.push_back(before + name);
    EXPECT_EQ(names(*block), expected);
    std::string scratch;
    for (std::size_t i = 0; i < block->keys.size(); ++i) views.emplace_back(block->name_view(i, scratch));
    EXPECT_EQ(views, expected);
  }
}

TEST(Vw, FeaturesOfAnySizeCrossTheChunksOfTheScan) {
  // more features than are found at once, names and numbers around 64 characters, and all of their separators
  std::string line = "1 |a ";
  std::vector<std::string> expected;
  std::vector<float> values;
  for (std::size_t i = 0; i < 700; ++i) {
    const std::string name(1 + i * 7 % 90, static_cast<char>('a' + i % 26));
    const char* const number[] = {"",   ":2", ":-0.5", ":1e-3", ":.25", ":7.", ":12345678", ":0.12345678901234567",
                                  ":-0"};
    const float value[] = {1, 2, -0.5f, 1e-3f, .25f, 7, 12345678, 0.12345678901234567f, -0.0f};
    line += name + number[i % 9] + (i % 5 == 0 ? "\t " : " ");
    expected.push_back("a^" + name);
    values.push_back(value[i % 9]);
  }
  VwParser parser({});
  const auto block = parser.feed(line + "|\r\n1 |b x:1|c y", true);
  EXPECT_FALSE(parser.error());
  expected.insert(expected.end(), {"b^x", "c^y"});
  values.insert(values.end(), {1, 1});
  EXPECT_EQ(names(*block), expected);
  EXPECT_EQ(block->values, values);
  for (std::size_t i = 0; i < block->keys.size(); ++i) EXPECT_EQ(block->keys[i], key_of_name(expected[i]));
}

TEST(Vw, TheFirstOfSeveralErrorsIsReported) {
  EXPECT_EQ(error_of("1 | a:x :2"), "1:7: expected a finite number after the colon, found \"x\"");
  EXPECT_EQ(error_of("1 | a:1:2 b"), "1:7: expected a finite number after the colon, found \"1:2\"");
  EXPECT_EQ(error_of("1 |n:1e30 a:1e30 b:x"),
            "1:11: expected a value that stays finite when multiplied by the weight of the namespace, found "
            "\"a:1e30\"");
}

TEST(Vw, NamesOfSkippedLinesAreForgotten) {
  VwParser parser({});
  parser.set_rejects({.skip_bad = true});
  const auto block = parser.feed("1 |a x\n1 |b y |c z :3\n-1 |d w\n", true);
  EXPECT_EQ(names(*block), (std::vector<std::string>{"a^x", "d^w"}));
}

TEST(Vw, TagsAreNotLabels) {
  EXPECT_EQ(error_of("1 'tag |f a\n1 tag|f a\n1 1 'tag | a"), "");
  EXPECT_EQ(error_of("1|f a"), "1:1: expected a label and a blank before \"|\", found the tag \"1\"");
  EXPECT_EQ(error_of("1 'a 'b |f"), "1:6: expected \"|\", found \"'b\"");
}

TEST(Vw, ReportsThePositionOfAnError) {
  EXPECT_EQ(error_of("1 | a\n1 | b:x c"), "2:7: expected a finite number after the colon, found \"x\"");
  EXPECT_EQ(error_of("1 | b:"), "1:7: expected a finite number after the colon, found the end of the line");
  EXPECT_EQ(error_of("1 | :2"), "1:5: expected the name of a feature, found \":2\"");
  EXPECT_EQ(error_of("1 |: a"), "1:4: expected the name of a namespace, found \":\"");
  EXPECT_EQ(error_of("1 |n:w a"), "1:6: expected a finite weight of the namespace, found \"w\"");
  EXPECT_EQ(error_of("1 a b"), "1:6: expected \"|\" and features, found the end of the line");
  EXPECT_EQ(error_of("good | b"), "1:1: expected a label like 1 or -1, found \"good\"");
  EXPECT_EQ(error_of("1 -2 | b"), "1:3: expected an importance of at least 0, found \"-2\"");
  EXPECT_EQ(error_of("1 2 0.5 | b"), "1:5: expected a base of 0, found \"0.5\"");
  EXPECT_EQ(error_of("1 2 0 5 | b"), "1:7: expected \"|\", found \"5\"");
  EXPECT_EQ(error_of("| b"), "1:1: expected a label, found \"|\"");
  EXPECT_EQ(
      error_of("1 |n:1e30 a:1e30"),
      "1:11: expected a value that stays finite when multiplied by the weight of the namespace, found \"a:1e30\"");
}

TEST(Vw, KeepsTheRowsBeforeTheBadLine) {
  VwParser parser({});
  const auto block = parser.feed("1 |f a b\n-1 |f c d:e\n", true);
  EXPECT_EQ(block->size(), 1u);
  EXPECT_EQ(names(*block), (std::vector<std::string>{"f^a", "f^b"}));
  EXPECT_EQ(block->labels.size(), 1u);
}

TEST(Vw, LabelsAreOptionalForPrediction) {
  VwParser parser({.require_labels = false});
  const auto block = parser.feed("|f a\n'tag |f b\n", true);
  EXPECT_EQ(block->size(), 2u);
  EXPECT_TRUE(block->labels.empty());
  EXPECT_EQ(error_of("|f a\n1 |f b", {.require_labels = false}),
            "2:1: expected no label, as in the lines before, found 1");
}

TEST(Vw, NamesOutliveTheNextChunk) {
  VwParser parser({});
  const auto first = parser.feed("1 |f a\n1 |g ", false);
  const auto second = parser.feed("b\n", false);
  EXPECT_EQ(first->name(0), "f^a");
  EXPECT_EQ(second->name(0), "g^b");
}

}  // namespace
}  // namespace wmsketch
