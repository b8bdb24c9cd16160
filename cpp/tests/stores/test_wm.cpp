#include <gtest/gtest.h>

#include "wmsketch/data/row_block.hpp"
#include "wmsketch/rule/learner.hpp"

namespace wmsketch {
namespace {

// A row of n features that are learned with an L1 penalty.
void learn_row(Learner& learner, std::uint32_t n) {
  RowBlock rows;
  for (std::uint32_t key = 0; key < n; ++key) {
    rows.keys.push_back(key * 2654435761u % (1u << 31));
    rows.values.push_back(1);
  }
  rows.starts.push_back(static_cast<std::int64_t>(n));
  rows.labels.push_back(1);
  learner.learn(rows.batch());
}

// Models of one thread share their working memory: what a large one left there is no place of a small one.
TEST(WmStore, ASmallModelAfterALargeOneReadsItsOwnCells) {
  StoreConfig store;
  store.depth = 3;
  store.active_set_size = 16;
  LearnerConfig rule;
  rule.l1 = 1e-3;
  for (const StoreKind kind : {StoreKind::wm, StoreKind::mission, StoreKind::bear}) {
    store.width = 1 << 20;
    const auto large = make_learner(kind, false, store, rule);
    store.width = 32;
    const auto small = make_learner(kind, false, store, rule), alone = make_learner(kind, false, store, rule);
    for (int i = 0; i < 5; ++i) learn_row(*alone, 3);
    for (int i = 0; i < 5; ++i) {
      learn_row(*large, 100);
      learn_row(*small, 3);
    }
    EXPECT_EQ(small->weight(0), alone->weight(0));
  }
}

}  // namespace
}  // namespace wmsketch
