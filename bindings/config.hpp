// What kind of learner, how large, by which rule: checked when made.
#pragma once

#include <string>

#include "column_rules.hpp"
#include "wmsketch/models/learner.hpp"

namespace wmsketch::python {

HashFamily hash_family_of(const std::string& name);  // raises ValueError for a name that is none

struct Config {
  StoreKind kind;
  bool exact_set;
  StoreConfig store;
  LearnerConfig rule;
  NameSecret secret{};  // that names are hashed under
};

// The half-life of the rule is that of the schema's scales too, and names of columns are hashed as all names are.
inline ColumnRules rules_for(ColumnRules rules, const Config& config) {
  rules.schema.half_life = config.rule.half_life;
  rules.schema.secret = rules.encoder.secret = config.secret;
  return rules;
}

}  // namespace wmsketch::python
