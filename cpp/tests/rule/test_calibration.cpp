#include <gtest/gtest.h>

#include "wmsketch/data/random.hpp"
#include "wmsketch/rule/calibration.hpp"

namespace wmsketch {
namespace {

Calibration learned(double truth, std::uint64_t seed, int n = 20000) {
  Calibration calibration;
  Random random(seed);
  for (int i = 0; i < n; ++i) {
    const double margin = static_cast<double>(random.next() % 4000) / 1000 - 2;
    const double drawn = static_cast<double>(random.next() >> 11) * 0x1p-53;
    calibration.learn(margin, sigmoid(calibration.scale * margin), drawn < sigmoid(truth * margin), 1);
  }
  return calibration;
}

TEST(Calibration, FindsTheScaleOfTheMargins) {
  for (const double truth : {0.5, 1.0, 2.0}) EXPECT_NEAR(learned(truth, 3).scale, truth, 0.1 * truth);
}

TEST(Calibration, IsOneBeforeTheFirstRow) { EXPECT_EQ(Calibration{}.scale, 1); }

TEST(Calibration, MergesInEitherOrderToTheSameBits) {
  const Calibration one = learned(0.5, 1, 3000), other = learned(2.0, 2, 9000);
  Calibration left = one, right = other;
  left.merge(other, {});
  right.merge(one, {});
  EXPECT_EQ(left.scale, right.scale);
  EXPECT_EQ(left.information, right.information);
  EXPECT_GT(left.scale, one.scale);
  EXPECT_LT(left.scale, other.scale);
}

TEST(Calibration, CountsABaseOnceInAnyOrder) {
  const Calibration base = learned(0.5, 1, 3000);
  Calibration one = base, other = base;
  for (int i = 0; i < 2000; ++i) one.learn(1.0, sigmoid(one.scale), i % 4 != 0, 1);
  for (int i = 0; i < 500; ++i) other.learn(2.0, sigmoid(2 * other.scale), i % 8 != 0, 1);
  Calibration left = one, right = other, alone = base;
  left.merge(other, base);
  right.merge(one, base);
  EXPECT_EQ(left.scale, right.scale);
  EXPECT_EQ(left.information, right.information);
  alone.merge(base, base);
  EXPECT_DOUBLE_EQ(alone.scale, base.scale);
  EXPECT_DOUBLE_EQ(alone.information, base.information);
}

TEST(Calibration, StaysWithinItsLimits) {
  Calibration calibration;
  for (int i = 0; i < 100000; ++i) calibration.learn(i % 2 == 0 ? 1e30 : -1e30, i % 2 == 0, i % 2 != 0, 1e15);
  calibration.check();
  EXPECT_EQ(calibration.scale, Calibration::kLeast);
}

}  // namespace
}  // namespace wmsketch
