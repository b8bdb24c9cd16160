// Delimiter-separated values with a header, with RFC 4180 quoting or less. Values are parsed in place, without an
// object for each.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "wmsketch/readers/line_parser.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch {

enum class Quoting : std::uint8_t {
  strict,       // RFC 4180: a cell that starts with a quote ends with one and may contain delimiters and newlines
  whole_cells,  // quotes count only if they enclose a whole cell; others are ordinary characters
  none          // a quote is an ordinary character
};

// How a file writes numbers. `thousands` separates groups of three digits; 0: no separator.
struct NumberStyle {
  char decimal = '.', thousands = 0;
  bool usual() const { return decimal == '.' && thousands == 0; }
};

// A column is numeric if all its values in the first chunk that has values are numbers, and boolean if all are true or
// false. Columns never change their kind: a later value that does not fit is an error. Columns that the encoder was
// told to treat as categorical, numeric or text are not guessed. Missing values: empty, NA, N/A, NaN, null (any case).
class CsvParser final : public LineParser {
 public:
  // `columns`: the column names, for files without a header.
  CsvParser(RowEncoder& encoder, char delimiter, std::vector<std::string> columns, Quoting quoting = Quoting::strict,
            NumberStyle style = {});

  void next_file() override;

  // A column that is read as text only because of a few of its first values. The others are numbers.
  struct NearlyNumbers {
    std::string name;
    std::uint64_t n_numbers = 0, n_others = 0;
    std::string first_other{};
    std::uint64_t n_first = 0;  // number of others equal to first_other
    std::string first_code{};   // first of the numbers that is a code

    bool is_likely() const;
  };
  const std::vector<NearlyNumbers>& nearly_numbers() const { return nearly_numbers_; }
  std::vector<std::string> columns() const;  // of this file

 private:
  using Kind = ColumnKind;
  struct Field {
    std::string name;
    RowEncoder::ColumnId column = 0;
    Kind kind = Kind::unknown;
    bool holds_numbers = false;  // all its first values are numbers
  };
  struct Cell {
    const char* at;            // start of the cell in the text
    std::string_view text;     // without quotes; numbers are converted to the usual style
    bool other_style = false;  // a number in another style than that of the file
  };

  std::unique_ptr<RowBlock> parse(std::string& text) override;
  std::size_t whole_lines(std::string_view chunk) override;
  void drop_row() override { encoder_.drop_row(); }
  bool expects_row() const override { return !fields_.empty(); }
  void break_line(std::string_view rest) override {
    state_ = State::cell_start;
    for (const char c : rest) state_ = next_state(state_, c);
  }
  const char* find_end(const char* at, const char* end) const;
  void split(const char* at, const char* end);
  void unquote_whole(Cell& cell, std::size_t index);
  const char* split_quoted(const char* at, const char* end, std::size_t index);
  void read_numbers_of_style();
  void read_header(const char* at);
  bool is_guessed(const Field& field) const;
  void prepare_fields(const char* at, const char* text_end);
  void guess_kinds(const char* at, const char* text_end);
  bool guess_from_line(const char* at, const char* end, std::vector<Kind>& guesses, std::vector<NearlyNumbers>& counts);
  bool is_header() const;  // whether the cells are the names of the columns
  void parse_row(const char* at, const char* end);
  void add(const Field& field, const Cell& cell);
  static bool read_number_of(const Cell& cell, double& value);

  RowEncoder& encoder_;
  char delimiter_;
  std::vector<std::string> given_columns_;
  Quoting quoting_;
  NumberStyle style_;
  std::vector<NearlyNumbers> nearly_numbers_;
  std::vector<Field> fields_;          // empty: the next line is the header
  std::vector<Cell> cells_;            // of the current line
  std::deque<std::string> unescaped_;  // by cell, for cells with doubled quotes; a deque keeps views valid

  enum class State : std::uint8_t { cell_start, plain, quoted, quote_in_quoted };
  State next_state(State state, char c) const;
  State state_ = State::cell_start;  // at the end of the last chunk
  std::size_t n_mark_ = 0;           // bytes of the byte order mark seen so far
};

}  // namespace wmsketch
