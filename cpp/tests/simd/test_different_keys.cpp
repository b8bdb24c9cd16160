#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "wmsketch/data/random.hpp"
#include "wmsketch/simd/different_keys.hpp"

namespace wmsketch {
namespace {

TEST(DifferentKeys, AreThoseWithoutARepeat) {
  Random random(5);
  DifferentKeys different;
  int n_different = 0;
  for (int round = 0; round < 3000; ++round) {  // more rows than a byte can number
    const std::size_t n = random.below(round % 20 == 0 ? 700 : 140);
    const std::uint32_t most = round % 3 == 0 ? 2000 : 0xffffffffu;
    std::vector<Key> keys;
    for (std::size_t i = 0; i < n; ++i) keys.push_back(static_cast<Key>(random.below(most)));
    if (n > 1 && round % 5 == 0) keys[random.below(n)] = keys[random.below(n)];
    const bool expected = std::set<Key>(keys.begin(), keys.end()).size() == n;
    n_different += expected;
    EXPECT_EQ(different.are_in(keys.data(), n), expected) << round;
  }
  EXPECT_GT(n_different, 500);
  EXPECT_LT(n_different, 2500);
}

TEST(DifferentKeys, WithEqualHashesAreDifferent) {
  DifferentKeys different;
  const std::vector<Key> keys = {0, 0xe8b2f51u, 5};  // the product of the second with the factor is 1
  EXPECT_TRUE(different.are_in(keys.data(), keys.size()));
}

}  // namespace
}  // namespace wmsketch
