// LIBSVM / SVMlight text: `label [qid:n] id:value id:value ... # comment`, one example a line.
#pragma once

#include "wmsketch/readers/label_rule.hpp"
#include "wmsketch/readers/line_parser.hpp"

namespace wmsketch {

// Ids are whole numbers below 2^32 and become keys as they are, in the order of the line, repeated ones too.
class LibsvmParser final : public LineParser {
 public:
  explicit LibsvmParser(LabelOptions options) : rule_(options) {}

  const LabelRule& label_rule() const { return rule_; }

 private:
  std::unique_ptr<RowBlock> parse(std::string& text) override;
  bool holds_names() const override { return false; }
  void drop_row() override { rule_.drop(); }
  const char* parse_label(const char* at, const char* end, std::int8_t& its_class);
  // The features from `at` to the end of a line, written behind row_end; returns the new row_end.
  std::size_t parse_features(const char* at, const char* end, std::size_t row_end);

  LabelRule rule_;
  // Grown once and reused: the block gets exact copies, so that no feature pays for a check of capacity.
  std::vector<Key> keys_;
  std::vector<float> values_;
};

}  // namespace wmsketch
