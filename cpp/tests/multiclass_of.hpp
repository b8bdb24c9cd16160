// A model of many classes, and a block that it learns, for tests.
#pragma once

#include "wmsketch/data/row_block.hpp"
#include "wmsketch/models/multiclass.hpp"

namespace wmsketch {

inline Multiclass multiclass_of(const StoreConfig& store, const MulticlassConfig& config,
                                StepKind step = StepKind::adaptive) {
  LearnerConfig rule;
  rule.fit_intercept = false;
  rule.step.kind = step;
  return {make_learner(StoreKind::awm, false, store, rule), config};
}

inline void learn(Multiclass& model, const RowBlock& block) {
  RowBatch batch = block.batch();
  batch.classes = block.classes;
  model.check(batch, true);
  model.require_room(block.class_texts);
  model.learn(batch, block.class_texts);
}

}  // namespace wmsketch
