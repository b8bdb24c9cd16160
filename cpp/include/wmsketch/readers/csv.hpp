// Delimiter-separated values with a header, with RFC 4180 quoting or less. Values are parsed in place, without an
// object for each.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wmsketch/readers/cell_marks.hpp"
#include "wmsketch/readers/line_parser.hpp"
#include "wmsketch/readers/number_style.hpp"
#include "wmsketch/readers/row_encoder.hpp"
#include "wmsketch/readers/times.hpp"

namespace wmsketch {

enum class Quoting : std::uint8_t {
  strict,       // RFC 4180: a cell that starts with a quote ends with one and may contain delimiters and newlines
  whole_cells,  // quotes count only if they enclose a whole cell; others are ordinary characters
  none          // a quote is an ordinary character
};

// A column is numeric if nearly all its values in the first chunk that has values are numbers, and boolean if all are
// true or false. Columns never change their kind: a value that does not fit is odd (see RowEncoder::Odd). Columns that
// the encoder was told to treat as categorical, numeric or text are not guessed. Missing values: empty, NA, N/A, NaN,
// null (any case).
class CsvParser final : public LineParser {
 public:
  // `columns`: the column names, for files without a header.
  CsvParser(RowEncoder& encoder, char delimiter, std::vector<std::string> columns, Quoting quoting = Quoting::strict,
            NumberStyle style = {});

  void next_file() override;
  // The number of nonempty lines before the header of this file.
  void set_preamble(std::uint64_t lines) { n_preamble_ = lines; }
  // Whether each delimiter of this file is followed by a blank, as in `39, Private`, which is no part of the cell.
  void set_blanks(bool behind_delimiters) { skips_blanks_ = behind_delimiters; }
  // The beginning of this file, from which kinds are guessed; without it, they are guessed from the first chunk.
  void set_sample(std::string_view text);

  // Columns of numbers that are read as text because only they are quoted.
  const std::vector<std::string>& quoted_numbers() const { return quoted_numbers_; }
  // Columns of amounts that are read as numbers, and columns of numbers and texts that are read as text; each with its
  // first amount or text.
  const std::vector<std::pair<std::string, std::string>>& amounts() const { return amounts_; }
  const std::vector<std::pair<std::string, std::string>>& mixed() const { return mixed_; }
  // Columns of dates like 3/4/2024 that are read as text, because none shows which number is the month.
  const std::vector<std::pair<std::string, std::string>>& unclear_dates() const { return unclear_dates_; }
  // Names that occur twice in a header: the name, and what the later column is called.
  const std::vector<std::pair<std::string, std::string>>& renamed() const { return renamed_; }
  std::vector<std::string> columns() const;  // of this file
  // Rows with fewer cells than columns, and the line of the first.
  std::pair<std::uint64_t, std::uint64_t> short_rows() const { return {n_short_, first_short_}; }

 private:
  using Kind = ColumnKind;
  struct Field {
    std::string name;
    RowEncoder::ColumnId column = 0;
    Kind kind = Kind::unknown;
    bool holds_numbers = false;  // all its first values are numbers
    bool takes_amounts = false;  // numbers may have a sign like $ or %
  };
  struct Guess {  // counts of the first values of a column
    std::uint64_t n_numbers = 0, n_others = 0, n_booleans = 0, n_quoted = 0;
    std::uint64_t n_marks = 0;  // neither: texts like - and ?, which stand for a missing value in any column
    std::string first_other{};
    std::uint64_t n_first = 0;    // number of others equal to first_other
    std::string first_code{};     // first of the numbers that is a code
    std::uint64_t n_amounts = 0;  // others that are amounts with the sign of the first
    std::string sign{};
    std::uint64_t n_epochs = 0;  // numbers that are seconds since 1970, if the name of the column says so
    TimeGuess times{};

    bool is_number() const;
    std::uint64_t n_texts() const { return n_others + n_marks; }
    bool is_amount() const { return n_numbers == 0 && n_amounts > 0 && n_amounts == n_others; }
    bool is_epoch() const { return n_epochs > 0 && n_epochs == n_numbers && n_others == 0; }
    bool is_mixed() const { return n_numbers >= n_others && n_others > 0; }
    Kind kind(bool quotes_mean_text) const;
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
  void break_line(std::string_view rest) override;
  // Where the row at `at` ends. A row without quotes is split, too: both take one pass over its characters.
  RowEnd find_end(const char* at, const char* end);
  void split(const char* at, const char* end);
  void split_cells(const char* at, const char* end);
  void split_marked(const char* end);
  const char* quote_behind_blanks(const char* at, const char* end) const;  // where it is none: at
  void unquote_whole(Cell& cell, std::size_t index);
  const char* split_quoted(const char* at, const char* end, std::size_t index);
  void read_numbers_of_style();
  void read_header(const char* at);
  bool is_guessed(const Field& field) const;
  void prepare_fields(const char* at, const char* text_end);
  void guess_kinds(const char* at, const char* text_end);
  bool guess_from_line(const char* at, const char* end, std::vector<Guess>& guesses);
  bool fit_cells(const char* end);
  void require_row(const char* at, const char* end);
  void add_row_names(const char* at, const char* text_end);
  bool is_header() const;  // whether the cells are the names of the columns
  void parse_row(const char* at, const char* end);
  // The same for a row of `marked_` whose columns are settled. False: it needs a closer look.
  bool parse_marked_row(const char* at, const char* end);
  bool passes();  // the condition
  template <class CellAt>
  void encode_row(const char* at, const CellAt& cell_at);
  void settle_columns();
  void add_any(const Field& field, const Cell& cell);
  static bool read_number_of(const Cell& cell, double& value);

  RowEncoder& encoder_;
  char delimiter_;
  std::vector<std::string> given_columns_;
  Quoting quoting_;
  NumberStyle style_;
  std::vector<std::string> quoted_numbers_;
  std::vector<std::pair<std::string, std::string>> renamed_, amounts_, mixed_, unclear_dates_;
  std::uint64_t n_preamble_ = 0;  // lines still to be left out
  bool skips_blanks_ = false;
  std::string sample_;
  std::uint64_t n_above_ = 0;  // lines of the sample above its first row
  std::uint64_t n_short_ = 0, first_short_ = 0;
  std::vector<Field> fields_;  // empty: the next line is the header
  std::vector<Cell> cells_;    // of the current line
  std::size_t n_bytes_ = 0;    // of the current text
  CellMarks marks_;
  CellMarks::Row marked_{};     // the current line, if it has no quotes
  bool settled_ = false;        // whether `settled_columns_` is known for this block
  bool splits_marked_ = false;  // whether a row of `marked_` need not be changed first
  std::vector<RowEncoder::SettledColumn> settled_columns_;
  std::deque<std::string> unescaped_;  // by cell, for cells with doubled quotes; a deque keeps views valid

  enum class State : std::uint8_t { cell_start, plain, quoted, quote_in_quoted };
  State next_state(State state, char c) const;
  // The state after a text. Calls ends(newline) for each end of a row, until it returns true.
  template <class Ends>
  State walk(State state, const char* at, const char* end, const Ends& ends) const;
  State state_ = State::cell_start;  // at the end of the last chunk
  std::size_t n_mark_ = 0;           // bytes of the byte order mark seen so far
};

}  // namespace wmsketch
