#include <gtest/gtest.h>

#include <cmath>

#include "named_rows.hpp"
#include "wmsketch/prepare/schema.hpp"

namespace wmsketch {
namespace {

NamedRows table(std::size_t n, double plus = 0) {
  NamedRows rows;
  for (std::size_t i = 0; i < n; ++i) rows.add({{"a", static_cast<double>(i % 7) + plus}, {"city=", 1.0}});
  return rows;
}

NamedRows bags(std::size_t n) {
  NamedRows rows;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string number = std::to_string(i);
    rows.add({{"the", 2.0}, {"word " + number, 1.0}, {"other " + number, 3.0}});
  }
  return rows;
}

Schema decided(const NamedRows& rows, const SchemaOptions& options = {}) {
  return Schema(options).decided_with(rows).value();
}

TEST(NumberScale, ComputesMeanAndStandardDeviation) {
  NumberScale scale;
  for (const double value : {1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 6}) scale.add(value);
  EXPECT_DOUBLE_EQ(scale.mean, 1e9 + 3);
  EXPECT_DOUBLE_EQ(scale.deviation(), std::sqrt(14.0 / 4));
  EXPECT_FLOAT_EQ(scale.scaled(1e9 + 3), 0.0f);
}

TEST(NumberScale, WithoutDeviationOnlyAConstantOneStays) {
  NumberScale scale;
  EXPECT_EQ(scale.scaled(5), 0.0f);
  scale.add(1);
  EXPECT_EQ(scale.scaled(1), 1.0f);
  EXPECT_EQ(scale.scaled(2), 0.0f);
  NumberScale year;
  year.add(2013);
  EXPECT_EQ(year.scaled(2013), 0.0f);
}

TEST(NumberScale, ScaledValuesAreBounded) {
  NumberScale scale{1, 0, 1e-300};
  EXPECT_EQ(scale.scaled(1e300), 10.0f);
  EXPECT_EQ(scale.scaled(-1e300), -10.0f);
}

TEST(NumberScale, AValueFarFromAllOthersIsAbsurd) {
  NumberScale scale;
  for (int i = 0; i < 9; ++i) scale.add(i);
  EXPECT_FALSE(scale.is_absurd(1e9));  // too few values to tell
  scale.add(9);
  EXPECT_TRUE(scale.is_absurd(1e9));
  EXPECT_TRUE(scale.is_absurd(-999999));
  EXPECT_FALSE(scale.is_absurd(200));
}

TEST(UsualRange, OfTheFirstValuesHasNoCodesForMissing) {
  std::vector<double> values{1, 2, -999999, 3, 4};
  const UsualRange range = UsualRange::of_first(values);
  EXPECT_FALSE(range.contains(-999999));
  EXPECT_TRUE(range.contains(50));
  std::vector<double> mostly_zero{0, 0, 0, 0, 2000};
  EXPECT_TRUE(UsualRange::of_first(mostly_zero).contains(2000));
}

TEST(NumberScale, MergingEqualsLearningBoth) {
  NumberScale all, left, right;
  for (int i = 0; i < 50; ++i) {
    all.add(i * i);
    (i < 20 ? left : right).add(i * i);
  }
  left.add(right);
  left.add(NumberScale{});
  EXPECT_EQ(left.count, all.count);
  EXPECT_NEAR(left.mean, all.mean, 1e-9);
  EXPECT_NEAR(left.squares / all.squares, 1, 1e-12);
}

TEST(NumberScale, FadedValuesCountLess) {
  NumberScale scale;
  for (int i = 0; i < 10; ++i) scale.add(i);
  const double deviation = scale.deviation();
  scale.fade(0.5);
  EXPECT_EQ(scale.count, 5);
  EXPECT_EQ(scale.mean, 4.5);
  EXPECT_DOUBLE_EQ(scale.deviation(), deviation);
}

TEST(Schema, ATableIsDecidedAtItsTenthRow) {
  EXPECT_FALSE(Schema().decided_with(table(9)));
  const Schema schema = decided(table(10));
  ASSERT_TRUE(schema.is_table());
  ASSERT_EQ(schema.size(), 2u);
  EXPECT_EQ(schema.column(0).name, "a");
  EXPECT_EQ(schema.column(0).kind, ColumnKind::number);
  EXPECT_TRUE(schema.column(0).scale);
  EXPECT_EQ(schema.column(1).kind, ColumnKind::text);
  EXPECT_FALSE(schema.column(1).scale);
}

TEST(Schema, AnOpenVocabularyStoresNothing) {
  const Schema schema = decided(bags(10));
  EXPECT_EQ(schema.state(), Schema::State::open);
  EXPECT_EQ(schema.size(), 0u);
  EXPECT_EQ(schema.nbytes(), 0u);
  std::vector<float> values;
  schema.apply(bags(3), values);
  EXPECT_EQ(values, bags(3).values);
}

TEST(Schema, NumbersThatSomeRowsLackAreColumns) {
  NamedRows rows;
  for (int i = 0; i < 10; ++i) {
    NamedValues row = {{"a", 1.0 * i}, {"b", 2.0 * i}};
    if (i != 4) row.push_back({"nearly", 1.0 * i});
    if (i % 2 == 0) row.push_back({"often", 1.0 * i});
    rows.add(row);
  }
  const Schema schema = decided(rows);
  ASSERT_EQ(schema.size(), 4u);
  EXPECT_EQ(schema.column(3).name, "often");
  EXPECT_TRUE(schema.column(3).scale.has_value());
}

TEST(Schema, AMissingValueCountsAsAColumn) {
  NamedRows rows;
  for (int i = 0; i < 10; ++i) rows.add({{"a", 1.0}, {"empty", std::nullopt}});
  const Schema schema = decided(rows);
  ASSERT_EQ(schema.size(), 2u);
  EXPECT_EQ(schema.column(1).kind, ColumnKind::unknown);
}

TEST(Schema, OneRowIsNotATable) {
  Schema schema;
  schema.held().add_features(table(1));
  EXPECT_EQ(schema.decided_now().state(), Schema::State::open);
  schema.held().add_features(table(1));
  EXPECT_TRUE(schema.decided_now().is_table());
}

TEST(Schema, RowsTooLargeToHoldForceADecision) {
  const SchemaOptions options{.most_held_bytes = 200};
  EXPECT_TRUE(Schema(options).decided_with(table(5)).value().is_table());
  EXPECT_EQ(Schema(options).decided_with(bags(5)).value().state(), Schema::State::open);
  EXPECT_FALSE(Schema(options).decided_with(table(1)));
}

TEST(Schema, RowsWithoutFeaturesDoNotDecide) {
  RowBlock empty;
  empty.starts.assign(21, 0);
  EXPECT_FALSE(Schema().decided_with(empty));
  RowBlock numbered;
  numbered.keys = {7};
  numbered.values = {1};
  numbered.starts = {0, 1};
  EXPECT_EQ(Schema().decided_with(numbered).value().state(), Schema::State::open);
}

TEST(Schema, RejectsATableTooWideForItsBytes) {
  try {
    decided(table(10), {.most_bytes = 50});
    FAIL();
  } catch (const std::invalid_argument& problem) {
    EXPECT_NE(std::string(problem.what()).find("a table of 2 columns"), std::string::npos) << problem.what();
  }
}

TEST(Schema, BytesDoNotGrowWithTheStream) {
  Schema schema = decided(table(10));
  const std::size_t before = schema.nbytes();
  std::vector<float> values;
  for (int i = 0; i < 100; ++i) schema.learn(table(50, i), {}, {}, values);
  EXPECT_EQ(schema.nbytes(), before);
  EXPECT_GE(before, std::string("acity").size() + sizeof(NumberScale));
}

TEST(Schema, LearningAddsEachRowBeforeItIsScaled) {
  Schema schema = decided(table(10));
  const NamedRows rows({{{"a", 10.0}}, {{"a", 30.0}, {"new", 5.0}}, {{"a", 50.0}}});
  std::vector<float> values, again;
  const std::vector<float> weights{1, 1, 0};
  schema.learn(rows, weights, {}, values);
  const auto others = static_cast<float>(5.0 / 6);  // a column outside the table has no scale
  EXPECT_EQ(values, (std::vector<float>{0, 1, others, 3}));
  EXPECT_EQ(schema.column(0).scale->count, 2);
  schema.apply(rows, again);
  EXPECT_EQ(again, (std::vector<float>{-1, 1, others, 3}));
}

TEST(Schema, ProductsUseScaledValues) {
  Schema schema = decided(table(10));
  NamedRows rows({{{"a", 0.0}}, {{"a", 2.0}, {"a2", 7.0}, {"a&a2", 0.0}}});
  rows.products.push_back({3, 1, 2});
  rows.numbers.pop_back();
  std::vector<float> values;
  schema.learn(rows, {}, {}, values);
  EXPECT_EQ(values[3], values[1] * values[2]);
}

TEST(Schema, ScalesFadeByExamplesAndByTime) {
  for (const bool by_time : {false, true}) {
    const SchemaOptions options{.half_life = {by_time ? 0.0 : 1.0, by_time ? 1.0 : 0.0}};
    Schema schema = decided(table(10), options);
    std::vector<float> values;
    const std::vector<double> times{0, 1, 2, 3};
    schema.learn(NamedRows({{{"a", 1.0}}, {{"a", 2.0}}, {{"a", 3.0}}, {{"a", 4.0}}}), {}, times, values);
    EXPECT_NEAR(schema.column(0).scale->count, 1.875, 1e-12);
    EXPECT_GT(schema.column(0).scale->mean, 3.0);
  }
}

TEST(Schema, RollsBackToAMark) {
  Schema schema = decided(table(10));
  std::vector<float> values;
  schema.learn(table(10), {}, {}, values);
  const auto before = saved(schema).arrays;
  const Schema::Mark mark = schema.mark();
  NamedRows rows = table(5, 1000);
  rows.new_kinds.push_back({"a", ColumnKind::text});
  schema.learn(rows, {}, {}, values);
  EXPECT_EQ(schema.column(0).kind, ColumnKind::mixed);
  EXPECT_NE(saved(schema).arrays, before);
  schema.return_to(mark);
  EXPECT_EQ(saved(schema).arrays, before);
}

TEST(Schema, MergesScales) {
  Schema all = decided(table(10)), left = all, right = all;
  std::vector<float> values;
  all.learn(table(10), {}, {}, values);
  left.learn(table(10), {}, {}, values);
  all.learn(table(30, 50), {}, {}, values);
  right.learn(table(30, 50), {}, {}, values);
  left.merge(right);
  EXPECT_EQ(left.column(0).scale->count, 40);
  EXPECT_NEAR(left.column(0).scale->mean, all.column(0).scale->mean, 1e-12);
  EXPECT_NEAR(left.column(0).scale->squares, all.column(0).scale->squares, 1e-9);
  EXPECT_EQ(all.emptied().column(0).scale->count, 0);
}

TEST(Schema, AddsColumnsThatOnlyOneModelHasInOneOrder) {
  NamedRows other;
  for (int i = 0; i < 10; ++i) other.add({{"zeal", static_cast<double>(i)}, {"a", 1.0}});
  Schema left = decided(table(10)), right = decided(other);
  std::vector<float> values;
  right.learn(other, {}, {}, values);
  const Schema before = left;
  left.merge(right);
  right.merge(before);
  ASSERT_EQ(left.size(), 3u);
  EXPECT_EQ(left.column(1).name, "city");
  EXPECT_EQ(left.column(2).name, "zeal");
  EXPECT_EQ(left.column(2).scale->mean, 4.5);
  EXPECT_EQ(saved(left).arrays, saved(right).arrays);
  Schema narrow = decided(table(10), {.most_bytes = before.most_nbytes()});
  EXPECT_THROW(narrow.merge(decided(other)), std::invalid_argument);
}

TEST(Schema, OtherRowsDoNotMerge) {
  Schema schema = decided(table(10));
  EXPECT_THROW(schema.merge(decided(bags(10))), std::invalid_argument);
  NamedRows texts;
  for (int i = 0; i < 10; ++i) texts.add({{"a=", 1.0}, {"city=", 1.0}});
  std::vector<float> values;
  schema.learn(table(10), {}, {}, values);
  EXPECT_THROW(schema.merge(decided(texts)), std::invalid_argument);
}

TEST(Schema, IsSavedAndLoaded) {
  Schema schema = decided(table(10));
  std::vector<float> values, again;
  schema.learn(table(30), {}, {}, values);
  MemoryArchive archive = saved(schema);
  Schema loaded;
  loaded.archive(archive);
  EXPECT_EQ(saved(loaded).arrays, archive.arrays);
  EXPECT_EQ(loaded.nbytes(), schema.nbytes());
  schema.apply(table(7), values);
  loaded.apply(table(7), again);
  EXPECT_EQ(values, again);
}

TEST(Schema, RejectsDamagedArrays) {
  Schema schema = decided(table(10));
  const MemoryArchive good = saved(schema);
  const auto refused = [&](auto damage) { expect_refused<Schema>(good, damage); };
  for (const auto& [name, bytes] : good.arrays) refused([&](MemoryArchive& archive) { archive.arrays.erase(name); });
  refused([](MemoryArchive& archive) { *archive.data<std::uint8_t>("schema_state") = 4; });
  refused([](MemoryArchive& archive) { archive.arrays["schema_names"] += 'x'; });
  refused([](MemoryArchive& archive) { archive.arrays["schema_kinds"].pop_back(); });
  refused([](MemoryArchive& archive) { archive.data<std::uint8_t>("schema_kinds")[0] = 5; });
  refused([](MemoryArchive& archive) { archive.data<std::uint8_t>("schema_kinds")[0] = 1; });  // one scale too many
  refused([](MemoryArchive& archive) { archive.data<std::uint8_t>("schema_kinds")[1] |= 16; });
  refused([](MemoryArchive& archive) { archive.data<std::uint32_t>("schema_name_ends")[0] = 99; });
  refused([](MemoryArchive& archive) { archive.data<double>("schema_scales")[0] = -1; });
  refused([](MemoryArchive& archive) { archive.data<double>("schema_scales")[1] = NAN; });
  refused([](MemoryArchive& archive) { archive.data<double>("schema_scales")[2] = INFINITY; });
  refused([](MemoryArchive& archive) { *archive.data<double>("schema_time") = INFINITY; });
}

}  // namespace
}  // namespace wmsketch
