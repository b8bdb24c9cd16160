#include <gtest/gtest.h>

#include <set>
#include <string>

#include "wmsketch/prepare/shuffled_rows.hpp"
#include "wmsketch/readers/csv.hpp"
#include "wmsketch/readers/json_lines.hpp"
#include "wmsketch/readers/rejected_rows.hpp"

namespace wmsketch {
namespace {

constexpr RejectOptions kSkip{.skip_bad = true, .skip_missing = true, .keep_all = true};

TEST(RejectedRows, SkipsAllLinesOfARow) {
  RowEncoder encoder({});
  CsvParser parser(encoder, ',', {"a", "b"});
  parser.set_rejects(kSkip);
  const auto block = parser.feed("\"x\ny\",1,2\n\"z\nz\",3\n", true);
  EXPECT_EQ(block->size(), 1u);
  const auto counts = parser.take_rejected();
  ASSERT_EQ(counts.n_bad, 1u);
  EXPECT_EQ(counts.rows[0].text, "\"x\ny\",1,2");
  EXPECT_EQ(parser.take_rejected().n_bad, 0u);
}

TEST(RejectedRows, AnUnclosedQuoteIsOneBadLineInAnyChunks) {
  std::string text = "a,b\n1,\"2\n";
  for (int i = 0; i < 400000; ++i) text += "some words,1\n";
  for (const std::size_t size : {text.size(), std::size_t{1} << 20}) {
    RowEncoder encoder({});
    CsvParser parser(encoder, ',', {});
    parser.set_rejects(kSkip);
    std::size_t n_rows = 0;
    for (std::size_t at = 0; at < text.size(); at += size)
      n_rows += parser.feed(std::string_view(text).substr(at, size), at + size >= text.size())->size();
    EXPECT_EQ(n_rows, 400000u);
    EXPECT_EQ(parser.take_rejected().n_bad, 1u);
  }
}

TEST(RejectedRows, WithoutOptionsTheFirstBadRowIsTheError) {
  RowEncoder encoder({.label = "y"});
  JsonLinesParser parser(encoder);
  const auto block = parser.feed("{\"y\": 1}\n{\"x\": 2}\n{\"y\": 0}\n", true);
  EXPECT_EQ(block->size(), 1u);
  ASSERT_TRUE(parser.error());
  EXPECT_EQ(parser.error()->fault, Fault::label);
}

TEST(ShuffledRows, KeepAllRowsAndNames) {
  RowEncoder encoder({.label = "y", .interactions = {{"c", "n"}}});
  CsvParser parser(encoder, ',', {"c", "n", "y"});
  std::vector<std::unique_ptr<RowBlock>> blocks;
  std::multiset<std::string> before, after;
  const auto describe = [](const RowBlock& block, std::multiset<std::string>& to) {
    for (std::size_t row = 0; row < block.size(); ++row) {
      std::string all = std::to_string(block.labels[row]);
      for (auto i = static_cast<std::size_t>(block.starts[row]); i < static_cast<std::size_t>(block.starts[row + 1]);
           ++i)
        all += ' ' + block.name(i) + ':' + std::to_string(block.values[i]);
      to.insert(all);
    }
  };
  for (int chunk = 0; chunk < 3; ++chunk) {
    std::string text;
    for (int i = 0; i < 50; ++i)
      text += "v" + std::to_string(chunk * 50 + i) + "," + std::to_string(i) + "," + std::to_string(i % 2) + "\n";
    describe(*blocks.emplace_back(parser.feed(text, false)), before);
  }
  const std::vector<const RowBlock*> all = {blocks[0].get(), blocks[1].get(), blocks[2].get()};
  const ShuffledRows shuffled(all, 7), again(all, 7), other(all, 8);
  describe(shuffled, after);
  EXPECT_EQ(before, after);
  EXPECT_EQ(shuffled.keys, again.keys);
  EXPECT_NE(shuffled.keys, other.keys);
  EXPECT_EQ(shuffled.name(0), "c=v0");  // the first rows decide about the schema, so they stay in front
  for (const auto& [value, place] : shuffled.numbers) EXPECT_EQ(static_cast<float>(value), shuffled.values[place]);
  for (const auto& [place, left, right] : shuffled.products)
    EXPECT_EQ(shuffled.values[place], shuffled.values[left] * shuffled.values[right]);
  const std::vector<std::int64_t> order = {149, 0, 51};
  const ShuffledRows taken(all, order);
  ASSERT_EQ(taken.size(), order.size());
  EXPECT_EQ(taken.name(static_cast<std::size_t>(taken.starts[0])), "c=v149");
  EXPECT_EQ(taken.name(static_cast<std::size_t>(taken.starts[2])), "c=v51");
  EXPECT_THROW(ShuffledRows(all, std::vector<std::int64_t>{150}), std::invalid_argument);
}

}  // namespace
}  // namespace wmsketch
