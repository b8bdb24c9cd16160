#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "explain_rows.hpp"
#include "wmsketch/apps/explain_attributes.hpp"
#include "wmsketch/apps/explain_counts.hpp"
#include "wmsketch/apps/explain_quantiles.hpp"

namespace wmsketch {
namespace {

using Operator = Comparison::Operator;

// --- quantiles ---

TEST(QuantileSketch, OfFewValuesIsExact) {
  QuantileSketch sketch(QuantileSketch::kLeastBytes);
  EXPECT_TRUE(std::isnan(sketch.quantile(0.5)));
  for (const double value : {5.0, 1.0, 4.0, 2.0, 3.0}) sketch.add(value);
  EXPECT_EQ(sketch.quantile(0.2), 1.0);
  EXPECT_EQ(sketch.quantile(0.5), 3.0);
  EXPECT_EQ(sketch.quantile(0.8), 4.0);
  EXPECT_EQ(sketch.quantile(1.0), 5.0);
}

TEST(QuantileSketch, OfManyValuesIsNearInFixedBytesWhateverTheOrder) {
  constexpr int kMany = 200'000;
  for (const int order : {+1, -1, 0}) {
    QuantileSketch sketch(4096, 7);
    const std::size_t before = sketch.nbytes();
    Random random(3);
    for (int i = 0; i < kMany; ++i)
      sketch.add(order == 0 ? kMany * random.uniform() : order > 0 ? double(i) : double(kMany - i));
    EXPECT_EQ(sketch.nbytes(), before);
    EXPECT_LE(before, 4096u);
    EXPECT_EQ(sketch.count(), std::uint64_t{kMany});
    for (const double p : {0.01, 0.2, 0.5, 0.8, 0.99}) EXPECT_NEAR(sketch.quantile(p) / kMany, p, 0.03) << order;
  }
}

TEST(QuantileSketch, OfEqualValuesIsThatValue) {
  QuantileSketch sketch(QuantileSketch::kLeastBytes);
  for (int i = 0; i < 10'000; ++i) sketch.add(-2.5);
  for (const double p : {0.0, 0.5, 1.0}) EXPECT_EQ(sketch.quantile(p), -2.5);
}

// --- conditions ---

bool holds(Condition& condition, std::initializer_list<std::pair<std::size_t, const char*>> values) {
  condition.start_row();
  for (const auto& [i, word] : values) {
    char* end = nullptr;
    const double number = std::strtod(word, &end);
    condition.set(i, word, *end == '\0' && *word != '\0' ? std::optional(number) : std::nullopt);
  }
  return condition.complete() && condition.holds();
}

TEST(Condition, ComparesNumbersAndWords) {
  Condition condition({{"ms", Operator::at_least, "100", 100.0}, {"method", Operator::unequal, "GET"}}, 0, 0);
  EXPECT_TRUE(holds(condition, {{0, "100"}, {1, "POST"}}));
  EXPECT_FALSE(holds(condition, {{0, "99.9"}, {1, "POST"}}));
  EXPECT_FALSE(holds(condition, {{0, "100"}, {1, "GET"}}));
  EXPECT_FALSE(holds(condition, {{0, "100"}}));  // a value is missing
  EXPECT_FALSE(condition.complete());
  EXPECT_THROW(holds(condition, {{0, "slow"}, {1, "GET"}}), std::invalid_argument);
}

TEST(Condition, EqualityIsOfNumbersWhereBothAreAndOfOneOfSeveralValues) {
  Condition condition({{"status", Operator::equal, "5e2", 500.0}}, 0, 0);
  EXPECT_TRUE(holds(condition, {{0, "500.0"}}));
  EXPECT_FALSE(holds(condition, {{0, "five hundred"}}));
  EXPECT_TRUE(holds(condition, {{0, "404"}, {0, "500"}}));
}

TEST(Condition, APercentileIsThatOfTheStreamSoFar) {
  Condition condition({{"ms", Operator::more, "", std::nullopt, 80.0}}, QuantileSketch::kLeastBytes, 0);
  EXPECT_TRUE(std::isnan(condition.threshold(0)));
  EXPECT_FALSE(holds(condition, {{0, "1e300"}}));  // no percentile yet: nothing is above it
  for (int i = 1; i <= 1000; ++i) {
    condition.start_row();
    condition.set(0, {}, double(i));
    condition.observe();
  }
  condition.refresh();
  EXPECT_NEAR(condition.threshold(0), 800, 30);
  EXPECT_TRUE(holds(condition, {{0, "900"}}));
  EXPECT_FALSE(holds(condition, {{0, "700"}}));
}

// --- attributes ---

std::multiset<std::string> names_of(const AttributeBlock& block, const AttributeEncoder& encoder) {
  std::multiset<std::string> names;
  for (std::size_t i = 0; i < block.keys.size(); ++i) {
    std::string text = block.name(i);
    std::replace(text.begin(), text.end(), AttributeBlock::kSeparator, ' ');
    names.insert(text.substr(text.find(' ') + 1));  // behind the letters of the columns
  }
  EXPECT_GT(encoder.columns().size(), 0u);
  return names;
}

TEST(AttributeEncoder, MakesConjunctionsUpToTheOrder) {
  TableRows rows;
  rows.add({{"os", "mac"}, {"app", "web"}, {"city", "Rome"}}, +1);
  for (const auto& [order, wanted] : {std::pair(1u, 3u), std::pair(2u, 6u), std::pair(3u, 7u)}) {
    AttributeEncoder encoder({.order = order});
    encoder.observe(rows);
    encoder.finish_warm_up();
    const auto block = encoder.encode(rows, 0, 1);
    EXPECT_EQ(block->keys.size(), wanted);
    EXPECT_EQ(block->size(), wanted);  // each is an example of its own
    EXPECT_EQ(std::set<Key>(block->keys.begin(), block->keys.end()).size(), wanted);
    EXPECT_EQ(names_of(*block, encoder).count("mac web Rome"), order == 3 ? 1u : 0u);
  }
  AttributeEncoder whole({.order = 2, .whole_rows = true});
  whole.observe(rows);
  whole.finish_warm_up();
  const auto block = whole.encode(rows, 0, 1);
  EXPECT_EQ(block->size(), 1u);
  EXPECT_EQ(block->keys.size(), 6u);
}

TEST(AttributeEncoder, AConjunctionHasOneKeyHoweverItsColumnsAreOrdered) {
  TableRows rows;
  rows.add({{"os", "mac"}, {"app", "web"}}, +1);
  rows.add({{"app", "web"}, {"os", "mac"}, {"os", "mac"}}, -1);  // and a value that stands twice counts once
  AttributeEncoder encoder({.order = 2});
  encoder.observe(rows);
  encoder.finish_warm_up();
  const auto block = encoder.encode(rows, 0, 2);
  ASSERT_EQ(block->keys.size(), 6u);
  EXPECT_EQ(std::set<Key>(block->keys.begin(), block->keys.end()).size(), 3u);
}

TEST(AttributeEncoder, CutsNumbersIntoQuantilesAndLeavesFewWholeOnesAlone) {
  TableRows rows;
  for (int i = 0; i < 1000; ++i) rows.add({{"ms", 0.5 + i}, {"stars", double(i % 5)}}, i % 2 == 0 ? +1 : -1);
  AttributeEncoder encoder({.bins = 4});
  encoder.observe(rows);
  encoder.finish_warm_up();
  const auto block = encoder.encode(rows, 0, 1000);
  std::map<std::string, int> count;
  for (const std::string& name : names_of(*block, encoder)) ++count[name];
  EXPECT_EQ(count.size(), 4u + 5u);
  EXPECT_EQ(count["below 250.5"], 250);
  EXPECT_EQ(count["from 750.5"], 250);
  EXPECT_EQ(count["3"], 200);
}

TEST(AttributeEncoder, RowsWithoutTheConditionsValueAreSkippedAndItsColumnIsNoAttribute) {
  TableRows rows;
  rows.add({{"ms", "900"}, {"host", "a"}});
  rows.add({{"host", "b"}});
  rows.add({{"ms", "1"}, {"host", "a"}});
  AttributeEncoder encoder({.condition = {{"ms", Operator::more, "100", 100.0}}});
  encoder.observe(rows);
  encoder.finish_warm_up();
  const auto block = encoder.encode(rows, 0, 3);
  EXPECT_EQ(encoder.counts().rows, 2u);
  EXPECT_EQ(encoder.counts().outliers, 1u);
  EXPECT_EQ(encoder.counts().skipped, 1u);
  EXPECT_EQ(block->labels, (std::vector<std::int8_t>{1, -1}));
  EXPECT_EQ(names_of(*block, encoder), (std::multiset<std::string>{"a", "a"}));
}

TEST(AttributeEncoder, AColumnThatIsMissingEverywhereLeavesNoExamples) {
  TableRows rows;
  for (int i = 0; i < 5; ++i) rows.add({{"host", "a"}});
  AttributeEncoder encoder({.condition = {{"ms", Operator::more, "", std::nullopt, 80.0}}});
  encoder.observe(rows);
  encoder.finish_warm_up();
  const auto block = encoder.encode(rows, 0, 5);
  EXPECT_EQ(block->size(), 0u);
  EXPECT_EQ(block->next_row, 5u);
  EXPECT_EQ(encoder.counts().rows, 0u);
  EXPECT_EQ(encoder.counts().skipped, 5u);
}

TEST(AttributeEncoder, EmptyInputIsNothing) {
  const TableRows rows;
  AttributeEncoder encoder({.condition = {{"ms", Operator::more, "1", 1.0}}});
  EXPECT_FALSE(encoder.observe(rows));
  encoder.finish_warm_up();
  EXPECT_EQ(encoder.encode(rows, 0, 10)->size(), 0u);
  EXPECT_EQ(encoder.counts().rows, 0u);
}

TEST(AttributeEncoder, ANumberThatIsNoneSaysWhichRow) {
  TableRows rows;
  rows.add({{"ms", "5"}});
  rows.add({{"ms", "slow"}});
  AttributeEncoder encoder({.condition = {{"ms", Operator::more, "1", 1.0}}, .warm_up = 1});
  EXPECT_TRUE(encoder.observe(rows));
  encoder.finish_warm_up();
  try {
    encoder.encode(rows, 0, 2);
    FAIL();
  } catch (const std::invalid_argument& problem) {
    EXPECT_STREQ(problem.what(), "row 2: expected a number in column 'ms', found 'slow'");
  }
}

TEST(AttributeEncoder, WeightsAreAmountsAndBoundedForLearning) {
  TableRows rows;
  for (int i = 0; i < 99; ++i) rows.add({{"host", "a"}}, -1, 1);
  rows.add({{"host", "b"}}, +1, 10'000);
  AttributeEncoder encoder({});
  encoder.observe(rows);
  encoder.finish_warm_up();
  const auto block = encoder.encode(rows, 0, 100);
  EXPECT_EQ(encoder.counts().outlier_amount, 10'000);
  EXPECT_EQ(encoder.counts().inlier_amount, 99);
  EXPECT_EQ(block->amounts.back(), 10'000);
  EXPECT_EQ(block->weights.front(), 1);
  EXPECT_LE(block->weights.back(), 10);
}

TEST(AttributeEncoder, RefusesBadOptions) {
  EXPECT_THROW(AttributeEncoder({.order = 0}), std::invalid_argument);
  EXPECT_THROW(AttributeEncoder({.order = 4}), std::invalid_argument);
  EXPECT_THROW(AttributeEncoder({.bins = 1}), std::invalid_argument);
  AttributeEncoder encoder({});
  TableRows rows;
  rows.add({{"host", "a"}});
  EXPECT_THROW(encoder.encode(rows, 0, 1), std::invalid_argument);  // not warm
  encoder.finish_warm_up();
  EXPECT_THROW(encoder.encode(rows, 0, 1), std::invalid_argument);  // neither labels nor a condition
}

// --- counts ---

TEST(AttributeCounts, AreExactOnceTracked) {
  TableRows rows;
  for (int i = 0; i < 300; ++i)
    rows.add({{"host", i % 3 == 0 ? "a" : "b"}, {"id", std::to_string(i)}}, i % 10 == 0 ? +1 : -1);
  AttributeEncoder encoder({});
  encoder.observe(rows);
  encoder.finish_warm_up();
  const auto block = encoder.encode(rows, 0, 300);
  const Key a = key_of_name("host=a"), b = key_of_name("host=b");
  AttributeCounts counts(16, AttributeCounts::least_bytes(16) + 4096, 1);
  EXPECT_EQ(counts.of(a).outliers, 0);
  std::vector<Key> heavy{a};
  for (int i = 0; i < 15; ++i) heavy.push_back(key_of_name("id=later" + std::to_string(i)));
  counts.track(heavy);  // so that no slot is free
  counts.count(*block);
  EXPECT_EQ(counts.of(a).outliers, 10);
  EXPECT_EQ(counts.of(a).inliers, 90);
  EXPECT_EQ(counts.of(a).outliers_before, 0);
  const std::vector<Key> both{a, b};
  counts.track(both);  // b was only in the sketch until now
  EXPECT_NEAR(counts.of(b).inliers, 180, 40);
  EXPECT_EQ(counts.of(b).inliers, counts.of(b).inliers_before);
  EXPECT_EQ(counts.of(key_of_name("host=never")).inliers, 0);
  EXPECT_LE(counts.nbytes(), AttributeCounts::least_bytes(16) + 4096);
}

TEST(AttributeCounts, AreExactFromTheFirstRowWhileThereIsRoom) {
  TableRows rows;
  for (int i = 0; i < 30; ++i) rows.add({{"host", i % 3 == 0 ? "a" : "b"}}, i % 10 == 0 ? +1 : -1);
  AttributeEncoder encoder({});
  encoder.finish_warm_up();
  AttributeCounts counts(16, AttributeCounts::least_bytes(16), 1);
  counts.count(*encoder.encode(rows, 0, 30));
  const std::vector<Key> heavy{key_of_name("host=b")};
  counts.track(heavy);
  EXPECT_EQ(counts.of(heavy[0]).outliers, 2);
  EXPECT_EQ(counts.of(heavy[0]).inliers, 18);
  EXPECT_EQ(counts.of(heavy[0]).inliers_before, 0);
}

TEST(AttributeCounts, RefuseTooFewBytes) {
  EXPECT_THROW(AttributeCounts(16, AttributeCounts::least_bytes(16) - 1, 0), std::invalid_argument);
}

}  // namespace
}  // namespace wmsketch
