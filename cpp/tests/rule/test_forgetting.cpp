#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <tuple>
#include <vector>

#include "wmsketch/data/random.hpp"
#include "wmsketch/data/row_block.hpp"
#include "wmsketch/rule/learner.hpp"

namespace wmsketch {
namespace {

RowBlock rows(std::size_t n, double seconds_apart) {
  RowBlock block;
  Random random(1);
  for (std::size_t r = 0; r < n; ++r) {
    for (int i = 0; i < 6; ++i) {
      block.keys.push_back(random.below(200));
      block.values.push_back(static_cast<float>(random.uniform()));
    }
    block.starts.push_back(static_cast<std::int64_t>(block.keys.size()));
    block.labels.push_back(block.keys.back() % 2 == 0 ? 1 : -1);
    if (seconds_apart > 0) block.times.push_back(seconds_apart * static_cast<double>(r));
  }
  return block;
}

using Kind = std::tuple<StoreKind, StepKind>;

std::unique_ptr<Learner> learner(Kind kind, HalfLife half_life) {
  StoreConfig store;
  store.width = 40;
  store.active_set_size = 24;
  store.n_features = 200;
  LearnerConfig rule;
  rule.half_life = half_life;
  rule.step.kind = std::get<StepKind>(kind);
  return make_learner(std::get<StoreKind>(kind), false, store, rule);
}

TEST(HalfLife, HalvesAfterOneHalfLife) {
  const HalfLife examples{20, 0}, seconds{0, 60}, none{};
  EXPECT_NEAR(std::pow(examples.kept_by_example(), 20), 0.5, 1e-9);
  EXPECT_NEAR(seconds.kept_after(60), 0.5, 1e-9);
  EXPECT_EQ(examples.kept_after(60), 1.0);
  EXPECT_EQ(seconds.kept_by_example(), 1.0);
  EXPECT_EQ(none.kept_by_example(), 1.0);
  EXPECT_EQ(none.squares_kept_by_example(), 1.0);
  EXPECT_GT(HalfLife({1e15, 0}).kept_by_example(), 0.0);
}

class Forgetting : public testing::TestWithParam<Kind> {};

// The scales are folded all the time here. They must not reach zero, and weights must not overflow.
TEST_P(Forgetting, StaysFiniteAtAnyHalfLife) {
  for (const HalfLife half_life : {HalfLife{1, 0}, HalfLife{0, 1e-3}, HalfLife{0, 1e-300}}) {
    const auto model = learner(GetParam(), half_life);
    model->learn(rows(2000, half_life.seconds > 0 ? 1.0 : 0.0).batch());
    double sum = 0;
    for (Key key = 0; key < 200; ++key) sum += std::abs(model->weight(key));
    EXPECT_TRUE(std::isfinite(sum));
    EXPECT_GT(sum, 0.0);
    EXPECT_LT(sum, 100.0);
    EXPECT_EQ(model->progress().n_seen, 2000u);
  }
}

TEST_P(Forgetting, TimesNeedAHalfLifeInSeconds) {
  const RowBlock timed = rows(3, 1.0);
  EXPECT_THROW(learner(GetParam(), {})->check(timed.batch(), true), std::invalid_argument);
  EXPECT_THROW(learner(GetParam(), {10, 0})->check(timed.batch(), true), std::invalid_argument);
  EXPECT_NO_THROW(learner(GetParam(), {0, 10})->check(timed.batch(), true));
}

INSTANTIATE_TEST_SUITE_P(EveryStore, Forgetting,
                         testing::Combine(testing::Values(StoreKind::wm, StoreKind::awm, StoreKind::hashed,
                                                          StoreKind::dense, StoreKind::map, StoreKind::truncated,
                                                          StoreKind::probabilistic, StoreKind::space_saving,
                                                          StoreKind::count_min),
                                          testing::Values(StepKind::plain, StepKind::adaptive)));

}  // namespace
}  // namespace wmsketch
