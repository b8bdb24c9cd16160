#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "wmsketch/counters/named_space_saving.hpp"
#include "wmsketch/counters/space_saving.hpp"
#include "wmsketch/data/random.hpp"

namespace wmsketch {
namespace {

using Counts = std::map<Key, std::uint64_t>;

// The naive algorithm: a list, searched linearly.
struct Oracle {
  struct Entry {
    std::uint64_t count, error;
  };
  std::size_t capacity;
  std::map<Key, Entry> entries;

  void update(Key key, std::uint64_t amount) {
    if (const auto found = entries.find(key); found != entries.end()) {
      found->second.count += amount;
    } else if (entries.size() < capacity) {
      entries[key] = {amount, 0};
    } else {
      const auto least = std::ranges::min_element(entries, {}, [](const auto& e) { return e.second.count; });
      const std::uint64_t count = least->second.count;
      entries.erase(least);
      entries[key] = {count + amount, count};
    }
  }
};

void expect_promises(const SpaceSaving& counter, const Counts& exact, std::uint64_t n) {
  EXPECT_LE(counter.least_count(), n / counter.capacity());
  for (const auto& [key, count] : exact) {
    const auto [estimate, error, monitored] = counter.estimate(key);
    EXPECT_LE(count, estimate);
    EXPECT_LE(estimate - error, count);
    if (count > n / counter.capacity()) EXPECT_TRUE(monitored) << key;
  }
}

Counts feed(SpaceSaving& counter, Counts exact, std::size_t n, std::uint64_t seed) {
  Random random(seed);
  for (std::size_t i = 0; i < n; ++i) {
    const Key key = random.below(1 + random.below(400));
    counter.update(key);
    ++exact[key];
  }
  return exact;
}

TEST(SpaceSaving, EqualsTheNaiveAlgorithm) {
  for (const std::uint32_t capacity : {1u, 2u, 17u, 100u}) {
    SpaceSaving counter(capacity);
    Oracle oracle{capacity, {}};
    Random random(capacity);
    for (int step = 0; step < 3000; ++step) {
      const Key key = random.below(1 + random.below(300));
      const std::uint64_t amount = 1 + random.below(3);
      const bool was_there = oracle.entries.contains(key), was_full = oracle.entries.size() == capacity;
      const auto touched = counter.update(key, amount);
      oracle.update(key, amount);
      ASSERT_EQ(touched.entered, !was_there);
      ASSERT_EQ(touched.replaced, !was_there && was_full);
      ASSERT_EQ(counter.key(touched.slot), key);
      ASSERT_EQ(counter.count(touched.slot), oracle.entries[key].count);
      ASSERT_EQ(counter.error(touched.slot), oracle.entries[key].error);
    }
    ASSERT_EQ(counter.size(), oracle.entries.size());
    for (const auto& [key, entry] : oracle.entries) ASSERT_EQ(counter.estimate(key).count, entry.count);
  }
}

TEST(SpaceSaving, GuaranteesHold) {
  SpaceSaving counter(40);
  const Counts exact = feed(counter, {}, 10000, 1);
  expect_promises(counter, exact, 10000);
  const auto slots = counter.heaviest_slots();
  for (std::size_t i = 1; i < slots.size(); ++i) EXPECT_GE(counter.count(slots[i - 1]), counter.count(slots[i]));
}

TEST(SpaceSaving, GuaranteesHoldAfterMerging) {
  for (const std::size_t n : {10u, 300u, 5000u}) {  // not full, full on one side, full on both
    SpaceSaving a(60), b(60);
    Counts exact = feed(a, {}, 5000, 2);
    exact = feed(b, exact, n, 3);
    SpaceSaving reversed = b;
    reversed.merge(a);
    a.merge(b);
    expect_promises(a, exact, 5000 + n);
    EXPECT_EQ(a.total(), 5000 + n);
    EXPECT_TRUE(std::ranges::equal(a.keys(), reversed.keys()));
    EXPECT_TRUE(std::ranges::equal(a.counts(), reversed.counts()));
  }
  SpaceSaving a(60), b(61);
  EXPECT_THROW(a.merge(b), std::invalid_argument);
}

TEST(SpaceSaving, AnAmountOfZeroChangesNothing) {
  SpaceSaving counter(2);
  EXPECT_EQ(counter.update(5, 0).slot, KeyedHeap::kNone);
  EXPECT_EQ(counter.size(), 0u);
  EXPECT_EQ(counter.estimate(5).count, 0u);
  EXPECT_THROW(SpaceSaving(0), std::invalid_argument);
}

TEST(SpaceSaving, ContinuesIdenticallyAfterRestore) {
  SpaceSaving counter(30), loaded(30);
  feed(counter, {}, 2000, 5);
  loaded.restore(counter.keys(), counter.counts(), counter.errors(), counter.total());
  feed(counter, {}, 2000, 6);
  feed(loaded, {}, 2000, 6);
  EXPECT_TRUE(std::ranges::equal(counter.keys(), loaded.keys()));
  EXPECT_TRUE(std::ranges::equal(counter.counts(), loaded.counts()));
  EXPECT_TRUE(std::ranges::equal(counter.errors(), loaded.errors()));
  const std::vector<Key> twice{1, 1};
  const std::vector<std::uint64_t> two{1, 1};
  EXPECT_THROW(loaded.restore(twice, two, two, 2), std::invalid_argument);
  EXPECT_EQ(loaded.size(), 30u);
}

TEST(NamedSpaceSaving, NamesFollowTheirKeysThroughMerges) {
  NamedSpaceSaving a(8, 8 * 16), b(8, 8 * 16);
  for (Key key = 0; key < 40; ++key) a.update(key, "key" + std::to_string(key), 1 + key % 7);
  for (Key key = 30; key < 60; ++key) b.update(key, "key" + std::to_string(key), 1 + key % 5);
  a.merge(b);
  a.merge(a);
  for (std::uint32_t slot = 0; slot < 8; ++slot)
    EXPECT_EQ(a.names().get(slot), "key" + std::to_string(a.counts().key(slot)));
  EXPECT_EQ(a.nbytes(), NamedSpaceSaving::bytes_for(8, 8 * 16));
}

}  // namespace
}  // namespace wmsketch
