#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "wmsketch/data/random.hpp"
#include "wmsketch/sets/keyed_heap.hpp"

namespace wmsketch {
namespace {

struct Shape {
  std::uint32_t capacity, n_keys, n_priorities;  // few priorities: many ties
};

class KeyedHeapAgainstMap : public testing::TestWithParam<Shape> {};

TEST_P(KeyedHeapAgainstMap, RandomOperations) {
  const auto [capacity, n_keys, n_priorities] = GetParam();
  KeyedHeap heap(capacity);
  std::vector<int> priorities(capacity);
  const auto priority = [&](std::uint32_t slot) { return priorities[slot]; };
  std::map<Key, int> oracle;
  Random random(capacity * 1000 + n_keys);
  for (int step = 0; step < 5000; ++step) {
    const Key key = random.below(n_keys) * 0x10001u;  // includes keys with equal low bits
    const int wanted = static_cast<int>(random.below(n_priorities));
    std::uint32_t slot = heap.find(key);
    ASSERT_EQ(slot != KeyedHeap::kNone, oracle.contains(key));
    if (slot != KeyedHeap::kNone) {
      ASSERT_EQ(heap.key(slot), key);
      ASSERT_EQ(priorities[slot], oracle[key]);
      priorities[slot] = wanted;
      heap.changed(slot, priority);
    } else if (!heap.full()) {
      priorities[heap.size()] = wanted;
      slot = heap.insert(key, priority);
      ASSERT_EQ(slot, heap.size() - 1);
    } else {
      slot = heap.least();
      oracle.erase(heap.key(slot));
      heap.rename(slot, key);
      priorities[slot] = wanted;
      heap.changed(slot, priority);
    }
    oracle[key] = wanted;
    ASSERT_EQ(heap.size(), oracle.size());
    auto least = oracle.begin();
    for (auto it = oracle.begin(); it != oracle.end(); ++it)
      if (it->second < least->second) least = it;  // the order of the map breaks ties by key
    ASSERT_EQ(heap.key(heap.least()), least->first);
  }
  std::vector<Key> wanted;
  for (Key key = 0; key < 2 * n_keys; ++key) wanted.push_back(key * 0x10001u);
  for (const std::size_t n : {wanted.size(), std::size_t{3}, std::size_t{0}}) {
    std::vector<std::uint32_t> found(n), at(n), waiting(n);
    heap.find_all(wanted.data(), n, found.data(), at.data(), waiting.data());
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(found[i], heap.find(wanted[i]));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, KeyedHeapAgainstMap,
                         testing::Values(Shape{1, 3, 5}, Shape{2, 5, 3}, Shape{7, 30, 4}, Shape{64, 100, 1000},
                                         Shape{64, 1000, 2}, Shape{100, 90, 50}));

TEST(KeyedHeap, RebuildKeepsSlotsAndRejectsDuplicates) {
  KeyedHeap heap(4);
  const std::vector<int> priorities{5, 1, 7, 0};
  const auto priority = [&](std::uint32_t slot) { return priorities[slot]; };
  heap.rebuild(std::vector<Key>{50, 10, 70}, priority);
  EXPECT_EQ(heap.find(70), 2u);
  EXPECT_EQ(heap.key(heap.least()), 10u);
  heap.rebuild(heap.keys(), priority);  // its own keys are a valid argument
  EXPECT_EQ(heap.find(50), 0u);
  EXPECT_EQ(heap.size(), 3u);
  EXPECT_THROW(heap.rebuild(std::vector<Key>{1, 2, 1}, priority), std::invalid_argument);
  EXPECT_THROW(heap.rebuild(std::vector<Key>{1, 2, 3, 4, 5}, priority), std::invalid_argument);
}

TEST(KeyedHeap, WithoutCapacityFindsNothing) {
  EXPECT_EQ(KeyedHeap().find(1), KeyedHeap::kNone);
  EXPECT_EQ(KeyedHeap(0).find(1), KeyedHeap::kNone);
  const Key wanted[] = {0, 1};
  std::uint32_t found[] = {0, 0}, at[2], waiting[2];
  KeyedHeap(0).find_all(wanted, 2, found, at, waiting);
  EXPECT_EQ(found[0], KeyedHeap::kNone);
  EXPECT_EQ(found[1], KeyedHeap::kNone);
  EXPECT_TRUE(KeyedHeap(0).full());
}

TEST(KeyedHeap, BytesForEqualsNbytes) {
  EXPECT_EQ(KeyedHeap(100).nbytes(), KeyedHeap::bytes_for(100));
  EXPECT_EQ(KeyedHeap::bytes_for(100), 100u * 12 + 256 * 4);
}

// Keys that all collided under the former multiplicative hash of this table, because their products had the same middle
// bits.
TEST(KeyedHeap, ChosenKeysDoNotCollide) {
  constexpr std::uint32_t kKeys = 20'000;
  KeyedHeap heap(kKeys);
  const auto priority = [](std::uint32_t slot) { return slot; };
  for (std::uint64_t key = 0; heap.size() < kKeys && key < (std::uint64_t{1} << 32); ++key)
    if (((key * 0x9e3779b97f4a7c15u) >> 32 & 0x7fff) < 4) heap.insert(static_cast<Key>(key), priority);
  ASSERT_EQ(heap.size(), kKeys);
  EXPECT_LT(heap.longest_search(), 500u);  // it was 20,000
}

}  // namespace
}  // namespace wmsketch
