#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "wmsketch/counters/past_counts.hpp"

namespace wmsketch {
namespace {

TEST(ShortCount, IsExactUpTo8191AndUnbiasedAbove) {
  Random random(1);
  std::uint16_t code = 0;
  for (int n = 1; n <= 8191; ++n) {
    code = ShortCount::next(code, random);
    ASSERT_EQ(ShortCount::value(code), n);
    ASSERT_EQ(ShortCount::most(code), n);
  }
  constexpr int kRuns = 100, kRows = 200'000;
  double sum = 0, squares = 0;
  for (int run = 0; run < kRuns; ++run) {
    code = 0;
    for (int i = 0; i < kRows; ++i) code = ShortCount::next(code, random);
    const double error = ShortCount::value(code) / kRows - 1;
    sum += error;
    squares += error * error;
    EXPECT_GE(ShortCount::most(code), kRows);
  }
  EXPECT_NEAR(sum / kRuns, 0, 0.003);
  EXPECT_NEAR(std::sqrt(squares / kRuns), ShortCount::kDeviation, 0.003);
  EXPECT_EQ(ShortCount::next(ShortCount::kMask, random), ShortCount::kMask);  // saturates
  EXPECT_TRUE(std::isinf(ShortCount::most(ShortCount::kMask)));
}

TEST(ShortCount, RoundsUpLargeAmounts) {
  for (double count = 0; count < 1e8; count = count * 1.3 + 1) {
    const double value = ShortCount::value(ShortCount::at_least(count));
    EXPECT_GE(value, count);
    EXPECT_LE(value, std::max(std::ceil(count), count * (1 + 1.0 / 4096)));
  }
  EXPECT_EQ(ShortCount::at_least(1e12), ShortCount::kMask);
}

TEST(PastCounts, DoesNotUnderestimateAndMerges) {
  for (const bool fractional : {false, true}) {
    PastCounts both(64, {1, 2}, fractional), parts[2] = {both, both};
    std::map<Key, PastCounts::Amounts> truth;
    Random random(3);
    for (int i = 0; i < 20'000; ++i) {
      const Key key = random.below(200) * random.below(200);
      const std::size_t side = random.below(3) == 0 ? 0 : 1;
      PastCounts::Amounts amounts{};
      amounts[side] = fractional ? 0.3 : 1 + random.below(2);
      both.add(key, amounts);
      parts[random.below(2)].add(key, amounts);
      truth[key][side] += amounts[side];
    }
    parts[0].merge(parts[1]);
    for (const auto& [key, amounts] : truth)
      for (std::size_t s = 0; s < 2; ++s) {
        EXPECT_GE(both.most(key)[s], amounts[s] - 1e-6);
        EXPECT_GE(parts[0].most(key)[s], amounts[s] - 1e-6);
      }
    EXPECT_GT(both.load()[1], both.load()[0]);
    const PastCounts::Amounts before = both.most(0);
    both.scale(0.5);
    EXPECT_NEAR(both.most(0)[1], before[1] / 2, 1);
    EXPECT_GE(both.most(0)[1], before[1] / 2);
  }
}

}  // namespace
}  // namespace wmsketch
