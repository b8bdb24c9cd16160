#include <gtest/gtest.h>

#include <iterator>
#include <sstream>

#include "parsed_text.hpp"
#include "wmsketch/readers/libsvm.hpp"

namespace wmsketch {
namespace {

std::unique_ptr<RowBlock> rows(LibsvmParser& parser, std::string_view text) { return parser.feed(text, true); }

std::string error_of(std::string_view text, LabelOptions options = {}) { return error_in(LibsvmParser(options), text); }

TEST(Libsvm, KnowsWhetherARowHasAnIdTwice) {
  EXPECT_TRUE(LibsvmParser({}).feed("1 1:2 3:4\n-1 3:1 1:2\n", true)->distinct);
  EXPECT_FALSE(LibsvmParser({}).feed("1 1:2 3:4\n-1 3:1 1:2 3:1\n-1 1:2\n", true)->distinct);
}

TEST(Libsvm, ReadsLabelsIdsAndValues) {
  LibsvmParser parser({});
  const auto block = rows(parser, "1 3:0.5 1:2 1:-1e-2 # why\n\n# all\n-1\r\n\t+1 qid:7  4294967295:1\t0:.5 \n");
  EXPECT_FALSE(parser.error());
  EXPECT_EQ(block->starts, (std::vector<std::int64_t>{0, 3, 3, 5}));
  EXPECT_EQ(block->keys, (std::vector<Key>{3, 1, 1, 4294967295u, 0}));
  EXPECT_EQ(block->values, (std::vector<float>{0.5f, 2, -0.01f, 1, 0.5f}));
  EXPECT_EQ(block->labels, (std::vector<std::int8_t>{1, -1, 1}));
  EXPECT_FALSE(block->named);
}

constexpr const char* kValues =
    "1 0 12345678 123456789 .5 5. 0.25 0.123456 1234.5 0.1234567 12.34e2 1e3 -.5 +2.75 3.4e38 00.50 "
    "-1 -0.25 -12345678.5 0.123456789 0.0497399253756197 0.9999999999999999 12345678.123456789 1.12345678901234567 -0 "
    "123456789012.5 -0.12345678901234567890123";

// Short features have a fast path. At every position they must give the same result as the general path.
TEST(Libsvm, ShortAndLongFeaturesAgree) {
  for (const std::string id : {"0", "7", "0012", "1234567", "12345678", "123456789", "4294967295"}) {
    std::istringstream values(kValues);
    for (std::string value; values >> value;) {
      for (const std::string behind : {"", " ", "\t", "\n", "\r\n", " 5:1", "#c", " # 1", "\n1 1:1"}) {
        LibsvmParser parser({});
        const auto block = rows(parser, "1 " + id + ":" + value + behind);
        ASSERT_FALSE(parser.error()) << id << ":" << value << behind;
        EXPECT_EQ(block->keys[0], std::stoul(id));
        EXPECT_EQ(block->values[0], static_cast<float>(std::stod(value))) << value;
      }
    }
  }
  for (const std::string& bad :
       std::vector<std::string>{"1:", "1:.", "1:1x", "1:1.x", "1:1.2.3", "1:1:1", ":1", "1;1", "1:-", "1:--1", "1:-.",
                                "1:1-", "-1:1", "1.5:1", "1:" + std::string(400, '9') + ".5", "1:1\xff", "1:\xc3\xa4"})
    for (const std::string behind : {"", " 2:2", "\n1 2:2"}) EXPECT_NE(error_of("1 " + bad + behind), "") << bad;
}

// Features of a long row are read in batches. Short ones are converted together, long ones one by one.
TEST(Libsvm, ReadsLongRowsOfMixedFeatures) {
  std::string text = "1";
  std::vector<Key> keys;
  std::vector<float> values;
  std::istringstream words(kValues);
  const std::vector<std::string> all{std::istream_iterator<std::string>(words), {}};
  for (std::size_t i = 0; i < 3000; ++i) {
    const std::string& value = all[i * i % 7 == 0 ? i / 7 % all.size() : 6 + i % 4];  // mostly the commonest kinds
    keys.push_back(static_cast<Key>(i * i * 37));
    values.push_back(static_cast<float>(std::stod(value)));
    text += (i % 50 == 49 ? "  " : " ") + std::to_string(keys.back()) + ":" + value;
  }
  for (std::size_t blanks = 0; blanks < 70; ++blanks) {
    LibsvmParser parser({});
    const auto block = rows(parser, std::string(blanks, ' ') + text + "\n1 1:1\n");
    ASSERT_FALSE(parser.error());
    EXPECT_EQ(block->starts, (std::vector<std::int64_t>{0, 3000, 3001}));
    block->keys.pop_back();
    block->values.pop_back();
    EXPECT_EQ(block->keys, keys);
    EXPECT_EQ(block->values, values);
  }
}

TEST(Libsvm, RemembersHowLabelsAreWritten) {
  LibsvmParser parser({});
  rows(parser, "+1 1:1\n1 1:1\n-1.0 1:1\n");
  EXPECT_EQ(parser.label_rule().names().positive, "+1");
  EXPECT_EQ(parser.label_rule().names().negative, "-1.0");
  EXPECT_FALSE(parser.label_rule().names().several_negatives);
}

TEST(Libsvm, ReportsThePositionOfAnError) {
  EXPECT_EQ(error_of("1 1:1\n1 2:2 x7\n"), "2:7: expected a feature like 12:0.5, found \"x7\"");
  EXPECT_EQ(error_of("yes 1:1"), "1:1: expected a label like 1 or -1, found \"yes\"");
  EXPECT_EQ(error_of("1 1:nan"), "1:5: expected a finite number after the colon, found \"nan\"");
  EXPECT_EQ(error_of("1 1:0x10"), "1:5: expected a finite number after the colon, found \"0x10\"");
  EXPECT_EQ(error_of("1 1:1e39"), "1:5: expected a finite number after the colon, found \"1e39\"");
  EXPECT_EQ(error_of("1 1:"), "1:5: expected a finite number after the colon, found the end of the line");
  EXPECT_EQ(error_of("1 4294967296:1"), "1:3: expected a feature id below 4294967296, found \"4294967296:1\"");
  EXPECT_EQ(error_of("1 -3:1"), "1:3: expected a feature like 12:0.5, found \"-3:1\"");
  EXPECT_EQ(error_of("1:1 2:2"), "1:1: expected a label, found \"1:1\"");
  EXPECT_EQ(error_of("1 \xc3\xa4:1 2:b"), "1:3: expected a feature like 12:0.5, found \"\xc3\xa4:1\"");
  EXPECT_EQ(error_of("1 1:\"\xff\x01\""),
            "1:5: expected a finite number after the colon, found \"\\\"\\xff\\x01\\\"\"");
  EXPECT_EQ(error_of("1 abcdefghijklmnopqrstuvwxyz"),
            "1:3: expected a feature like 12:0.5, found \"abcdefghijklmnopqrstuvwx...\"");
}

TEST(Libsvm, ColumnsCountCharacters) {
  // comments of other lines do not count; a two-byte character is one column
  EXPECT_EQ(error_of("1 # \xc3\xa4\n1 qid:\xc3\xa4 x"), "2:9: expected a feature like 12:0.5, found \"x\"");
}

TEST(Libsvm, AcceptsTwoLabelsOneOfEachClass) {
  LibsvmParser chosen({.positive = 2});
  EXPECT_EQ(rows(chosen, "1\n2\n1\n")->labels, (std::vector<std::int8_t>{-1, 1, -1}));
  LibsvmParser zero_one({});
  EXPECT_EQ(rows(zero_one, "0\n1\n")->labels, (std::vector<std::int8_t>{-1, 1}));
  EXPECT_EQ(error_of("1\n2"), "2:1: the labels 1 and 2 are both above 0: say which one is positive");
  EXPECT_EQ(error_of("0\n-1"), "2:1: the labels 0 and -1 are both not above 0: say which one is positive");
  EXPECT_EQ(error_of("1\n2", {.positive = 3}),
            "2:1: the labels 1 and 2 are both other than the positive label 3: say which one is positive");
  EXPECT_EQ(error_of("1\n-1\n0"), "3:1: expected the label 1 or -1, as in the lines before, found 0 (a third label)");
}

TEST(Libsvm, LabelsAreOptionalForPrediction) {
  const LabelOptions predicting{.require_labels = false};
  LibsvmParser parser(predicting);
  const auto block = rows(parser, "1:1\n2:2 3:3\n");
  EXPECT_EQ(block->size(), 2u);
  EXPECT_TRUE(block->labels.empty());
  EXPECT_EQ(error_of("1 1:1\n1:1", predicting), "2:1: expected a label, as in the lines before, found \"1:1\"");
  EXPECT_EQ(error_of("1:1\n1 1:1", predicting), "2:1: expected no label, as in the lines before, found 1");
}

TEST(Libsvm, KeepsTheRowsBeforeTheBadLine) {
  LibsvmParser parser({});
  const auto block = rows(parser, "1 1:1 2:2\n-1 3:3\n1 4:4 x\n1 5:5\n");
  EXPECT_EQ(block->size(), 2u);
  EXPECT_EQ(block->keys, (std::vector<Key>{1, 2, 3}));
  EXPECT_EQ(parser.error()->line, 3u);
  EXPECT_THROW(parser.feed("1 1:1\n", true), std::invalid_argument);
}

TEST(Libsvm, LinesContinueAcrossChunksButNotAcrossFiles) {
  LibsvmParser parser({});
  EXPECT_EQ(parser.feed("1 1:1\n1 12", false)->size(), 1u);
  const auto block = parser.feed("3:4", true);
  EXPECT_EQ(block->keys, (std::vector<Key>{123}));
  parser.next_file();
  parser.feed("1 x", true);
  EXPECT_EQ(parser.error()->line, 1u);
}

TEST(Libsvm, RejectsEndlessLines) {
  LibsvmParser parser({});
  parser.set_longest_line(10);
  parser.feed("1 1:1\n1 1:1 2:1", false);
  EXPECT_FALSE(parser.error());
  parser.feed(" 3", false);
  ASSERT_TRUE(parser.error());
  EXPECT_EQ(parser.error()->line, 2u);
}

TEST(Libsvm, LineLengthDoesNotDependOnChunks) {
  const std::string text = "\xef\xbb\xbf# 456789";  // one byte too long, including the mark
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    LibsvmParser parser({});
    parser.set_longest_line(10);
    parser.feed(std::string_view(text).substr(0, cut), false);
    if (!parser.error()) parser.feed(std::string_view(text).substr(cut), true);
    EXPECT_TRUE(parser.error()) << cut;
  }
}

TEST(Libsvm, SkipsAByteOrderMark) {
  LibsvmParser parser({});
  EXPECT_EQ(rows(parser,
                 "\xef\xbb\xbf"
                 "1 2:3\n")
                ->keys,
            (std::vector<Key>{2}));
}

}  // namespace
}  // namespace wmsketch
