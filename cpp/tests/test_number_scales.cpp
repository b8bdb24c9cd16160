#include <gtest/gtest.h>

#include <cmath>

#include "wmsketch/number_scales.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch {
namespace {

std::unique_ptr<RowBlock> block_of(RowEncoder& encoder, const std::vector<std::pair<double, double>>& rows) {
  for (const auto& [a, b] : rows) {
    encoder.add_number(encoder.column("a"), a, "");
    encoder.add_text(encoder.column("c"), "x");
    encoder.add_number(encoder.column("b"), b, "");
    encoder.end_row();
  }
  return encoder.take();
}

TEST(NumberScales, MeasuresByTheRowsSoFar) {
  RowEncoder encoder({.interactions = {{"a", "b"}}});
  const auto block = block_of(encoder, {{10, 5}, {30, 5}, {20, 6}});
  NumberScales scales;
  scales.learn(*block);
  const float b = static_cast<float>((6 - 16.0 / 3) / std::sqrt(2.0 / 9));
  EXPECT_EQ(block->values, (std::vector<float>{0, 1, 0, 0, 1, 1, 0, 0, 0, 1, b, 0}));
  scales.apply(*block);
  EXPECT_FLOAT_EQ(block->values[0], -std::sqrt(1.5f));
  EXPECT_FLOAT_EQ(block->values[3], block->values[0] * block->values[2]);
}

TEST(NumberScales, ARowThatWasDroppedOrWeighsNothingDoesNotCount) {
  RowEncoder encoder({});
  encoder.add_number(encoder.column("a"), 1e9, "");
  encoder.drop_row();
  const auto block = block_of(encoder, {{10, 5}, {99, 99}, {30, 5}});
  NumberScales scales;
  scales.learn(*block, std::vector<float>{1, 0, 2});
  const auto& [name, column] = scales.columns().front();
  EXPECT_EQ(name, "a");
  EXPECT_EQ(column.count, 2u);
  EXPECT_EQ(column.mean, 20);
  EXPECT_EQ(column.squares, 200);
}

TEST(NumberScales, JoinsAsIfTheValuesHadCome) {
  NumberScales::Column whole, first, second;
  for (int i = 0; i < 10; ++i) {
    const double value = 1e6 + i * i;
    whole.add(value);
    (i < 3 ? first : second).add(value);
  }
  NumberScales scales;
  scales.join("a", first);
  scales.join("a", second);
  const auto& column = scales.columns().front().second;
  EXPECT_EQ(column.count, whole.count);
  EXPECT_NEAR(column.mean, whole.mean, 1e-9);
  EXPECT_NEAR(column.squares, whole.squares, 1e-6);
}

TEST(NumberScales, ValuesStayFinite) {
  RowEncoder encoder({.interactions = {{"a", "b"}}});
  NumberScales scales;
  scales.join("a", {2, 0, 1e-60});
  scales.join("b", {2, 0, 1e-60});
  const auto block = block_of(encoder, {{1e18, -1e18}});
  scales.apply(*block);
  for (const float value : block->values) EXPECT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace wmsketch
