#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "wmsketch/counters/count_min.hpp"
#include "wmsketch/counters/frequency_sketch.hpp"
#include "wmsketch/counters/tracked.hpp"
#include "wmsketch/data/random.hpp"

namespace wmsketch {
namespace {

TEST(FrequencySketch, IsExactWithoutCollisions) {
  for (const std::uint32_t depth : {1u, 2u, 5u, 6u}) {
    FrequencySketch sketch(depth, 1000, 3);
    EXPECT_EQ(sketch.update(7, 5), 5.0);
    EXPECT_EQ(sketch.update(7, -9), -4.0);
    EXPECT_EQ(sketch.estimate(7), -4.0);
    const auto [count, low, high] = sketch.bounds(7, sketch.row_noise(0.05));
    EXPECT_EQ(low, -4.0);
    EXPECT_EQ(high, -4.0);
    EXPECT_EQ(sketch.total(), 14u);
  }
}

TEST(FrequencySketch, BoundsHoldWithTheirProbability) {
  for (const std::uint32_t depth : {1u, 3u, 4u, 5u}) {
    FrequencySketch sketch(depth, 64, 11);
    std::map<Key, std::int64_t> exact;
    Random random(depth);
    for (int i = 0; i < 20000; ++i) {
      const Key key = random.below(1 + random.below(2000));
      sketch.update(key, 1);
      ++exact[key];
    }
    const auto noise = sketch.row_noise(0.05);
    double missed = 0;
    for (const auto& [key, count] : exact) {
      const auto [estimate, low, high] = sketch.bounds(key, noise);
      missed += static_cast<double>(count) < low || static_cast<double>(count) > high;
    }
    EXPECT_LE(missed / static_cast<double>(exact.size()), 0.05) << "depth " << depth;
  }
}

TEST(FrequencySketch, UpdateManyAndMergesEqualOneLongRun) {
  Random random(4);
  std::vector<Key> keys;
  std::vector<std::int64_t> amounts;
  FrequencySketch whole(3, 40, 1), a = whole, b = whole;
  for (int i = 0; i < 1000; ++i) {
    keys.push_back(random.below(500));
    amounts.push_back(static_cast<std::int64_t>(random.below(9)) - 4);
    whole.update(keys.back(), amounts.back());
  }
  const std::span<const Key> all(keys);
  const std::span<const std::int64_t> how_often(amounts);
  a.update_many(all.first(300), how_often.first(300));
  b.update_many(all.subspan(300), how_often.subspan(300));
  a.merge(b);
  EXPECT_TRUE(std::ranges::equal(a.cells(), whole.cells()));
  EXPECT_EQ(a.total(), whole.total());
  EXPECT_THROW(a.merge(FrequencySketch(3, 41, 1)), std::invalid_argument);
  EXPECT_THROW(a.merge(FrequencySketch(3, 40, 2)), std::invalid_argument);
}

TEST(FrequencySketch, CellsSaturate) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                         least = std::numeric_limits<std::int64_t>::min();
  FrequencySketch sketch(3, 50, 0);
  EXPECT_GE(sketch.update(1, most), 2147483647.0);
  EXPECT_LE(sketch.update(1, least), -2147483647.0);
  EXPECT_GE(sketch.bounds(1, sketch.row_noise(0.05)).high, 0.0);
}

TEST(Tracked, ListsTheHeaviestWithTheirNames) {
  Tracked<CountMin> counter(CountMin(4, 2000, 0), HeavyKeys(10, 10 * 20));
  for (Key key = 0; key < 100; ++key) counter.update(key, "key" + std::to_string(key), std::uint64_t{key} * key);
  const auto slots = counter.heaviest_slots();
  ASSERT_EQ(slots.size(), 10u);
  for (std::uint32_t i = 0; i < 10; ++i) {
    EXPECT_EQ(counter.heavy().key(slots[i]), 99 - i);
    EXPECT_EQ(counter.heavy().names().get(slots[i]), "key" + std::to_string(99 - i));
  }
}

TEST(Tracked, MergeKeepsTheHeaviestOfBoth) {
  Tracked<FrequencySketch> a(FrequencySketch(5, 2000, 0), HeavyKeys(6, 60)), b = a;
  for (Key key = 0; key < 20; ++key) a.update(key, key % 2 ? std::string(40, 'n') : "", std::int64_t{key});
  for (Key key = 10; key < 30; ++key) b.update(key, "b" + std::to_string(key), -3 * std::int64_t{key});
  a.merge(b);
  std::vector<Key> heaviest;
  for (const std::uint32_t slot : a.heaviest_slots()) {
    heaviest.push_back(a.heavy().key(slot));
    EXPECT_EQ(a.heavy().names().get(slot), "b" + std::to_string(heaviest.back()));
  }
  EXPECT_EQ(heaviest, (std::vector<Key>{29, 28, 27, 26, 25, 24}));
  Tracked<FrequencySketch> c(FrequencySketch(5, 2000, 0), HeavyKeys(6, 60)), d = c;
  c.update(1, std::string(100, 'x'), std::int64_t{1});
  ASSERT_TRUE(c.heavy().names().shortened(0));
  d.merge(c);
  EXPECT_TRUE(d.heavy().names().shortened(0));  // a truncated name stays marked
}

TEST(Tracked, WithoutCapacityItOnlyCounts) {
  Tracked<CountMin> counter(CountMin(4, 100, 0), HeavyKeys(0, 0));
  counter.update(3, "three", std::uint64_t{5});
  EXPECT_EQ(counter.sketch().estimate(3), 5u);
  EXPECT_TRUE(counter.heaviest_slots().empty());
}

}  // namespace
}  // namespace wmsketch
