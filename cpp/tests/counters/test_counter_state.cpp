// Tests of what all counters share: batches, names, lists of the heaviest keys, and the state as arrays.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "../fuzz/memory_archive.hpp"
#include "wmsketch/counters/count_min.hpp"
#include "wmsketch/counters/distinct_counter.hpp"
#include "wmsketch/counters/frequency_sketch.hpp"
#include "wmsketch/counters/keyed_names.hpp"
#include "wmsketch/counters/named_space_saving.hpp"
#include "wmsketch/counters/paired_count_min.hpp"
#include "wmsketch/counters/tracked.hpp"
#include "wmsketch/data/random.hpp"

namespace wmsketch {
namespace {

using Mins = KeyedNames<Tracked<CountMin>>;
using Sketches = KeyedNames<Tracked<FrequencySketch>>;
using Pairs = KeyedNames<Tracked<PairedCountMin>>;
using Savings = KeyedNames<NamedSpaceSaving>;

template <class Counter>
Counter make();
template <>
Mins make<Mins>() {
  return {Tracked(CountMin(4, 100, 7), HeavyKeys(6, 6 * 16)), secret_of_seed(7)};
}
template <>
Sketches make<Sketches>() {
  return {Tracked(FrequencySketch(5, 100, 7), HeavyKeys(6, 6 * 16)), secret_of_seed(7)};
}
template <>
Pairs make<Pairs>() {
  return {Tracked(PairedCountMin(4, 100, 7), HeavyKeys(6, 6 * 16)), secret_of_seed(7)};
}
template <>
Savings make<Savings>() {
  return {NamedSpaceSaving(6, 6 * 16), secret_of_seed(7)};
}

std::vector<std::string> some_names() {
  std::vector<std::string> names;
  for (int i = 0; i < 60; ++i) names.push_back("name" + std::to_string(i * i % 17));
  return names;
}

template <class Counter, class... Amounts>
void feed(Counter& counter, Amounts... amounts) {
  for (const std::string& name : some_names()) counter.update_named(name, amounts...);
  for (Key key = 0; key < 5; ++key) counter.update(key, {}, amounts...);
}
void feed(Mins& counter) { feed(counter, std::uint64_t{2}); }
void feed(Sketches& counter) { feed(counter, std::int64_t{-2}); }
void feed(Pairs& counter) { feed(counter, std::uint64_t{2}, std::uint64_t{1}); }
void feed(Savings& counter) { feed(counter, std::uint64_t{2}); }

template <class Counter>
class EachCounter : public testing::Test {};
using Counters = testing::Types<Mins, Sketches, Pairs, Savings>;
TYPED_TEST_SUITE(EachCounter, Counters);

TYPED_TEST(EachCounter, GoesOnIdenticallyAfterLoading) {
  auto counter = make<TypeParam>(), loaded = make<TypeParam>();
  feed(counter);
  const StoredState saved = state_of(counter);
  StateReader reader(saved);
  loaded.archive(reader);
  EXPECT_EQ(state_of(loaded), saved);
  feed(counter);
  feed(loaded);
  EXPECT_EQ(state_of(loaded), state_of(counter));
}

TYPED_TEST(EachCounter, RefusesAStateThatContradictsItself) {
  auto counter = make<TypeParam>();
  feed(counter);
  const StoredState saved = state_of(counter);
  const char* const keys = saved.contains("keys") ? "keys" : "tracked_keys";
  StoredState twice = saved, short_of_one = saved;
  std::fill(twice[keys].bytes.begin(), twice[keys].bytes.end(), std::uint8_t{1});
  short_of_one[keys].bytes.resize(short_of_one[keys].bytes.size() - sizeof(Key));
  for (const StoredState& damaged : {twice, short_of_one}) {
    auto loaded = make<TypeParam>();
    StateReader reader(damaged);
    EXPECT_THROW(loaded.archive(reader), std::invalid_argument);
  }
}

TYPED_TEST(EachCounter, AMergeThatFailsChangesNothing) {
  auto counter = make<TypeParam>();
  feed(counter);
  const StoredState before = state_of(counter);
  TypeParam other(make<TypeParam>(), secret_of_seed(8));
  EXPECT_THROW(counter.merge(other), Error);
  EXPECT_EQ(state_of(counter), before);
}

TYPED_TEST(EachCounter, ListsNamesAndIntegers) {
  auto counter = make<TypeParam>();
  feed(counter);
  const auto all = counter.top(1000);
  ASSERT_EQ(all.size(), 6u);
  for (const auto& feature : all) {
    EXPECT_EQ(feature.named, feature.key > 4);
    if (feature.named) {
      EXPECT_EQ(counter.key_of(feature.name), feature.key);
    }
    EXPECT_FALSE(feature.shortened);
  }
  EXPECT_EQ(counter.top(2).size(), 2u);
}

TEST(KeyedNames, UpdateManyNamedEqualsSingleUpdates) {
  const std::vector<std::string> names = some_names();
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::vector<std::uint64_t> amounts;
  auto at_once = make<Mins>(), one_by_one = make<Mins>();
  for (std::size_t i = 0; i < names.size(); ++i) {
    amounts.push_back(i % 4);
    one_by_one.update_named(names[i], amounts[i]);
  }
  at_once.update_many_named<std::uint64_t>(views, amounts);
  EXPECT_EQ(state_of(at_once), state_of(one_by_one));
}

TEST(DistinctCounter, CountsTheFeaturesOfABlock) {
  RowBlock block;
  for (Key key = 0; key < 3000; ++key) {
    block.keys.push_back(key % 1000);
    block.values.push_back(1);
  }
  block.starts.push_back(3000);
  DistinctCounter counter;
  counter.add(block);
  EXPECT_NEAR(counter.estimate(), 1000, 150);
}

TEST(DistinctCounter, ABlockCountsLikeItsFeaturesOneByOne) {
  Random random(3);
  DistinctCounter of_blocks, one_by_one;
  for (const std::size_t size : {1, 7, 600, 5000, 200'000}) {
    RowBlock block;
    for (std::size_t i = 0; i < size; ++i) block.keys.push_back(static_cast<Key>(random.next()));
    block.starts.push_back(static_cast<std::int64_t>(size));
    of_blocks.add(block);
    for (const Key key : block.keys) one_by_one.add(mix(key, seeds_of(1)));
    EXPECT_EQ(of_blocks.estimate(), one_by_one.estimate()) << size;
  }
}

}  // namespace
}  // namespace wmsketch
