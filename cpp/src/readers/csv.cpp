#include "wmsketch/readers/csv.hpp"

#include <algorithm>
#include <array>

#include "wmsketch/readers/scan.hpp"
#include "wmsketch/readers/settled_cells.hpp"

namespace wmsketch {
namespace {

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a | 0x20 : a) == b; });
}

}  // namespace

bool is_missing(std::string_view text) {
  if (text.empty()) return true;
  if (text.size() > 4 || ((text[0] | 0x20) != 'n' && text[0] != '#')) return false;
  constexpr std::array<std::string_view, 5> kWords = {"na", "n/a", "#n/a", "nan", "null"};
  return std::any_of(kWords.begin(), kWords.end(), [&](auto word) { return equals_ignoring_case(text, word); });
}

std::optional<bool> boolean_in(std::string_view text) {
  if (equals_ignoring_case(text, "true")) return true;
  if (equals_ignoring_case(text, "false")) return false;
  return std::nullopt;
}

CsvParser::CsvParser(RowEncoder& encoder, char delimiter, std::vector<std::string> columns, Quoting quoting,
                     NumberStyle style)
    : encoder_(encoder), delimiter_(delimiter), given_columns_(std::move(columns)), quoting_(quoting), style_(style) {
  const bool in_numbers = is_digit(delimiter) || (delimiter | 0x20) == 'e' || std::strchr("+-.", delimiter);
  if (delimiter == '"' || delimiter == '\n' || delimiter == '\r' || in_numbers)
    throw std::invalid_argument("delimiter must not be a quote, a line end or a character of numbers, got " +
                                quoted(std::string_view(&delimiter, 1)));
}

void CsvParser::next_file() {
  LineParser::next_file();
  fields_.clear();
  state_ = State::cell_start;
  n_mark_ = 0;
  n_preamble_ = 0;
  skips_blanks_ = false;
  sample_.clear();
}

CsvParser::State CsvParser::next_state(State state, char c) const {
  if (state == State::quoted) return c == '"' ? State::quote_in_quoted : State::quoted;
  if (c == '"' && state != State::plain) return State::quoted;  // opens a cell, or doubles a quote
  return c == delimiter_ || c == '\n' ? State::cell_start : State::plain;
}

std::size_t CsvParser::whole_lines(std::string_view chunk) {
  if (quoting_ != Quoting::strict) return LineParser::whole_lines(chunk);
  std::size_t whole = 0;
  std::size_t i = 0;
  for (; i < chunk.size() && n_mark_ < kByteOrderMark.size(); ++i) {  // a quote right after the mark opens a cell
    if (chunk[i] == kByteOrderMark[n_mark_]) {
      ++n_mark_;
      continue;
    }
    if (n_mark_ > 0) state_ = State::plain;
    n_mark_ = kByteOrderMark.size();
    break;
  }
  const std::string_view rest = chunk.substr(i);
  const bool in_quotes = state_ == State::quoted || state_ == State::quote_in_quoted;
  if (!in_quotes && rest.find('"') == std::string_view::npos) {  // fast path for text without quotes
    if (!rest.empty()) state_ = next_state(State::plain, rest.back());
    return chunk.rfind('\n') + 1;
  }
  state_ = walk(state_, rest.data(), rest.data() + rest.size(), [&](const char* newline) {
    whole = static_cast<std::size_t>(newline - chunk.data()) + 1;
    return false;
  });
  return whole;
}

void CsvParser::break_line(std::string_view rest) {
  state_ = walk(State::cell_start, rest.data(), rest.data() + rest.size(), [](const char*) { return false; });
}

// Only separators and quotes change the state, or begin a cell that the characters between them make plain.
template <class Ends>
CsvParser::State CsvParser::walk(State state, const char* at, const char* end, const Ends& ends) const {
  const auto pass = [&](const char* begin, const char* stop) {
    if (begin != stop && state != State::quoted) state = State::plain;
  };
  const auto see = [&](const char* mark) {
    pass(at, mark);
    state = next_state(state, *mark);
    at = mark + 1;
    return *mark == '\n' && state == State::cell_start && ends(mark);
  };
  const char* from = at;
  for (; end - from >= 64; from += 64)
    for (std::uint64_t marks = marks_of_64(from, delimiter_, '\n', '"'); marks != 0;)
      if (see(from + take_mark(marks))) return state;
  for (; from != end; ++from)  // fewer than 64 can be read
    if ((*from == delimiter_ || *from == '\n' || *from == '"') && see(from)) return state;
  pass(at, end);
  return state;
}

LineParser::RowEnd CsvParser::find_end(const char* at, const char* end) {
  marked_ = marks_.row_at(at, end, delimiter_, quoting_ != Quoting::none);
  if (marked_.n_cells > 0) return {marked_.line_end(), true};
  if (quoting_ != Quoting::strict) return {find_newline(at, end), true};
  const char* newline = nullptr;
  const auto stop = [&](const char* found) { return (newline = found) != nullptr; };
  walk(State::cell_start, at, end, stop);
  return {newline, false};
}

std::unique_ptr<RowBlock> CsvParser::parse(std::string& text) {
  const char* const text_end = text.data() + text.size() - kPadding;
  marks_.forget();
  n_bytes_ = text.size();
  if (fields_.empty())
    for (const std::string& name : given_columns_) fields_.push_back({name});
  if (!fields_.empty()) prepare_fields(text.data(), text_end);
  settled_ = false;
  each_line(
      text, [this](const char* at, const char* end) { return find_end(at, end); },
      [&](const char* at, const char* end) {
        if (n_preamble_ > 0) {
          --n_preamble_;
          return;
        }
        if (!settled_ && !fields_.empty()) settle_columns();
        if (settled_ && splits_marked_ && parse_marked_row(at, end)) return;
        split(at, end);
        if (fields_.empty()) {
          read_header(at);
          add_row_names(end, text_end);
          prepare_fields(end, text_end);
        } else {
          parse_row(at, end);
        }
      });
  return encoder_.take();
}

// Files that were put one behind the other keep their headers.
bool CsvParser::is_header() const {
  const auto same = [](const Cell& cell, const Field& field) { return cell.text == field.name; };
  return fields_.size() > 1 && std::equal(cells_.begin(), cells_.end(), fields_.begin(), fields_.end(), same);
}

std::vector<std::string> CsvParser::columns() const {
  std::vector<std::string> names;
  for (const Field& field : fields_) names.push_back(field.name);
  return names;
}

void CsvParser::settle_columns() {
  constexpr std::size_t kFewBytes = 1 << 16;  // to make the table of texts would take longer than the rows
  settled_ = encoder_.settles() && (encoder_.remembers_texts() || n_bytes_ >= kFewBytes);
  if (!settled_) return;
  splits_marked_ = !encoder_.has_condition() && !skips_blanks_ && style_.usual();
  settled_columns_.clear();
  for (const Field& field : fields_) settled_columns_.push_back(encoder_.settled(field.column, field.holds_numbers));
  std::uint32_t n_settled = 0;
  for (auto column = settled_columns_.rbegin(); column != settled_columns_.rend(); ++column)
    column->n_settled = n_settled = column->form == RowEncoder::Form::other ? 0 : n_settled + 1;
}

template <class CellAt>
void CsvParser::encode_row(const char* at, const CellAt& cell_at) {
  const char* place = at;
  const std::size_t n = fields_.size();
  try {
    for (std::size_t i = 0; i < n; ++i) {
      if (settled_ && settled_columns_[i].n_settled > 0)
        i = encoder_.add_settled(settled_columns_, i, [&](std::size_t column) {
          const Cell cell = cell_at(column);
          const bool in_text = cell.text.data() == cell.at || cell.text.data() == cell.at + 1;  // not unquoted
          return SettledCell{cell.text.data(), cell.text.size(), in_text && !cell.other_style};
        });
      if (i >= n) break;
      const Cell cell = cell_at(i);
      place = cell.at;
      add_any(fields_[i], cell);
    }
    place = at;
    encoder_.end_row();
  } catch (BadValue& bad) {
    throw problem_at(place, std::move(bad));
  }
}

bool CsvParser::parse_marked_row(const char* at, const char* end) {
  if (marked_.n_cells != fields_.size()) return false;
  marked_.marks[marked_.n_cells] = static_cast<std::uint32_t>(end - marked_.text);
  if (marked_.cell(0) == fields_[0].name) return false;  // perhaps the names of the columns again
  encode_row(at, [&](std::size_t i) {
    const std::string_view text = marked_.cell(i);
    return Cell{text.data(), text};
  });
  return true;
}

void CsvParser::parse_row(const char* at, const char* end) {
  if (cells_.size() != fields_.size()) require_row(at, end);
  if (is_header()) throw Problem{at, "expected a row, found the names of the columns again", Fault::shape};
  read_numbers_of_style();
  if (encoder_.has_condition() && !passes()) return leave_out_row();
  encode_row(at, [&](std::size_t i) { return cells_[i]; });
}

bool CsvParser::passes() {
  encoder_.start_test();
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const Cell& cell = cells_[i];
    try {
      if (cell.other_style && encoder_.is_tested(fields_[i].column))
        throw BadValue{"expected a number in the style of the file, found " + quoted(cell.text)};
      if (!cell.text.empty()) encoder_.test(fields_[i].column, cell.text, std::nullopt);
    } catch (BadValue& bad) {
      throw problem_at(cell.at, std::move(bad));
    }
  }
  return encoder_.passes();
}

// Cells that a short row lacks are missing, and empty cells behind the last column are dropped. In a table of several
// columns, a line of one cell is no row but a title or a remark.
bool CsvParser::fit_cells(const char* end) {
  if (!tolerates()) return cells_.size() == fields_.size();
  const auto is_full = [](const Cell& cell) { return !cell.text.empty(); };
  while (cells_.size() > fields_.size() && cells_.back().text.empty()) cells_.pop_back();
  if (cells_.size() >= fields_.size()) return cells_.size() == fields_.size();
  if (fields_.size() > 2 && std::count_if(cells_.begin(), cells_.end(), is_full) < 2) return false;
  cells_.resize(fields_.size(), Cell{end, {end, end}});
  return true;
}

void CsvParser::require_row(const char* at, const char* end) {
  const std::size_t n_cells = cells_.size();
  if (fit_cells(end)) {
    if (n_cells < fields_.size() && n_short_++ == 0) first_short_ = line_number();
    return;
  }
  const bool half_quoted = quoting_ == Quoting::whole_cells && std::memchr(at, '"', static_cast<std::size_t>(end - at));
  throw Problem{cells_.size() > fields_.size() ? cells_[fields_.size()].at : end,
                "expected " + std::to_string(fields_.size()) + " columns, found " + std::to_string(n_cells) +
                    (half_quoted ? " (with quoting, a cell in quotes may contain delimiters and line ends)" : ""),
                Fault::shape};
}

void CsvParser::read_numbers_of_style() {
  if (style_.usual()) return;
  if (unescaped_.size() < cells_.size()) unescaped_.resize(cells_.size());
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const std::string_view text = cells_[i].text;
    std::string usual = in_usual_style(text, style_);
    const bool with_comma = style_.decimal == ',';  // otherwise amounts are read as they are
    const Amount amount = usual.empty() && with_comma ? amount_in(text, style_) : Amount{};
    if (!amount.sign.empty()) usual = amount.number + std::string(amount.sign);
    double value;
    cells_[i].other_style =
        usual.empty() && (read_number_in(text, value) || (with_comma && !amount_in(text).sign.empty()));
    if (!usual.empty()) cells_[i].text = unescaped_[i] = std::move(usual);
  }
}

// Reads a cell of the padded text in place. Blanks around the number and doubled quotes are rare. The result is not a
// std::optional: reading it back with a wider load than it was stored would cause a store-forwarding stall.
bool CsvParser::read_number_of(const Cell& cell, double& value) {
  if (cell.other_style) return false;
  const char* const begin = cell.text.data();
  const bool padded = begin == cell.at || begin == cell.at + 1;
  if (padded && read_number(begin, value) == begin + cell.text.size()) return true;
  return read_number_in(cell.text, value);
}

void CsvParser::add_any(const Field& field, const Cell& cell) {
  using Role = RowEncoder::Role;
  const Role role = encoder_.role(field.column);
  if (role == Role::skip) return;
  const std::string_view text = cell.text;
  double number;
  if (field.holds_numbers && read_number_of(cell, number))
    return encoder_.add_number(field.column, number, without_blanks(text));
  const bool guessed = is_guessed(field);
  const Kind kind = guessed ? field.kind : role == Role::numeric || role == Role::weight ? Kind::number : Kind::text;
  if (text.empty() || (kind != Kind::text && (is_missing(text) || encoder_.is_na(text))))
    return encoder_.add_missing(field.column);
  if (field.takes_amounts && !cell.other_style)
    if (const auto amount = number_in(amount_in(text).number)) return encoder_.add_number(field.column, *amount, text);
  if (field.holds_numbers) return encoder_.add_odd(field.column, text);
  if (guessed && kind == Kind::mixed && read_number_of(cell, number))
    return encoder_.add_number(field.column, number, text);
  if (guessed && (kind == Kind::mixed || kind == Kind::boolean))
    if (const auto truth = boolean_in(text)) return encoder_.add_bool(field.column, *truth, text);
  encoder_.add_text(field.column, text);
}

}  // namespace wmsketch
