#include <gtest/gtest.h>

#include "wmsketch/prepare/numbered_rows.hpp"

namespace wmsketch {
namespace {

RowBlock rows_of(const std::vector<std::vector<std::pair<Key, double>>>& rows) {
  RowBlock block;
  for (const auto& row : rows) {
    for (const auto& [key, value] : row) {
      block.numbers.push_back({value, static_cast<std::uint32_t>(block.keys.size())});
      block.keys.push_back(key);
      block.values.push_back(static_cast<float>(value));
    }
    block.starts.push_back(static_cast<std::int64_t>(block.keys.size()));
  }
  return block;
}

// Column 0 has a number in each row, 1 in some, and 2 marks some rows.
RowBlock table(std::size_t n) {
  std::vector<std::vector<std::pair<Key, double>>> rows;
  for (std::size_t i = 0; i < n; ++i) {
    auto& row = rows.emplace_back();
    row.emplace_back(0, 5.0 + static_cast<double>(i));
    if (i % 3 == 0) row.emplace_back(1, 40.0);
    if (i % 2 == 0) row.emplace_back(2, 1.0);
  }
  return rows_of(rows);
}

SchemaOptions numbered() {
  SchemaOptions options;
  options.numbered = true;
  return options;
}

TEST(NumberedColumns, AnArrayIsATableOfAllItsColumns) {
  const Schema schema = Schema(numbered()).decided_with(table(12), {}, {4, true}).value();
  ASSERT_TRUE(schema.is_numbered());
  ASSERT_EQ(schema.size(), 4u);
  EXPECT_TRUE(schema.is_centred(0));
  EXPECT_FALSE(schema.is_centred(1));
  EXPECT_FALSE(schema.is_centred(2));
  EXPECT_FALSE(schema.is_centred(3));
}

TEST(NumberedColumns, FewRowsDecideNothing) {
  EXPECT_FALSE(Schema(numbered()).decided_with(table(9), {}, {4, true}).has_value());
}

TEST(NumberedColumns, ZerosAndOnesAreNoTable) {
  std::vector<std::vector<std::pair<Key, double>>> rows(12, {{3, 1.0}, {7, 1.0}});
  EXPECT_EQ(Schema(numbered()).decided_with(rows_of(rows), {}, {20, true}).value().state(), Schema::State::open);
}

TEST(NumberedColumns, TextWithFractionsIsNoTable) {
  std::vector<std::vector<std::pair<Key, double>>> rows;
  for (Key i = 0; i < 12; ++i) rows.push_back({{0, 0.3}, {10 + i, 0.5}, {30 + i, 0.8}, {50 + i, 0.2}});
  EXPECT_EQ(Schema(numbered()).decided_with(rows_of(rows)).value().state(), Schema::State::open);
}

TEST(NumberedColumns, AnAmountBesideWordsHasAScaleAndTheWordsStay) {
  std::vector<std::vector<std::pair<Key, double>>> rows;
  for (Key i = 0; i < 12; ++i) rows.push_back({{1, 5e4 + i}, {10 + i, 0.5}, {30 + i, 0.8}, {50 + i, 0.2}});
  const Schema schema = Schema(numbered()).decided_with(rows_of(rows), {}, {100, false}).value();
  ASSERT_EQ(schema.size(), 1u);
  EXPECT_EQ(schema.key(0), 1u);
  EXPECT_TRUE(schema.has_other_columns());
  EXPECT_EQ(schema.without_scale(40.0f), 40.0f);
}

TEST(NumberedColumns, ASparseMatrixOfLargeNumbersIsATableOfAllItsColumns) {
  std::vector<std::vector<std::pair<Key, double>>> rows;
  for (Key i = 0; i < 12; ++i) rows.push_back({{i % 4, 3e6}, {4 + i % 3, 2e6}});
  const Schema schema = Schema(numbered()).decided_with(rows_of(rows), {}, {20, false}).value();
  EXPECT_EQ(schema.size(), 20u);
  EXPECT_FALSE(schema.has_other_columns());
}

TEST(NumberedColumns, OneSmallValueIsNoSmallColumn) {
  std::vector<std::vector<std::pair<Key, double>>> rows;
  for (Key i = 0; i < 12; ++i) rows.push_back({{10 + i, i == 5 ? 0.001 : 0.5}, {30 + i, 0.8}, {50 + i, 0.2}});
  EXPECT_EQ(Schema(numbered()).decided_with(rows_of(rows)).value().state(), Schema::State::open);
}

TEST(NumberedRows, ARowHasEveryCentredColumnOnce) {
  const Schema schema = Schema(numbered()).decided_with(table(12), {}, {4, true}).value();
  const RowBlock given = rows_of({{{1, 2.0}, {9, 3.0}}, {{0, 1.0}, {0, 2.5}}});
  NumberedRows rows;
  rows.assign(given.batch(), schema);
  EXPECT_EQ(rows.keys, (std::vector<Key>{1, 9, 0, 0}));
  EXPECT_EQ(rows.starts, (std::vector<std::int64_t>{0, 3, 4}));
  ASSERT_EQ(rows.numbers.size(), 3u);
  EXPECT_EQ(rows.numbers[1].value, 0.0);  // the first row lacks column 0
  EXPECT_EQ(rows.numbers[2].value, 3.5);  // the second has it twice
  EXPECT_EQ(rows.values[1], 1.0f);        // no column of the schema: bounded
}

TEST(NumberedRows, AColumnWithManyZerosIsScaledFromZero) {
  Schema schema = Schema(numbered()).decided_with(table(12), {}, {4, true}).value();
  const RowBlock given = table(12);
  NumberedRows rows;
  rows.assign(given.batch(), schema);
  std::vector<float> values;
  schema.learn(rows, {}, {}, values);
  for (std::size_t i = 0; i < rows.keys.size(); ++i)
    if (rows.keys[i] != 0) EXPECT_EQ(values[i], 1.0f);  // 40 is the unit of column 1, and 1 stays 1
}

}  // namespace
}  // namespace wmsketch
