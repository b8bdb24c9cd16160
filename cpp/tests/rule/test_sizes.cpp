#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "random_rows.hpp"
#include "wmsketch/data/random.hpp"
#include "wmsketch/data/row_block.hpp"
#include "wmsketch/rule/learner.hpp"

namespace wmsketch {
namespace {

constexpr Key kKeys = 2000;

RowBlock rows(std::uint64_t seed, std::size_t n) {
  RowBlock block;
  add_rows(block, {.keys = kKeys, .random_values = false, .positive_one_of = 3}, seed, n);
  return block;
}

struct Case {
  const char* name;
  bool exact_set;
  StepKind step;
};

class Sizes : public testing::TestWithParam<Case> {
 protected:
  static std::unique_ptr<Learner> learner(std::uint32_t width, std::uint32_t keys, std::size_t n_rows = 0) {
    StoreConfig store;
    store.width = width;
    store.active_set_size = keys;
    LearnerConfig rule;
    rule.step.kind = GetParam().step;
    auto made = make_learner(StoreKind::awm, GetParam().exact_set, store, rule);
    if (n_rows > 0) made->learn(rows(1, n_rows).batch());
    return made;
  }
  static double largest_difference(const Learner& a, const Learner& b) {
    double most = 0;
    for (Key key = 0; key < kKeys; ++key) most = std::max(most, std::abs(a.weight(key) - b.weight(key)));
    return most;
  }
};

TEST_P(Sizes, EqualSizesCopyTheState) {
  const auto model = learner(64, 32, 400);
  auto same = learner(64, 32);
  same->take(*model);
  EXPECT_EQ(largest_difference(*model, *same), 0);
  EXPECT_EQ(model->progress().n_seen, same->progress().n_seen);
  EXPECT_EQ(model->bias(), same->bias());
}

TEST_P(Sizes, AWiderModelAnswersTheSameAndFoldsBack) {
  const auto model = learner(64, 32, 400);
  for (const std::uint32_t times : {2u, 5u, 16u}) {
    auto wide = learner(64 * times, 32 * times), again = learner(64, 32);
    wide->take(*model);
    EXPECT_EQ(largest_difference(*model, *wide), 0) << times;
    again->take(*wide);
    EXPECT_LT(largest_difference(*model, *again), 0.01) << times;
    EXPECT_EQ(again->nbytes(), model->nbytes());
  }
}

TEST_P(Sizes, ASmallerModelKeepsTheHeaviestAndItsBytes) {
  const auto wide = learner(1024, 256, 2000);
  auto small = learner(48, 32);  // not a divisor
  const std::size_t bytes = small->nbytes();
  small->take(*wide);
  EXPECT_EQ(small->nbytes(), bytes);
  const auto before = wide->top(3), after = small->top(3);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(before[i].key, after[i].key);
    EXPECT_EQ(before[i].weight, after[i].weight);
  }
  small->learn(rows(2, 100).batch());  // learning continues
  EXPECT_EQ(small->progress().n_seen, 2100u);
}

TEST_P(Sizes, RejectsOtherStores) {
  const auto model = learner(64, 32, 100);
  StoreConfig store;
  store.width = 64;
  store.active_set_size = 32;
  LearnerConfig rule;
  rule.step.kind = GetParam().step;
  const auto wm = make_learner(StoreKind::wm, GetParam().exact_set, store, rule);
  EXPECT_THROW(wm->take(*model), std::invalid_argument);
  EXPECT_THROW(learner(64, 32)->take(*wm), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(All, Sizes,
                         testing::Values(Case{"adaptive", false, StepKind::adaptive},
                                         Case{"heap", true, StepKind::adaptive}, Case{"plain", false, StepKind::plain},
                                         Case{"plain_heap", true, StepKind::plain}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace wmsketch
