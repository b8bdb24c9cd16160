// Vowpal Wabbit text: `[label [importance [base]]] ['tag]|namespace[:weight] name[:value] ... |namespace ...`.
#pragma once

#include "wmsketch/readers/label_rule.hpp"
#include "wmsketch/readers/line_parser.hpp"
#include "wmsketch/simd/different_keys.hpp"

namespace wmsketch {

// A feature is named `namespace^name`, or `name` in the anonymous namespace. Its key is the hash of that name. As in
// VW, a word that touches the first bar is the tag. A base other than 0 is an error, because learners do not support
// it.
class VwParser final : public LineParser {
 public:
  explicit VwParser(LabelOptions options, const NameSecret& secret = {});

  const LabelRule& label_rule() const { return rule_; }

 private:
  class Spares;
  class Block;
  struct Head;

  std::unique_ptr<RowBlock> parse(std::string& text) override;
  void drop_row() override { rule_.drop(); }
  Head parse_head(const char* at, const char* bar, const char* end);
  static void parse_number(const char*& at, const char* end, const char* expected, double& number);
  const char* parse_namespace(const char* bar, const char* end, Block& block);

  LabelRule rule_;
  NameSecret secret_;  // seeds the hash of names
  std::shared_ptr<Spares> spares_;
  std::size_t expected_features_ = 0;  // expected size of the next block
  DifferentKeys different_;
  std::string prefix_;  // scratch: what the names of a namespace begin with
};

}  // namespace wmsketch
