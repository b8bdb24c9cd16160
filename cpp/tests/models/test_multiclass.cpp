#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "multiclass_of.hpp"
#include "wmsketch/data/random.hpp"
#include "wmsketch/data/row_block.hpp"
#include "wmsketch/models/multiclass.hpp"

namespace wmsketch {
namespace {

Multiclass make(std::uint32_t max_classes, std::uint32_t negatives, HalfLife half_life = {}) {
  return multiclass_of({.width = 256, .active_set_size = 64, .name_bytes = 64 * 5},
                       {.max_classes = max_classes, .negatives = negatives, .half_life = half_life});
}

// Each row of class c has the feature 10 c + 3 and one of ten others.
RowBlock rows(std::size_t n, std::uint32_t n_classes, std::uint64_t seed) {
  RowBlock block;
  Random random(seed);
  for (std::size_t r = 0; r < n; ++r) {
    const std::uint32_t c = random.below(n_classes);
    block.keys.insert(block.keys.end(), {10 * c + 3, 1000 + random.below(10)});
    block.values.insert(block.values.end(), {1.0f, 1.0f});
    block.starts.push_back(static_cast<std::int64_t>(block.keys.size()));
    block.add_class("i" + std::to_string(c));
  }
  return block;
}

double accuracy(const Multiclass& model, const RowBlock& block) {
  const std::size_t n = model.classes().size();
  std::vector<double> scores(block.size() * n);
  model.margins(block.batch(), scores);
  std::size_t right = 0;
  for (std::size_t r = 0; r < block.size(); ++r) {
    const auto begin = scores.begin() + static_cast<std::ptrdiff_t>(r * n);
    const auto best =
        static_cast<std::uint32_t>(std::max_element(begin, begin + static_cast<std::ptrdiff_t>(n)) - begin);
    right += model.classes().label(best) == block.class_texts[block.classes[r]];
  }
  return static_cast<double>(right) / static_cast<double>(block.size());
}

TEST(Multiclass, LearnsWithAllOrSampledNegatives) {
  for (const std::uint32_t negatives : {0u, 1u, 3u}) {
    Multiclass model = make(200, negatives);
    learn(model, rows(3000, 12, 1));
    EXPECT_GT(accuracy(model, rows(500, 12, 2)), 0.95) << negatives;
    const auto top = model.top(12);
    ASSERT_EQ(top.size(), 12u);
    for (const auto& [c, feature] : top) {
      EXPECT_EQ(feature.name, "");
      EXPECT_LT(feature.key, 1010u);
      EXPECT_DOUBLE_EQ(feature.weight, model.weight(c, feature.key));
    }
    EXPECT_EQ(model.progress().n_seen, 3000u);
    EXPECT_EQ(model.progress().n_scored == 3000, negatives == 0);
    EXPECT_EQ(model.nbytes(), model.weights().nbytes() + Multiclass::class_bytes(200));
  }
}

TEST(Multiclass, MergesModelsWithClassesInOtherOrders) {
  Multiclass one = make(20, 0), other = make(20, 0);
  learn(one, rows(2000, 8, 1));
  learn(other, rows(2000, 6, 2));
  Multiclass left(one), right(other);
  left.merge(other);
  right.merge(one);
  ASSERT_EQ(left.classes().size(), 8u);
  EXPECT_GT(accuracy(left, rows(500, 8, 3)), 0.9);
  for (std::uint32_t c = 0; c < 8; ++c) {
    EXPECT_EQ(left.classes().label(c), right.classes().label(c));
    EXPECT_EQ(left.classes().count(c), right.classes().count(c));
  }
  const auto mine = left.top(20), theirs = right.top(20);
  ASSERT_EQ(mine.size(), theirs.size());
  for (std::size_t i = 0; i < mine.size(); ++i) {
    EXPECT_EQ(mine[i].of, theirs[i].of);
    EXPECT_EQ(mine[i].feature.key, theirs[i].feature.key);
    EXPECT_EQ(mine[i].feature.weight, theirs[i].feature.weight);
    const std::string label(left.classes().label(mine[i].of));
    if (mine[i].feature.weight > 1) {
      EXPECT_EQ(mine[i].feature.key, 10 * std::stoul(label.substr(1)) + 3);
    }
  }
}

// One example is several rows of the learner, but forgetting applies once.
TEST(Multiclass, FadesOncePerExample) {
  for (const std::uint32_t n_classes : {2u, 12u}) {
    Multiclass model = make(20, 0, {50, 0});
    learn(model, rows(500, n_classes, 1));
    const Key own = 10 * (n_classes - 1) + 3;
    const std::uint32_t c = model.classes().find("i" + std::to_string(n_classes - 1));
    const double before = model.weight(c, own), share = model.classes().weight(c);
    RowBlock others;
    for (int r = 0; r < 50; ++r) {
      others.keys.push_back(5000);
      others.values.push_back(1.0f);
      others.starts.push_back(static_cast<std::int64_t>(others.keys.size()));
      others.add_class("i0");
    }
    learn(model, others);
    EXPECT_NEAR(model.weight(c, own), before / 2, 0.01 * before) << n_classes;
    EXPECT_NEAR(model.classes().weight(c), share / 2, 1e-6 * share);
    EXPECT_NEAR(model.progress().recent, 50 / std::log(2.0), 1.0);
    EXPECT_EQ(model.progress().n_seen, 550u);
  }
}

// The scales are folded all the time here. They must not reach zero, and weights must not overflow.
TEST(Multiclass, StaysFiniteAtAnyHalfLife) {
  for (const HalfLife half_life : {HalfLife{1, 0}, HalfLife{0, 1e-3}, HalfLife{0, 1e-300}}) {
    Multiclass model = make(20, 0, half_life);
    RowBlock block = rows(2000, 8, 1);
    if (half_life.seconds > 0)
      for (std::size_t r = 0; r < block.size(); ++r) block.times.push_back(static_cast<double>(r));
    learn(model, block);
    std::vector<double> scores(block.size() * model.classes().size());
    model.margins(block.batch(), scores);
    for (const double score : scores) ASSERT_TRUE(std::isfinite(score));
    EXPECT_LE(model.progress().recent, 2.0);
  }
}

TEST(Multiclass, RejectsInvalidTimes) {
  RowBlock block = rows(3, 2, 1);
  block.times = {1, 2, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(make(20, 0, {50, 0}).check(block.batch(), true), std::invalid_argument);
  EXPECT_THROW(make(20, 0, {0, 50}).check(block.batch(), true), BadRow);
  block.times[2] = 0;
  EXPECT_NO_THROW(make(20, 0, {0, 50}).check(block.batch(), true));
  block.times.clear();  // a half-life in seconds needs them
  EXPECT_THROW(make(20, 0, {0, 50}).check(block.batch(), true), std::invalid_argument);
}

}  // namespace
}  // namespace wmsketch
