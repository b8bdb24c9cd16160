// The configuration of a learner: kind, sizes and rule. It is checked when it is made.
#pragma once

#include <string>

#include "column_rules.hpp"
#include "wmsketch/rule/learner.hpp"

namespace wmsketch::python {

HashFamily hash_family_of(const std::string& name);  // raises ValueError for an unknown name

struct Config {
  StoreKind kind;
  bool exact_set;
  StoreConfig store;
  LearnerConfig rule;
  NameSecret secret{};  // seeds the hash of names
};

// The scales of the schema have the half-life of the rule, and column names are hashed like all names.
inline ColumnRules rules_for(ColumnRules rules, const Config& config) {
  rules.schema.half_life = config.rule.half_life;
  rules.schema.secret = rules.encoder.secret = config.secret;
  // Plain steps are the paper's, on values as they are.
  rules.schema.numbered = rules.schema.numbers == Numbers::scaled ||
                          (rules.schema.numbers == Numbers::automatic && config.rule.step.adaptive());
  return rules;
}

}  // namespace wmsketch::python
