#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "explain_rows.hpp"
#include "wmsketch/apps/deltoids.hpp"
#include "wmsketch/random.hpp"

namespace wmsketch {
namespace {

constexpr Key kTea = 1, kMilk = 2, kJam = 3;

// So many of each item, in an order that mixes them.
RowBlock items(std::initializer_list<std::pair<Key, int>> wanted) {
  RowBlock block;
  for (const auto& [key, n] : wanted) block.keys.insert(block.keys.end(), static_cast<std::size_t>(n), key);
  Random random(block.keys.size());
  for (std::size_t i = block.keys.size(); i > 1; --i)
    std::swap(block.keys[i - 1], block.keys[random.below(static_cast<std::uint32_t>(i))]);
  block.values.assign(block.keys.size(), 1.0f);
  for (std::size_t i = 1; i <= block.keys.size(); ++i) block.starts.push_back(static_cast<std::int64_t>(i));
  return block;
}

std::unique_ptr<DeltoidMethod> newton(std::uint32_t counted = 64, bool weighted = false) {
  StoreConfig store;
  store.width = 256;
  store.active_set_size = 64;
  store.eviction = Eviction::drop;
  LearnerConfig rule;
  rule.step = {Schedule::optimal, 0.5, 0.0};
  rule.fit_intercept = false;
  rule.newton = true;
  return std::make_unique<LinearDeltoids>(make_learner(StoreKind::adaptive_awm, false, store, rule), rule.step,
                                          LinearDeltoids::Steps::newton,
                                          std::make_unique<BoundedPairCounter>(counted, weighted));
}

std::unique_ptr<DeltoidMethod> pair_of_sketches() {
  return std::make_unique<CountMinDeltoids>(PairedCountMin(4, 512, 0), HeavyKeys(16, 0));
}

std::array<std::size_t, 2> mix_all(Deltoids& deltoids, const RowBlock& a, const RowBlock& b) {
  DeltoidCursor left{&a}, right{&b};
  const double n = static_cast<double>(a.size() + b.size());
  auto taken = deltoids.mix(left, right, static_cast<double>(a.size()) / n);
  DeltoidCursor rest_a{left.row < a.size() ? &a : nullptr, left.row};
  DeltoidCursor rest_b{right.row < b.size() ? &b : nullptr, right.row};
  const auto rest = deltoids.mix(rest_a, rest_b, 0.5);
  return {taken[0] + rest[0], taken[1] + rest[1]};
}

std::map<Key, DeltoidRow> rows_of(const Deltoids& deltoids) {
  std::map<Key, DeltoidRow> rows;
  for (const DeltoidRow& row : deltoids.rows()) rows.emplace(row.key, row);
  return rows;
}

TEST(Deltoids, CountsAndWeightsFollowTheRatio) {
  Deltoids deltoids(newton(), false);
  const RowBlock a = items({{kTea, 600}, {kMilk, 300}}), b = items({{kTea, 200}, {kMilk, 300}, {kJam, 400}});
  EXPECT_EQ(mix_all(deltoids, a, b), (std::array<std::size_t, 2>{900, 900}));
  EXPECT_EQ(deltoids.totals().rows, (std::array<std::uint64_t, 2>{900, 900}));
  const auto rows = rows_of(deltoids);
  ASSERT_EQ(rows.size(), 3u);
  ASSERT_TRUE(rows.at(kTea).count.has_value());
  EXPECT_EQ(rows.at(kTea).count->rows, (std::array<std::uint32_t, 2>{600, 200}));
  EXPECT_EQ(rows.at(kJam).count->rows, (std::array<std::uint32_t, 2>{0, 400}));
  EXPECT_NEAR(rows.at(kTea).weight, std::log(3.0), 0.25);
  EXPECT_NEAR(rows.at(kMilk).weight, 0.0, 0.25);
  EXPECT_LT(rows.at(kJam).weight, -3);
  for (const auto& [key, row] : rows) EXPECT_TRUE(row.low < row.weight && row.weight < row.high);
  EXPECT_EQ(deltoids.n_tried(), 3u);
}

TEST(Deltoids, TheLongerStreamWeighsLess) {
  for (const bool sketches : {false, true}) {
    Deltoids deltoids(sketches ? pair_of_sketches() : newton(), false);
    mix_all(deltoids, items({{kTea, 100}, {kMilk, 100}}), items({{kTea, 2000}, {kMilk, 2000}}));
    EXPECT_NEAR(deltoids.weight(kTea), 0.0, 0.35);
    EXPECT_NEAR(deltoids.weight(kMilk), 0.0, 0.35);
  }
}

TEST(Deltoids, EqualStreamsHaveNoDifference) {
  Deltoids deltoids(newton(), false);
  const RowBlock same = items({{kTea, 50}, {kMilk, 50}, {kJam, 50}});
  mix_all(deltoids, same, same);
  for (const auto& [key, row] : rows_of(deltoids)) {
    EXPECT_EQ(row.count->rows[0], row.count->rows[1]);
    EXPECT_NEAR(row.weight, 0.0, 0.3);
  }
}

TEST(Deltoids, OneStreamOnlyOrNoneIsNoError) {
  Deltoids none(newton(), false);
  EXPECT_EQ(mix_all(none, RowBlock(), RowBlock()), (std::array<std::size_t, 2>{0, 0}));
  EXPECT_TRUE(none.rows().empty());
  Deltoids one(newton(), false);
  const RowBlock a = items({{kTea, 40}});
  DeltoidCursor left{&a}, right;
  EXPECT_EQ(one.mix(left, right, 1.0), (std::array<std::size_t, 2>{40, 0}));
  EXPECT_EQ(one.totals().rows, (std::array<std::uint64_t, 2>{40, 0}));
  for (const DeltoidRow& row : one.rows()) EXPECT_TRUE(std::isfinite(row.weight));
}

TEST(Deltoids, MixesInProportionAndStopsWhereABlockEnds) {
  Deltoids deltoids(newton(), false);
  const RowBlock a = items({{kTea, 10}}), b = items({{kMilk, 1000}});
  DeltoidCursor left{&a}, right{&b};
  const auto taken = deltoids.mix(left, right, 0.1);
  EXPECT_EQ(taken[0], 10u);
  EXPECT_NEAR(static_cast<double>(taken[1]), 90, 12);  // the next block of a may have more to mix with
  EXPECT_EQ(right.row, taken[1]);
}

TEST(Deltoids, RowsOfOneColumnsValueAreOneStream) {
  TableRows table;
  for (int i = 0; i < 60; ++i)
    table.add({{"origin", i % 2 == 0 ? "JFK" : "LGA"}, {"carrier", i % 2 == 0 ? "B6" : "DL"}});
  Deltoids deltoids(newton(), false);
  DeltoidCursor a{&table, 0, key_of_name("origin=JFK")}, b{&table, 0, key_of_name("origin=LGA")};
  const auto taken = deltoids.mix(a, b, 0.5);
  EXPECT_GE(taken[0] + taken[1], 58u);
  const auto rows = rows_of(deltoids);
  EXPECT_EQ(rows.count(key_of_name("origin=JFK")), 0u);  // what tells the streams apart is no item
  EXPECT_GT(rows.at(key_of_name("carrier=B6")).weight, 1);
  EXPECT_LT(rows.at(key_of_name("carrier=DL")).weight, -1);
}

TEST(Deltoids, RatesOfItemsCountItems) {
  TableRows words;
  words.add({{"", "to"}, {"", "be"}});
  for (const bool per_item : {false, true}) {
    Deltoids deltoids(newton(), per_item);
    mix_all(deltoids, words, words);
    EXPECT_EQ(deltoids.totals().rows[0], per_item ? 2u : 1u);
  }
}

TEST(Deltoids, AmountsCountInPlaceOfRowsAndAHeavyRowTakesSeveralSteps) {
  Deltoids deltoids(newton(64, true), false);
  RowBlock a = items({{kTea, 50}, {kMilk, 50}}), b = items({{kTea, 50}, {kMilk, 50}});
  a.weights.assign(100, 1.0f);
  b.weights.assign(100, 1.0f);
  for (std::size_t i = 0; i < 100; ++i)
    if (a.keys[i] == kTea) a.weights[i] = 9.0f;  // tea in a costs nine times as much
  mix_all(deltoids, a, b);
  EXPECT_EQ(deltoids.totals().amounts, (std::array<double, 2>{500, 100}));
  const auto rows = rows_of(deltoids);
  EXPECT_EQ(rows.at(kTea).count->amounts, (std::array<double, 2>{450, 50}));
  EXPECT_EQ(rows.at(kTea).count->rows, (std::array<std::uint32_t, 2>{50, 50}));
  EXPECT_GT(rows.at(kTea).weight, 0);
  EXPECT_LT(rows.at(kMilk).weight, 0);
}

TEST(BoundedPairCounter, TheMoreImportantItemIsCountedFromZero) {
  BoundedPairCounter counter(8, false);
  DeltoidTotals totals;
  for (Key key = 0; key < 8; ++key) counter.add(key, 0, 1, 1.0f + static_cast<float>(key), totals);
  totals.amounts = {100, 50};
  counter.add(99, 1, 1, 0.5f, totals);  // less important than all: not counted
  EXPECT_FALSE(counter.find(99).has_value());
  counter.add(99, 1, 1, 5.0f, totals);  // takes the place of the least important
  ASSERT_TRUE(counter.find(99).has_value());
  EXPECT_FALSE(counter.find(0).has_value());
  EXPECT_EQ(counter.find(99)->rows, (std::array<std::uint32_t, 2>{0, 1}));
  EXPECT_EQ(counter.find(99)->since, (std::array<double, 2>{100, 50}));
  EXPECT_EQ(counter.n_tried(), 9u);
  EXPECT_EQ(counter.nbytes(), BoundedPairCounter::bytes_for(8, false));
  BoundedPairCounter nothing(0, false);
  nothing.add(1, 0, 1, 1, totals);
  EXPECT_FALSE(nothing.find(1).has_value());
}

TEST(ExactPairCounter, CountsEveryItem) {
  ExactPairCounter counter;
  for (Key key = 0; key < 1000; ++key) counter.add(key, static_cast<int>(key % 2), 2, 0, {});
  EXPECT_EQ(counter.n_tried(), 1000u);
  EXPECT_EQ(counter.find(7)->amounts, (std::array<double, 2>{0, 2}));
  EXPECT_FALSE(counter.find(1000).has_value());
}

}  // namespace
}  // namespace wmsketch
