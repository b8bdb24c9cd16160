#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "wmsketch/counters/reservoir.hpp"

namespace wmsketch {
namespace {

TEST(Reservoir, KeepsAllOfAShortStream) {
  Reservoir sample(5, 1, 100);
  for (Key key = 0; key < 3; ++key) EXPECT_EQ(sample.add(key + 10, "k" + std::to_string(key)), key);
  EXPECT_EQ(sample.size(), 3u);
  EXPECT_EQ(sample.key(2), 12u);
  EXPECT_EQ(sample.name(2), "k2");
}

TEST(Reservoir, EveryPositionOfTheStreamIsEquallyLikely) {
  constexpr int kRuns = 4000, kStream = 40, kCapacity = 8;
  std::vector<int> chosen(kStream, 0);
  for (int run = 0; run < kRuns; ++run) {
    Reservoir sample(kCapacity, static_cast<std::uint64_t>(run));
    for (Key key = 0; key < kStream; ++key) sample.add(key);
    for (const Key key : sample.keys()) ++chosen[key];
  }
  const double expected = double{kRuns} * kCapacity / kStream;
  const double deviation = std::sqrt(expected * (1 - double{kCapacity} / kStream));
  for (const int count : chosen) EXPECT_NEAR(count, expected, 4.5 * deviation);
}

TEST(Reservoir, NamesFollowTheirKeys) {
  Reservoir sample(16, 3, 16 * 12);
  for (Key key = 0; key < 2000; ++key) sample.add(key, std::to_string(key));
  for (std::uint32_t slot = 0; slot < 16; ++slot) EXPECT_EQ(sample.name(slot), std::to_string(sample.key(slot)));
  EXPECT_EQ(sample.nbytes(), 16u * 4 + 16 * 4 + 16 * 12);
}

TEST(Reservoir, DrawsUniformlyAndChangesNothing) {
  Reservoir sample(4, 3);
  for (Key key = 0; key < 100; ++key) sample.add(key);
  const std::uint64_t before = sample.random_state();
  Random random(1);
  std::vector<int> drawn(4, 0);
  for (int i = 0; i < 400; ++i) ++drawn[sample.draw(random)];
  for (const int count : drawn) EXPECT_NEAR(count, 100, 45);
  EXPECT_EQ(sample.random_state(), before);
  EXPECT_EQ(sample.name(0), "");
}

TEST(Reservoir, ContinuesIdenticallyAfterRestore) {
  Reservoir sample(10, 7);
  for (Key key = 0; key < 500; ++key) sample.add(key);
  Reservoir loaded(10, 0);
  loaded.restore(sample.keys(), sample.n_seen(), sample.random_state());
  for (Key key = 500; key < 1500; ++key) ASSERT_EQ(sample.add(key), loaded.add(key));
  EXPECT_THROW(loaded.restore(std::vector<Key>{1, 2}, 10, 0), std::invalid_argument);
  EXPECT_THROW(Reservoir(0, 1), std::invalid_argument);
}

}  // namespace
}  // namespace wmsketch
