#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../fuzz/memory_archive.hpp"
#include "random_rows.hpp"
#include "wmsketch/data/random.hpp"
#include "wmsketch/data/row_block.hpp"
#include "wmsketch/rule/learner.hpp"

namespace wmsketch {
namespace {

class NamedRows : public RowBlock {
 public:
  std::string name(std::size_t i) const override { return "feature number " + std::to_string(keys[i]); }
};

NamedRows rows(std::uint64_t seed, std::size_t n) {
  NamedRows block;
  block.named = true;
  add_rows(block, {.keys = 200, .random_values = true, .positive_one_of = 2}, seed, n);
  return block;
}

struct Case {
  const char* name;
  StoreKind kind;
  bool exact_set;
};

class MergedLearners : public testing::TestWithParam<std::tuple<Case, StepKind>> {
 protected:
  static constexpr std::uint32_t kWidth = 40;
  bool owned_cells() const {
    return std::get<Case>(GetParam()).kind == StoreKind::awm && std::get<StepKind>(GetParam()) == StepKind::adaptive;
  }
  bool grows() const { return std::get<Case>(GetParam()).kind == StoreKind::map; }
  std::unique_ptr<Learner> learner(std::size_t n_rows, std::uint64_t seed) const {
    StoreConfig store;
    const auto& [of, step] = GetParam();
    store.depth = of.exact_set && !owned_cells() ? 3 : 1;
    store.width = kWidth;
    store.active_set_size = 24;
    store.name_bytes = 300;
    store.n_features = 200;
    LearnerConfig rule;
    rule.step.l2 = 0.01;
    rule.step.kind = step;
    auto made = make_learner(of.kind, of.exact_set, store, rule);
    made->learn(rows(seed, n_rows).batch());
    return made;
  }
};

TEST_P(MergedLearners, DoNotDependOnTheOrder) {
  const auto a = learner(300, 1), b = learner(200, 2);
  const auto left = a->copy(), right = b->copy();
  left->merge(*b);
  right->merge(*a);
  EXPECT_EQ(state_of(*left), state_of(*right));
  EXPECT_EQ(left->progress().n_seen, 500u);
  if (!grows()) EXPECT_EQ(left->nbytes(), a->nbytes());
  left->learn(rows(3, 100).batch());
  right->learn(rows(3, 100).batch());
  EXPECT_EQ(state_of(*left), state_of(*right));
}

TEST_P(MergedLearners, EqualTheOtherIfOneHasLearnedNothing) {
  const auto a = learner(300, 1), empty = learner(0, 2);
  const auto before = state_of(*a);
  a->merge(*empty);
  EXPECT_EQ(state_of(*a), before);
  empty->merge(*a);
  EXPECT_EQ(state_of(*empty), before);
}

TEST_P(MergedLearners, MayBeTheSameObject) {
  const auto a = learner(300, 1), twin = a->copy();
  twin->merge(*a);
  a->merge(*a);
  EXPECT_EQ(state_of(*a), state_of(*twin));
}

TEST_P(MergedLearners, KeepTheBaseIfNothingWasLearnedSince) {
  const auto base = learner(300, 1), one = base->copy(), other = base->copy();
  const StoreKind kind = std::get<Case>(GetParam()).kind;
  if (kind == StoreKind::truncated || kind == StoreKind::probabilistic || kind == StoreKind::space_saving ||
      kind == StoreKind::count_min) {
    EXPECT_THROW(one->merge({{other.get()}, base.get()}), std::invalid_argument);
    return;
  }
  one->merge({{other.get()}, base.get()});
  EXPECT_EQ(one->progress().n_seen, 300u);
  // A cell with the bucket and the tag of an active key is taken for that key's: its owner loses it.
  const auto has_tag_of_active = [&](Key key) {
    const auto place = [&](Key of) {
      const std::uint32_t hash = base->hash(0, of);
      return std::pair(bucket_of(hash, kWidth / 8), std::max(hash & 255u, 1u));
    };
    const auto active = base->top(1000);
    return std::any_of(active.begin(), active.end(),
                       [&](const HeavyFeature& one) { return one.key != key && place(one.key) == place(key); });
  };
  int lost = 0;
  for (Key key = 0; key < 200; ++key) {
    if (owned_cells() && one->weight(key) != base->weight(key) && has_tag_of_active(key)) {
      ++lost;
      continue;
    }
    // merged weights are rounded again, to at least 6 bits of mantissa
    EXPECT_NEAR(one->weight(key), base->weight(key), 1e-5 + 0.01 * std::abs(base->weight(key)));
  }
  EXPECT_LE(lost, 5);
  other->learn(rows(2, 100).batch());
  one->merge({{other.get()}, base.get()});
  EXPECT_EQ(one->progress().n_seen, 400u);
}

TEST_P(MergedLearners, CanBeManyInOnePass) {
  const auto a = learner(300, 1), b = learner(200, 2), c = learner(100, 3);
  const auto all = a->copy();
  all->merge({{b.get(), c.get()}});
  EXPECT_EQ(all->progress().n_seen, 600u);
  if (!grows()) EXPECT_EQ(all->nbytes(), a->nbytes());
}

TEST(MergePlan, AddsPartialMovementsAndAveragesConvergedWeights) {
  MergePlan plan;
  plan.adaptive = true;
  plan.prior = 1;
  plan.sides.resize(3);
  const auto of = [&](std::vector<MergeReading> readings) {
    return plan.merged([&](std::size_t i) { return readings[i]; });
  };
  EXPECT_FLOAT_EQ(of({{0.5f, 0}, {0.25f, 0}, {0, 0}}).weight, 0.75f);                // partial movements add up
  EXPECT_NEAR(of({{0.5f, 1e6f}, {0.25f, 1e6f}, {0.75f, 1e6f}}).weight, 0.5f, 1e-5);  // converged weights are averaged
  EXPECT_FLOAT_EQ(of({{0.5f, 3}, {0, 0}, {0, 0}}).weight, 0.5f);                     // seen by only one side
  EXPECT_FLOAT_EQ(of({{0.5f, 3}, {9, 100, false}, {9, 100, false}}).weight, 0.5f);   // known to only one side
  plan.based = true;
  EXPECT_FLOAT_EQ(of({{0.5f, 4}, {0.5f, 4}, {0.5f, 4}}).weight, 0.5f);  // unchanged since the base
  EXPECT_FLOAT_EQ(of({{0.75f, 4}, {0.5f, 4}, {0.5f, 4}}).weight, 0.75f);
  EXPECT_FLOAT_EQ(of({{0.75f, 6}, {0.5f, 5}, {0.5f, 4}}).squares, 7);
}

constexpr Case kCases[] = {{"wm", StoreKind::wm, false},
                           {"wm_exact", StoreKind::wm, true},
                           {"awm", StoreKind::awm, false},
                           {"awm_exact", StoreKind::awm, true},
                           {"hashed", StoreKind::hashed, false},
                           {"map", StoreKind::map, false},
                           {"dense", StoreKind::dense, false},
                           {"truncated", StoreKind::truncated, false},
                           {"probabilistic", StoreKind::probabilistic, false},
                           {"space_saving", StoreKind::space_saving, false},
                           {"count_min", StoreKind::count_min, false}};

std::string name_of(const testing::TestParamInfo<std::tuple<Case, StepKind>>& info) {
  const auto& [of, step] = info.param;
  const char* const steps[] = {"plain", "adaptive"};
  return std::string(of.name) + "_" + steps[static_cast<std::size_t>(step)];
}

INSTANTIATE_TEST_SUITE_P(Every, MergedLearners,
                         testing::Combine(testing::ValuesIn(kCases),
                                          testing::Values(StepKind::plain, StepKind::adaptive)),
                         name_of);

TEST(Merge, RejectsAnotherStoreAndAnotherSize) {
  StoreConfig small, large;
  small.width = 8;
  large.width = 9;
  LearnerConfig rule;
  const auto one = make_learner(StoreKind::hashed, false, small, rule);
  const auto other = make_learner(StoreKind::hashed, false, large, rule);
  const auto map = make_learner(StoreKind::map, false, small, rule);
  for (const auto& learner : {one.get(), other.get(), map.get()}) learner->learn(rows(1, 1).batch());
  EXPECT_THROW(one->merge(*other), std::invalid_argument);
  EXPECT_THROW(one->merge(*map), std::invalid_argument);
}

}  // namespace
}  // namespace wmsketch
