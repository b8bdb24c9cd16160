// What kind of learner, how large, by which rule: checked when made.
#pragma once

#include "wmsketch/learner.hpp"

namespace wmsketch::python {

struct Config {
  StoreKind kind;
  bool exact_set;
  StoreConfig store;
  LearnerConfig rule;
};

}  // namespace wmsketch::python
