// Plain text: each line is an example, its words and n-grams are the features.
#pragma once

#include "wmsketch/readers/line_parser.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch {

class PlainTextParser final : public LineParser {
 public:
  PlainTextParser(std::uint32_t ngrams, bool lowercase, const NameSecret& secret = {})
      : encoder_({.text = {""}, .ngrams = ngrams, .lowercase = lowercase, .secret = secret}) {}

 private:
  std::unique_ptr<RowBlock> parse(std::string& text) override;
  void drop_row() override { encoder_.drop_row(); }

  RowEncoder encoder_;
};

}  // namespace wmsketch
