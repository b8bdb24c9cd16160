// What kind of learner, how large, by which rule: checked when made.
#pragma once

#include <string>

#include "wmsketch/learner.hpp"

namespace wmsketch::python {

HashFamily hash_family_of(const std::string& name);  // raises ValueError for a name that is none

struct Config {
  StoreKind kind;
  bool exact_set;
  StoreConfig store;
  LearnerConfig rule;
};

}  // namespace wmsketch::python
