#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "explain_rows.hpp"
#include "wmsketch/apps/diff/deltoids.hpp"
#include "wmsketch/apps/diff/deltoids_awm.hpp"
#include "wmsketch/data/random.hpp"

namespace wmsketch {
namespace {

constexpr Key kTea = 1, kMilk = 2, kJam = 3;

void add(RowBlock& block, Key key) {
  block.keys.push_back(key);
  block.values.push_back(1.0f);
  block.starts.push_back(static_cast<std::int64_t>(block.keys.size()));
}

// Rows with the given number of each item, in mixed order.
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

std::unique_ptr<DeltoidMethod> awm(bool weighted = false, std::uint32_t lines = 8) {
  return std::make_unique<AwmDeltoids>(AwmDeltoids::Shape{lines, 64, 0, 0, weighted}, 0);
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
  Deltoids deltoids(awm(), false);
  const RowBlock a = items({{kTea, 600}, {kMilk, 300}}), b = items({{kTea, 200}, {kMilk, 300}, {kJam, 400}});
  EXPECT_EQ(mix_all(deltoids, a, b), (std::array<std::size_t, 2>{900, 900}));
  EXPECT_EQ(deltoids.totals().rows, (std::array<double, 2>{900, 900}));
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

TEST(Deltoids, RowsOfTheLongerStreamHaveASmallerWeight) {
  for (const bool sketches : {false, true}) {
    Deltoids deltoids(sketches ? pair_of_sketches() : awm(), false);
    mix_all(deltoids, items({{kTea, 100}, {kMilk, 100}}), items({{kTea, 2000}, {kMilk, 2000}}));
    EXPECT_NEAR(deltoids.weight(kTea), 0.0, 0.35);
    EXPECT_NEAR(deltoids.weight(kMilk), 0.0, 0.35);
  }
}

TEST(Deltoids, EqualStreamsHaveNoDifference) {
  Deltoids deltoids(awm(), false);
  const RowBlock same = items({{kTea, 50}, {kMilk, 50}, {kJam, 50}});
  mix_all(deltoids, same, same);
  for (const auto& [key, row] : rows_of(deltoids)) {
    EXPECT_EQ(row.count->rows[0], row.count->rows[1]);
    EXPECT_NEAR(row.weight, 0.0, 0.3);
  }
}

TEST(Deltoids, AcceptsOneStreamOrNone) {
  Deltoids none(awm(), false);
  EXPECT_EQ(mix_all(none, RowBlock(), RowBlock()), (std::array<std::size_t, 2>{0, 0}));
  EXPECT_TRUE(none.rows().empty());
  Deltoids one(awm(), false);
  const RowBlock a = items({{kTea, 40}});
  DeltoidCursor left{&a}, right;
  EXPECT_EQ(one.mix(left, right, 1.0), (std::array<std::size_t, 2>{40, 0}));
  EXPECT_EQ(one.totals().rows, (std::array<double, 2>{40, 0}));
  for (const DeltoidRow& row : one.rows()) EXPECT_TRUE(std::isfinite(row.weight));
}

TEST(Deltoids, InterleavesInProportionUntilABlockEnds) {
  Deltoids deltoids(awm(), false);
  const RowBlock a = items({{kTea, 10}}), b = items({{kMilk, 1000}});
  DeltoidCursor left{&a}, right{&b};
  const auto taken = deltoids.mix(left, right, 0.1);
  EXPECT_EQ(taken[0], 10u);
  EXPECT_NEAR(static_cast<double>(taken[1]), 90, 12);  // stops early: the next block of a may have more rows
  EXPECT_EQ(right.row, taken[1]);
}

TEST(Deltoids, RowsWithOneValueOfAColumnFormAStream) {
  TableRows table;
  for (int i = 0; i < 60; ++i)
    table.add({{"origin", i % 2 == 0 ? "JFK" : "LGA"}, {"carrier", i % 2 == 0 ? "B6" : "DL"}});
  Deltoids deltoids(awm(), false);
  DeltoidCursor a{&table, 0, key_of_name("origin=JFK")}, b{&table, 0, key_of_name("origin=LGA")};
  const auto taken = deltoids.mix(a, b, 0.5);
  EXPECT_GE(taken[0] + taken[1], 58u);
  const auto rows = rows_of(deltoids);
  EXPECT_EQ(rows.count(key_of_name("origin=JFK")), 0u);  // the value that selects a stream is not an item
  EXPECT_GT(rows.at(key_of_name("carrier=B6")).weight, 1);
  EXPECT_LT(rows.at(key_of_name("carrier=DL")).weight, -1);
}

TEST(Deltoids, RatesPerItemCountItems) {
  TableRows words;
  words.add({{"", "to"}, {"", "be"}});
  for (const bool per_item : {false, true}) {
    Deltoids deltoids(awm(), per_item);
    mix_all(deltoids, words, words);
    EXPECT_EQ(deltoids.totals().rows[0], per_item ? 2.0 : 1.0);
  }
}

TEST(Deltoids, CountsAmountsAndLearnsAHeavyRowInSeveralSteps) {
  Deltoids deltoids(awm(true), false);
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

TEST(AwmDeltoids, KeepsSignificantItemsAndDoesNotReadmitEvenOnes) {
  // 40 frequent items come in bursts, first in one stream, then in the other; a few rarer ones only in one
  RowBlock a, b;
  for (int round = 0; round < 400; ++round)
    for (Key i = 0; i < 12; ++i) {
      const Key even = 100 + static_cast<Key>(round % 20) * 2;
      add(a, i == 0 ? 1000 + static_cast<Key>(round % 4) : even);
      add(b, i == 0 ? 2000 + static_cast<Key>(round % 4) : even + 1);
      add(a, even + 1);
      add(b, even);
    }
  Deltoids deltoids(awm(false, 2), false);
  mix_all(deltoids, a, b);
  const auto rows = rows_of(deltoids);
  int uneven = 0;
  for (const auto& [key, row] : rows) uneven += key >= 1000 && row.low * row.high > 0;
  EXPECT_EQ(uneven, 8);
  for (const auto& [key, row] : rows)
    if (key < 1000) EXPECT_LT(std::abs(row.weight), 1.5) << key;
}

TEST(AwmDeltoids, UsesTheReportedBytes) {
  for (const bool weighted : {false, true}) {
    const AwmDeltoids::Shape small{10, 64, 0, 0, weighted}, large{110, 64, 0, 0, weighted},
        named{110, 64, 880, 880 * 24, weighted}, few_names{110, 64, 220, 220 * 24, weighted};
    // a key, two counts, two bounds; for each line the number of its items
    EXPECT_EQ(AwmDeltoids::bytes_for(large) - AwmDeltoids::bytes_for(small), 800u * (weighted ? 52 : 10) + 100);
    const std::size_t longer = weighted ? 0 : 880 * 4;  // the counts of items with names have 32 bits
    EXPECT_EQ(AwmDeltoids::bytes_for(named) - AwmDeltoids::bytes_for(large), longer + 880u * (4 + 24));
    EXPECT_EQ(AwmDeltoids::bytes_for(few_names) - AwmDeltoids::bytes_for(large),
              longer + 880u * 2 + 220 * (4 + 24) + 28);
    EXPECT_EQ(AwmDeltoids(named, 0).nbytes(), AwmDeltoids::bytes_for(named));
  }
}

TEST(AwmDeltoids, KeepsTheNamesOfItemsThatDifferMost) {
  TableRows a, b;
  for (int i = 0; i < 600; ++i) {  // 200 even items that keep coming, and four that differ from the middle on
    a.add({{"item", "even " + std::to_string(i % 200)}});
    b.add({{"item", "even " + std::to_string(i % 200)}});
    if (i >= 300) a.add({{"item", "uneven " + std::to_string(i % 4)}});
  }
  a.named = b.named = true;
  Deltoids deltoids(std::make_unique<AwmDeltoids>(AwmDeltoids::Shape{40, 64, 16, 16 * 24, false}, 0), false);
  mix_all(deltoids, a, b);
  std::size_t named = 0;
  std::map<std::string, std::array<std::uint32_t, 2>> found;
  for (const DeltoidRow& row : deltoids.rows()) {
    named += !row.nameless;
    EXPECT_EQ(row.nameless, row.name.empty());
    found[row.name] = row.count->rows;
  }
  EXPECT_LE(named, 16u);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(found["item=uneven " + std::to_string(i)], (std::array<std::uint32_t, 2>{75, 0})) << i;
}

TEST(AwmDeltoids, AnItemThatEntersLateCarriesABoundOnWhatItMissed) {
  RowBlock a, b;
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {  // two carriers equally often in both streams, in another order, and 500 others
    add(a, i < 10'000 ? kTea : kMilk);
    add(b, i < 10'000 ? kMilk : kTea);
    add(a, 1000 + random.below(500));
    add(b, 1000 + random.below(500));
  }
  Deltoids deltoids(awm(false, 2), false);
  mix_all(deltoids, a, b);
  EXPECT_FALSE(deltoids.is_whole());
  std::map<Key, std::array<double, 2>> truth;
  for (const Key key : a.keys) truth[key][0] += 1;
  for (const Key key : b.keys) truth[key][1] += 1;
  for (const auto& [key, row] : rows_of(deltoids))
    for (std::size_t s = 0; s < 2; ++s)
      EXPECT_GE(row.count->amounts[s] + row.count->missed[s] + row.count->rounding[s], truth[key][s]) << key;
}

TEST(AwmDeltoids, MergedBoundsHoldForBothStreams) {
  Deltoids left(awm(false, 2), false), right(awm(false, 2), false);
  std::map<Key, double> truth;
  for (Deltoids* one : {&left, &right}) {
    RowBlock block = items({{kTea, 100}, {kMilk, 50}});
    for (Key key = 10; key < 60; ++key) {
      block.keys.push_back(key);
      block.values.push_back(1.0f);
      block.starts.push_back(static_cast<std::int64_t>(block.keys.size()));
    }
    for (const Key key : block.keys) truth[key] += 1;
    mix_all(*one, block, block);
  }
  left.merge(right);
  EXPECT_EQ(left.totals().rows, (std::array<double, 2>{400, 400}));
  for (const auto& [key, row] : rows_of(left)) {
    EXPECT_LE(row.count->amounts[0], truth[key]);
    EXPECT_GE(row.count->amounts[0] + row.count->missed[0], truth[key]);
  }
}

TEST(DistinctCounter, IsCloseToTheTrueCount) {
  for (const std::uint32_t n : {10u, 1000u, 200'000u}) {
    DistinctCounter counter;
    for (std::uint32_t i = 0; i < 3 * n; ++i) counter.add(mix(i % n, {1, 2}));
    EXPECT_NEAR(counter.estimate(), n, 0.2 * n);
  }
}

TEST(MissedCode, RoundsUpByLittle) {
  for (double missed = 0; missed < 1e9; missed = missed * 1.1 + 1) {
    const double most = MissedCode::most(MissedCode::of(missed));
    EXPECT_GE(most, missed);
    EXPECT_LE(most, std::max(8.0, missed * 1.125));
  }
  EXPECT_TRUE(std::isinf(MissedCode::most(MissedCode::of(1e12))));
}

TEST(ExactPairCounter, CountsEveryItem) {
  ExactPairCounter counter;
  for (Key key = 0; key < 1000; ++key) counter.add(key, static_cast<int>(key % 2), 2);
  EXPECT_EQ(counter.size(), 1000u);
  EXPECT_EQ(counter.find(7)->amounts, (std::array<double, 2>{0, 2}));
  EXPECT_FALSE(counter.find(1000).has_value());
}

}  // namespace
}  // namespace wmsketch
