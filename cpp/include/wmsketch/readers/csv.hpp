// Comma (or otherwise) separated values with a header, quoted as in RFC 4180 or less. No value becomes an object of its
// own.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "wmsketch/readers/line_parser.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch {

enum class Quoting : std::uint8_t {
  strict,       // a cell that begins with a quote ends with one, as in RFC 4180, and may hold delimiters and newlines
  whole_cells,  // quotes count only where they enclose all of a cell, between two delimiters; others stay as they are
  none          // a quote is a character like any other
};

// How a file writes numbers. Groups of three digits may be told apart by `thousands`, if it is not 0.
struct NumberStyle {
  char decimal = '.', thousands = 0;
  bool usual() const { return decimal == '.' && thousands == 0; }
};

// A column is numeric when all its values in the first chunk that has some are numbers, boolean when all are true or
// false. A value that breaks the rule later is an error: columns never change their kind. Columns that the encoder was
// told to take as categorical, numeric or text are not guessed. Missing: empty, NA, N/A, NaN, null (any case).
class CsvParser final : public LineParser {
 public:
  // `columns`: the names, for files without a header.
  CsvParser(RowEncoder& encoder, char delimiter, std::vector<std::string> columns, Quoting quoting = Quoting::strict,
            NumberStyle style = {});

  void next_file() override;

  // A column that is read as text because of a few of its first values: the others are numbers.
  struct NearlyNumbers {
    std::string name;
    std::uint64_t n_numbers = 0, n_others = 0;
    std::string first_other{};
    std::uint64_t n_first = 0;  // of the others are the same as the first
    std::string first_code{};   // of the numbers

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
    bool holds_numbers = false;  // and nothing else, by its first values
  };
  struct Cell {
    const char* at;            // where it stands in the file
    std::string_view text;     // without quotes; a number in the usual style
    bool other_style = false;  // a number only in another style than that of the file
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
  std::vector<Field> fields_;          // empty: the header comes next
  std::vector<Cell> cells_;            // of the current line
  std::deque<std::string> unescaped_;  // by cell, for those with doubled quotes; stays where it is

  enum class State : std::uint8_t { cell_start, plain, quoted, quote_in_quoted };
  State next_state(State state, char c) const;
  State state_ = State::cell_start;  // at the end of the last chunk
  std::size_t n_mark_ = 0;           // bytes of a byte order mark met at the beginning of the file
};

}  // namespace wmsketch
