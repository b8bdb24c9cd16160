#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "explain_rows.hpp"
#include "wmsketch/apps/diff/diff.hpp"
#include "wmsketch/apps/diff/diff_table.hpp"
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

std::unique_ptr<DiffMethod> count_table(bool weighted = false, std::uint32_t lines = 8) {
  return std::make_unique<DiffTable>(DiffTable::Shape{lines, 64, 0, 0, weighted}, 0);
}

std::unique_ptr<DiffMethod> pair_of_sketches() {
  return std::make_unique<CountMinDiff>(PairedCountMin(4, 512, 0), HeavyKeys(16, 0));
}

std::array<std::size_t, 2> mix_all(Diff& diff, const RowBlock& a, const RowBlock& b) {
  DiffCursor left{&a}, right{&b};
  const double n = static_cast<double>(a.size() + b.size());
  auto taken = diff.mix(left, right, static_cast<double>(a.size()) / n);
  DiffCursor rest_a{left.row < a.size() ? &a : nullptr, left.row};
  DiffCursor rest_b{right.row < b.size() ? &b : nullptr, right.row};
  const auto rest = diff.mix(rest_a, rest_b, 0.5);
  return {taken[0] + rest[0], taken[1] + rest[1]};
}

std::map<Key, DiffRow> rows_of(const Diff& diff) {
  std::map<Key, DiffRow> rows;
  for (const DiffRow& row : diff.rows()) rows.emplace(row.key, row);
  return rows;
}

TEST(Diff, CountsAndWeightsFollowTheRatio) {
  Diff diff(count_table(), false);
  const RowBlock a = items({{kTea, 600}, {kMilk, 300}}), b = items({{kTea, 200}, {kMilk, 300}, {kJam, 400}});
  EXPECT_EQ(mix_all(diff, a, b), (std::array<std::size_t, 2>{900, 900}));
  EXPECT_EQ(diff.totals().rows, (std::array<double, 2>{900, 900}));
  const auto rows = rows_of(diff);
  ASSERT_EQ(rows.size(), 3u);
  ASSERT_TRUE(rows.at(kTea).count.has_value());
  EXPECT_EQ(rows.at(kTea).count->rows, (std::array<std::uint32_t, 2>{600, 200}));
  EXPECT_EQ(rows.at(kJam).count->rows, (std::array<std::uint32_t, 2>{0, 400}));
  EXPECT_NEAR(rows.at(kTea).weight, std::log(3.0), 0.25);
  EXPECT_NEAR(rows.at(kMilk).weight, 0.0, 0.25);
  EXPECT_LT(rows.at(kJam).weight, -3);
  for (const auto& [key, row] : rows) EXPECT_TRUE(row.low < row.weight && row.weight < row.high);
  EXPECT_EQ(diff.n_tried(), 3u);
}

TEST(Diff, RowsOfTheLongerStreamHaveASmallerWeight) {
  for (const bool sketches : {false, true}) {
    Diff diff(sketches ? pair_of_sketches() : count_table(), false);
    mix_all(diff, items({{kTea, 100}, {kMilk, 100}}), items({{kTea, 2000}, {kMilk, 2000}}));
    EXPECT_NEAR(diff.weight(kTea), 0.0, 0.35);
    EXPECT_NEAR(diff.weight(kMilk), 0.0, 0.35);
  }
}

TEST(Diff, EqualStreamsHaveNoDifference) {
  Diff diff(count_table(), false);
  const RowBlock same = items({{kTea, 50}, {kMilk, 50}, {kJam, 50}});
  mix_all(diff, same, same);
  for (const auto& [key, row] : rows_of(diff)) {
    EXPECT_EQ(row.count->rows[0], row.count->rows[1]);
    EXPECT_NEAR(row.weight, 0.0, 0.3);
  }
}

TEST(Diff, AcceptsOneStreamOrNone) {
  Diff none(count_table(), false);
  EXPECT_EQ(mix_all(none, RowBlock(), RowBlock()), (std::array<std::size_t, 2>{0, 0}));
  EXPECT_TRUE(none.rows().empty());
  Diff one(count_table(), false);
  const RowBlock a = items({{kTea, 40}});
  DiffCursor left{&a}, right;
  EXPECT_EQ(one.mix(left, right, 1.0), (std::array<std::size_t, 2>{40, 0}));
  EXPECT_EQ(one.totals().rows, (std::array<double, 2>{40, 0}));
  for (const DiffRow& row : one.rows()) EXPECT_TRUE(std::isfinite(row.weight));
}

TEST(Diff, InterleavesInProportionUntilABlockEnds) {
  Diff diff(count_table(), false);
  const RowBlock a = items({{kTea, 10}}), b = items({{kMilk, 1000}});
  DiffCursor left{&a}, right{&b};
  const auto taken = diff.mix(left, right, 0.1);
  EXPECT_EQ(taken[0], 10u);
  EXPECT_NEAR(static_cast<double>(taken[1]), 90, 12);  // stops early: the next block of a may have more rows
  EXPECT_EQ(right.row, taken[1]);
}

TEST(Diff, RowsWithOneValueOfAColumnFormAStream) {
  TableRows table;
  for (int i = 0; i < 60; ++i)
    table.add({{"origin", i % 2 == 0 ? "JFK" : "LGA"}, {"carrier", i % 2 == 0 ? "B6" : "DL"}});
  Diff diff(count_table(), false);
  DiffCursor a{&table, 0, key_of_name("origin=JFK")}, b{&table, 0, key_of_name("origin=LGA")};
  const auto taken = diff.mix(a, b, 0.5);
  EXPECT_GE(taken[0] + taken[1], 58u);
  const auto rows = rows_of(diff);
  EXPECT_EQ(rows.count(key_of_name("origin=JFK")), 0u);  // the value that selects a stream is not an item
  EXPECT_GT(rows.at(key_of_name("carrier=B6")).weight, 1);
  EXPECT_LT(rows.at(key_of_name("carrier=DL")).weight, -1);
}

TEST(Diff, RatesPerItemCountItems) {
  TableRows words;
  words.add({{"", "to"}, {"", "be"}});
  for (const bool per_item : {false, true}) {
    Diff diff(count_table(), per_item);
    mix_all(diff, words, words);
    EXPECT_EQ(diff.totals().rows[0], per_item ? 2.0 : 1.0);
  }
}

TEST(Diff, CountsAmountsAndLearnsAHeavyRowInSeveralSteps) {
  Diff diff(count_table(true), false);
  RowBlock a = items({{kTea, 50}, {kMilk, 50}}), b = items({{kTea, 50}, {kMilk, 50}});
  a.weights.assign(100, 1.0f);
  b.weights.assign(100, 1.0f);
  for (std::size_t i = 0; i < 100; ++i)
    if (a.keys[i] == kTea) a.weights[i] = 9.0f;  // tea in a costs nine times as much
  mix_all(diff, a, b);
  EXPECT_EQ(diff.totals().amounts, (std::array<double, 2>{500, 100}));
  const auto rows = rows_of(diff);
  EXPECT_EQ(rows.at(kTea).count->amounts, (std::array<double, 2>{450, 50}));
  EXPECT_EQ(rows.at(kTea).count->rows, (std::array<std::uint32_t, 2>{50, 50}));
  EXPECT_GT(rows.at(kTea).weight, 0);
  EXPECT_LT(rows.at(kMilk).weight, 0);
}

TEST(DiffTable, KeepsSignificantItemsAndDoesNotReadmitEvenOnes) {
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
  Diff diff(count_table(false, 2), false);
  mix_all(diff, a, b);
  const auto rows = rows_of(diff);
  int uneven = 0;
  for (const auto& [key, row] : rows) uneven += key >= 1000 && row.low * row.high > 0;
  EXPECT_EQ(uneven, 8);
  for (const auto& [key, row] : rows)
    if (key < 1000) EXPECT_LT(std::abs(row.weight), 1.5) << key;
}

TEST(DiffTable, UsesTheReportedBytes) {
  for (const bool weighted : {false, true}) {
    const DiffTable::Shape small{10, 64, 0, 0, weighted}, large{110, 64, 0, 0, weighted},
        named{110, 64, 880, 880 * 24, weighted}, few_names{110, 64, 220, 220 * 24, weighted};
    // a key, two counts, two bounds; for each line the number of its items
    EXPECT_EQ(DiffTable::bytes_for(large) - DiffTable::bytes_for(small), 800u * (weighted ? 52 : 10) + 100);
    const std::size_t longer = weighted ? 0 : 880 * 4;  // the counts of items with names have 32 bits
    EXPECT_EQ(DiffTable::bytes_for(named) - DiffTable::bytes_for(large), longer + 880u * (4 + 24));
    EXPECT_EQ(DiffTable::bytes_for(few_names) - DiffTable::bytes_for(large), longer + 880u * 2 + 220 * (4 + 24) + 28);
    EXPECT_EQ(DiffTable(named, 0).nbytes(), DiffTable::bytes_for(named));
  }
}

TEST(DiffTable, KeepsTheNamesOfItemsThatDifferMost) {
  TableRows a, b;
  for (int i = 0; i < 600; ++i) {  // 200 even items that keep coming, and four that differ from the middle on
    a.add({{"item", "even " + std::to_string(i % 200)}});
    b.add({{"item", "even " + std::to_string(i % 200)}});
    if (i >= 300) a.add({{"item", "uneven " + std::to_string(i % 4)}});
  }
  a.named = b.named = true;
  Diff diff(std::make_unique<DiffTable>(DiffTable::Shape{40, 64, 16, 16 * 24, false}, 0), false);
  mix_all(diff, a, b);
  std::size_t named = 0;
  std::map<std::string, std::array<std::uint32_t, 2>> found;
  for (const DiffRow& row : diff.rows()) {
    named += !row.nameless;
    EXPECT_EQ(row.nameless, row.name.empty());
    found[row.name] = row.count->rows;
  }
  EXPECT_LE(named, 16u);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(found["item=uneven " + std::to_string(i)], (std::array<std::uint32_t, 2>{75, 0})) << i;
}

TEST(DiffTable, AnItemThatEntersLateCarriesABoundOnWhatItMissed) {
  RowBlock a, b;
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {  // two carriers equally often in both streams, in another order, and 500 others
    add(a, i < 10'000 ? kTea : kMilk);
    add(b, i < 10'000 ? kMilk : kTea);
    add(a, 1000 + random.below(500));
    add(b, 1000 + random.below(500));
  }
  Diff diff(count_table(false, 2), false);
  mix_all(diff, a, b);
  EXPECT_FALSE(diff.is_whole());
  std::map<Key, std::array<double, 2>> truth;
  for (const Key key : a.keys) truth[key][0] += 1;
  for (const Key key : b.keys) truth[key][1] += 1;
  for (const auto& [key, row] : rows_of(diff))
    for (std::size_t s = 0; s < 2; ++s)
      EXPECT_GE(row.count->amounts[s] + row.count->missed[s] + row.count->rounding[s], truth[key][s]) << key;
}

TEST(DiffTable, MergedBoundsHoldForBothStreams) {
  Diff left(count_table(false, 2), false), right(count_table(false, 2), false);
  std::map<Key, double> truth;
  for (Diff* one : {&left, &right}) {
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
