// Whole lines as items: each line of a log is a row with one feature, the line itself.
#pragma once

#include "wmsketch/readers/line_parser.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch {

class WholeLineParser final : public LineParser {
 public:
  explicit WholeLineParser(const NameSecret& secret = {}) : encoder_({.categorical = {""}, .secret = secret}) {}

 private:
  bool holds_names() const override { return false; }  // lines are compared as bytes, in any encoding
  std::unique_ptr<RowBlock> parse(std::string& text) override {
    const RowEncoder::ColumnId column = encoder_.column("");
    each_line(text, [&](const char* at, const char* end) {
      encoder_.add_text(column, {at, static_cast<std::size_t>(end - at)});
      encoder_.end_row();
    });
    return encoder_.take();
  }

  RowEncoder encoder_;
};

}  // namespace wmsketch
