// OnlineLinear::learn_keys implements the rule a second time, for rows of one feature with value 1. It must equal
// `learn` to the last bit, for every configuration and however the stream is split.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "../fuzz/memory_archive.hpp"
#include "wmsketch/rule/online_linear.hpp"
#include "wmsketch/stores/make_store.hpp"

namespace wmsketch {
namespace {

OnlineLinear make_model(const StoreConfig& store, const LearnerConfig& rule) {
  return {make_store(StoreKind::awm, false, store, rule.step), store, rule};
}

class Names final : public NameSource {
 public:
  explicit Names(const std::vector<Key>& keys) : keys_(keys) {}
  std::string name(std::size_t i) const override { return "key " + std::to_string(keys_[i]); }

 private:
  const std::vector<Key>& keys_;
};

// Keys have a Zipf distribution, so that some are always active, some come and go, and most stay in the sketch.
struct Stream {
  explicit Stream(std::uint64_t seed) : random(seed) {}

  void draw(std::size_t n) {
    keys.resize(n);
    labels.resize(n);
    values.assign(n, 1.0f);
    starts.resize(n + 1);
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = static_cast<Key>(std::exp(9 * random.uniform()));
      if (random.below(50) == 0) keys[i] = 0xffffffffu - random.below(3);  // keys that also mark empty places
      labels[i] = random.uniform() < 0.1 + 0.5 * (keys[i] % 3 == 0) ? 1 : -1;
      starts[i + 1] = static_cast<std::int64_t>(i + 1);
    }
  }

  Random random;
  std::vector<Key> keys;
  std::vector<std::int8_t> labels;
  std::vector<float> values;
  std::vector<std::int64_t> starts;
};

void expect_same_bits(const StoreConfig& store, const LearnerConfig& rule, std::uint64_t seed, int passes = 3) {
  OnlineLinear slow = make_model(store, rule), fast = make_model(store, rule);
  Stream stream(seed);
  for (int pass = 0; pass < passes; ++pass) {
    for (const std::size_t n : {0u, 1u, 7u, 30u, 255u, 257u, 1500u}) {
      stream.draw(n);
      const Names names(stream.keys);
      slow.learn({stream.starts, stream.keys, stream.values, stream.labels, {}, &names});
      fast.learn_keys(stream.keys, stream.labels, &names);
      const auto expected = state_of(slow), got = state_of(fast);
      ASSERT_EQ(expected.size(), got.size());
      for (const auto& [name, bytes] : expected) ASSERT_TRUE(got.at(name) == bytes) << name << " after " << n;
    }
  }
}

StoreConfig small_store() {
  StoreConfig store;
  store.width = 200;
  store.active_set_size = 32;
  store.name_bytes = 32 * 8;
  return store;
}

using Setting = std::tuple<Schedule, double, bool, bool>;  // l2, intercept, portable kernels

class LearnKeys : public testing::TestWithParam<Setting> {
 protected:
  void SetUp() override { choose_kernels(std::get<3>(GetParam()) ? "portable" : ""); }
  void TearDown() override { choose_kernels(""); }

  LearnerConfig rule() const {
    LearnerConfig rule;
    std::tie(rule.step.schedule, rule.step.l2, rule.fit_intercept, std::ignore) = GetParam();
    rule.step.eta0 = 0.7;
    return rule;
  }
};

// The larger decay makes the scale fold, with constant steps every few dozen examples.
INSTANTIATE_TEST_SUITE_P(Rules, LearnKeys,
                         testing::Combine(testing::Values(Schedule::optimal, Schedule::constant, Schedule::invsqrt),
                                          testing::Values(0.0, 1e-9, 1e-3, 0.4), testing::Bool(), testing::Bool()));

TEST_P(LearnKeys, GivesTheSameBitsAsLearn) {
  for (const auto& [positive, negative] : {std::pair(1.0, 1.0), std::pair(1.0, 0.2), std::pair(3.0, 0.7)}) {
    for (const double eta0 : {0.1, 5.0}) {
      LearnerConfig rule = this->rule();
      rule.positive_weight = positive;
      rule.negative_weight = negative;
      rule.step.eta0 = eta0 * rule.step.l2 < 1 ? eta0 : 0.7;
      expect_same_bits(small_store(), rule, 1 + static_cast<std::uint64_t>(10 * positive));
    }
  }
}

TEST_P(LearnKeys, GivesTheSameBitsInOtherStores) {
  StoreConfig store = small_store();
  store.eviction = Eviction::drop;
  expect_same_bits(store, rule(), 2);
  store.hash_family = HashFamily::tabulation;
  expect_same_bits(store, rule(), 3);
  store = small_store();
  store.width = 1;
  store.active_set_size = 16;
  store.name_bytes = 0;
  expect_same_bits(store, rule(), 4);
}

TEST_P(LearnKeys, TheSlowPathGivesTheSameBits) {  // depth, loss, l1 and balance have no fast path
  StoreConfig store = small_store();
  store.depth = 3;
  expect_same_bits(store, rule(), 6, 1);
  store.depth = 1;
  LearnerConfig other = rule();
  other.loss = Loss::smoothed_hinge;
  expect_same_bits(store, other, 7, 1);
  other = rule();
  other.l1 = 1e-3;
  expect_same_bits(store, other, 8, 1);
  other = rule();
  other.balanced = true;
  expect_same_bits(store, other, 9, 1);
}

// Without promotions and folds, the comparison above would prove little.
TEST(LearnKeysStream, CausesPromotionsAndFolds) {
  LearnerConfig rule;
  rule.step = {Schedule::constant, 0.7, 0.4};
  OnlineLinear model = make_model(small_store(), rule);
  Stream stream(1);
  stream.draw(20);
  model.learn_keys(stream.keys, stream.labels, nullptr);
  const StoredArray early = state_of(model).at("active_keys");
  double scale = 1;
  bool rose = false;
  for (int i = 0; i < 40; ++i) {
    stream.draw(7);
    model.learn_keys(stream.keys, stream.labels, nullptr);
    double now;
    std::memcpy(&now, state_of(model).at("scale").bytes.data(), sizeof now);
    rose |= now > scale;
    scale = now;
  }
  EXPECT_TRUE(rose);
  EXPECT_NE(state_of(model).at("active_keys"), early);
}

}  // namespace
}  // namespace wmsketch
