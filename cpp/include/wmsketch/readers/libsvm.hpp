// LIBSVM / SVMlight text: `label [qid:n] id:value id:value ... # comment`, one example per line.
#pragma once

#include "wmsketch/readers/label_rule.hpp"
#include "wmsketch/readers/line_parser.hpp"
#include "wmsketch/simd/different_keys.hpp"

namespace wmsketch {

// Ids are integers below 2^32 and are used as keys, in the order of the line, including repeats.
class LibsvmParser final : public LineParser {
 public:
  explicit LibsvmParser(LabelOptions options) : rule_(options) {}

  const LabelRule& label_rule() const { return rule_; }

 private:
  std::unique_ptr<RowBlock> parse(std::string& text) override;
  bool holds_names() const override { return false; }
  void drop_row() override { rule_.drop(); }
  const char* parse_label(const char* at, const char* end, std::int8_t& its_class);
  // Parses the features from `at` to the end of a line, appends them at row_end, and returns the new row_end.
  std::size_t parse_features(const char* at, const char* end, std::size_t row_end);

  bool are_different(const Key* keys, std::size_t n);

  LabelRule rule_;
  DifferentKeys different_;
  // Buffers that are grown once and reused. The block gets exact copies, so there is no capacity check per feature.
  std::vector<Key> keys_;
  std::vector<float> values_;
};

}  // namespace wmsketch
