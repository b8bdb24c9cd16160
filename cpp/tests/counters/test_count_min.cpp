#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "wmsketch/counters/count_min.hpp"
#include "wmsketch/counters/paired_count_min.hpp"
#include "wmsketch/data/random.hpp"

namespace wmsketch {
namespace {

// A skewed stream: a few frequent keys, many rare ones.
std::vector<Key> skewed_stream(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<Key> keys(n);
  for (Key& key : keys) key = random.below(1 + random.below(3000));
  return keys;
}

TEST(CountMin, NeverUnderestimatesAndConservativeIsNeverWorse) {
  CountMin plain(3, 200, 1), conservative(3, 200, 1, HashFamily::mixer, true);
  std::map<Key, std::uint32_t> exact;
  for (const Key key : skewed_stream(20000, 2)) {
    for (CountMin* sketch : {&plain, &conservative}) {
      const std::uint32_t returned = sketch->update(key);
      ASSERT_EQ(returned, sketch->estimate(key));
    }
    ++exact[key];
  }
  for (const auto& [key, count] : exact) {
    EXPECT_GE(conservative.estimate(key), count);
    EXPECT_GE(plain.estimate(key), conservative.estimate(key));
  }
  EXPECT_EQ(plain.total(), 20000u);
  EXPECT_EQ(plain.nbytes(), 3u * 200 * 4 + 3 * 8);
}

TEST(CountMin, UpdateManyEqualsSingleUpdates) {
  for (const bool conservative : {false, true}) {
    const auto keys = skewed_stream(1000, 3);
    std::vector<std::uint64_t> amounts;
    CountMin one_by_one(4, 50, 9, HashFamily::mixer, conservative), at_once = one_by_one;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      amounts.push_back(i % 5);
      one_by_one.update(keys[i], i % 5);
    }
    at_once.update_many(keys, amounts);
    EXPECT_TRUE(std::ranges::equal(at_once.cells(), one_by_one.cells()));
    EXPECT_EQ(at_once.total(), one_by_one.total());
  }
}

TEST(CountMin, MergingEqualsOneLongRun) {
  const auto left = skewed_stream(3000, 4), right = skewed_stream(2000, 5);
  CountMin whole(2, 100, 6), a = whole, b = whole;
  whole.update_many(left, {});
  whole.update_many(right, {});
  a.update_many(left, {});
  b.update_many(right, {});
  a.merge(b);
  EXPECT_TRUE(std::ranges::equal(a.cells(), whole.cells()));
  EXPECT_EQ(a.total(), 5000u);
}

TEST(CountMin, MergingNamesWhatDiffers) {
  CountMin sketch(2, 100, 6);
  const auto message = [&](const CountMin& other) {
    try {
      sketch.merge(other);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(CountMin(3, 100, 6)), "cannot merge: depth differs (2 and 3)");
  EXPECT_EQ(message(CountMin(2, 101, 6)), "cannot merge: width differs (100 and 101)");
  EXPECT_EQ(message(CountMin(2, 100, 7)), "cannot merge: seed differs (6 and 7)");
  EXPECT_NE(message(CountMin(2, 100, 6, HashFamily::tabulation)), "");
  EXPECT_NE(message(CountMin(2, 100, 6, HashFamily::mixer, true)), "");
}

TEST(CountMin, CellsSaturate) {
  CountMin sketch(2, 10, 0);
  sketch.update(1, 0xfffffff0u);
  sketch.update(1, 100);
  EXPECT_EQ(sketch.estimate(1), 0xffffffffu);
  sketch.update(1, ~std::uint64_t{0});
  EXPECT_EQ(sketch.estimate(1), 0xffffffffu);
  EXPECT_EQ(sketch.total(), ~std::uint64_t{0});
  EXPECT_EQ(sketch.bounds(1, 0.05).high, sketch.total());
  CountMin other = sketch;
  other.merge(sketch);
  EXPECT_EQ(other.estimate(1), 0xffffffffu);
}

TEST(CountMin, RejectsShapesWithoutCells) {
  EXPECT_THROW(CountMin(0, 5, 0), std::invalid_argument);
  EXPECT_THROW(CountMin(5, 0, 0), std::invalid_argument);
  EXPECT_THROW(CountMin(65, 5, 0), std::invalid_argument);
  CountMin sketch(1, 5, 0);
  EXPECT_THROW(sketch.update_many(std::vector<Key>{1, 2}, std::vector<std::uint64_t>{1}), std::invalid_argument);
  EXPECT_THROW(sketch.restore(std::vector<std::uint32_t>(4), 0), std::invalid_argument);
  EXPECT_EQ(sketch.total(), 0u);
}

TEST(PairedCountMin, RatiosUseSmoothedCounts) {
  PairedCountMin pair(4, 1000, 0, 0.5);
  EXPECT_EQ(pair.estimate(3), 0.0);
  EXPECT_DOUBLE_EQ(pair.update(3, 10, 2), std::log(10.5 / 2.5));
  EXPECT_DOUBLE_EQ(pair.update(4, 0, 7), std::log(0.5 / 7.5));
  const auto bounds = pair.bounds(3, 0.05);
  EXPECT_EQ(bounds.count_a, 10u);
  EXPECT_EQ(bounds.count_b, 2u);
  EXPECT_LE(bounds.low, bounds.log_ratio);
  EXPECT_GE(bounds.high, bounds.log_ratio);
  PairedCountMin unsmoothed(4, 1000, 0, 0.0);
  EXPECT_EQ(unsmoothed.estimate(1), 0.0);
  EXPECT_TRUE(std::isinf(unsmoothed.update(1, 1, 0)));
  EXPECT_THROW(pair.merge(unsmoothed), std::invalid_argument);
  EXPECT_THROW(PairedCountMin(4, 10, 0, -1.0), std::invalid_argument);
  EXPECT_THROW(PairedCountMin(4, 10, 0, std::nan("")), std::invalid_argument);
}

}  // namespace
}  // namespace wmsketch
