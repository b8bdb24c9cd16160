// JSON Lines: one object per line. Nested values get dotted names: {"a": {"b": 1}} has the column `a.b`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wmsketch/readers/line_parser.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch {

class JsonLinesParser final : public LineParser {
 public:
  explicit JsonLinesParser(RowEncoder& encoder) : encoder_(encoder) {}

 private:
  std::unique_ptr<RowBlock> parse(std::string& text) override;
  void drop_row() override { encoder_.drop_row(); }
  void parse_row();
  void count_value();
  void parse_value(int depth);
  void parse_object(int depth);
  void parse_array(int depth);
  void parse_number();
  const char* read_not_finite(double& value) const;
  std::string_view integer_ahead() const;  // empty: the next token is not an integer
  std::string_view parse_string(std::string& unescaped);
  void parse_escape(std::string& unescaped);
  std::uint32_t parse_four_hex();
  bool take(char c);
  void require_new_name(const char* at);
  bool take_expected();
  void stop_expecting();
  void note_name(std::string_view name);
  RowEncoder::ColumnId column();  // of the current value
  void skip_blanks();
  [[noreturn]] void expected(const char* what) const;

  RowEncoder& encoder_;
  const char *at_ = nullptr, *end_ = nullptr;  // the rest of the line
  std::string path_, key_, word_;              // path_: column of the current value; others: scratch for escapes
  int repeated_ = 0;                           // depth of enclosing lists whose elements share one column

  // The names of an earlier row, in its order: most rows have the same. They are different and have no dots, so none
  // can be that of a nested value.
  struct Expected {
    std::string text;                              // with the closing quote
    std::optional<RowEncoder::ColumnId> column{};  // if it had a value that is not nested
    std::string_view name() const { return {text.data(), text.size() - 1}; }
  };
  std::vector<Expected> expected_;
  std::size_t next_ = 0;              // in expected_
  std::vector<std::uint32_t> taken_;  // names of this row, as indices into expected_
  bool expects_ = false;              // all names of this row so far were expected
  bool notes_ = false;                // this row tells which names to expect
  Expected* found_ = nullptr;         // the name of the current value, if it was expected

  // Hash table of the names in the current row. An entry of an older row is free.
  struct Name {
    std::uint64_t hash = 0, row = 0;
  };
  std::vector<Name> names_ = std::vector<Name>(64);
  std::size_t n_names_ = 0, n_values_ = 0;  // in the current row
  std::uint64_t row_ = 0;
};

}  // namespace wmsketch
