// The cells of a line, with or without quotes.
#include <algorithm>

#include "wmsketch/readers/csv.hpp"

namespace wmsketch {
namespace {

constexpr std::size_t kMostColumns = 1 << 20;  // per line, because a cell takes more memory than a delimiter
constexpr const char* kQuotingHint = " (without quoting, a quote is an ordinary character)";

}  // namespace

void CsvParser::split(const char* at, const char* end) {
  split_cells(at, end);
  if (!skips_blanks_) return;
  for (Cell& cell : cells_)
    if (cell.text.data() == cell.at)  // not in quotes
      while (!cell.text.empty() && cell.text.front() == ' ') cell = {++cell.at, cell.text.substr(1)};
}

void CsvParser::split_cells(const char* at, const char* end) {
  cells_.clear();
  if (marked_.n_cells > 0 && marked_.begin() == at) return split_marked(end);
  for (std::size_t index = 0;; ++index) {
    const char* const begin = at;
    if (quoting_ == Quoting::strict && at != end && *at == ' ' && delimiter_ != ' ') at = quote_behind_blanks(at, end);
    if (quoting_ == Quoting::strict && at != end && *at == '"') {
      at = split_quoted(at, end, index);
    } else {
      at = find_near(at, end, delimiter_);
      cells_.push_back({begin, {begin, static_cast<std::size_t>(at - begin)}});
      if (quoting_ == Quoting::whole_cells) unquote_whole(cells_.back(), index);
    }
    if (at == end) return;
    if (index >= kMostColumns) throw Problem{at, "expected at most 1,048,576 columns"};
    ++at;  // the delimiter
  }
}

void CsvParser::split_marked(const char* end) {
  marked_.marks[marked_.n_cells] = static_cast<std::uint32_t>(end - marked_.text);
  for (std::size_t i = 0; i < marked_.n_cells; ++i) {
    const std::string_view text = marked_.cell(i);
    cells_.push_back({text.data(), text});
  }
}

// Some files have blanks before the quotes of a cell. It is quoted if its quotes enclose all of it, in this line.
const char* CsvParser::quote_behind_blanks(const char* at, const char* end) const {
  const char* const quote = std::find_if(at, end, [](char c) { return c != ' '; });
  if (quote == end || *quote != '"') return at;
  for (const char* close = quote + 1; (close = std::find(close, end, '"')) != end; close += 2) {
    if (close + 1 != end && close[1] == '"') continue;
    const char* const behind = std::find_if(close + 1, end, [](char c) { return c != ' '; });
    return behind == end || *behind == delimiter_ ? quote : at;
  }
  return at;
}

void CsvParser::unquote_whole(Cell& cell, std::size_t index) {
  if (cell.text.size() < 2 || cell.text.front() != '"' || cell.text.back() != '"') return;
  const std::string_view inside = cell.text.substr(1, cell.text.size() - 2);
  std::size_t quote = inside.find('"');
  if (quote == std::string_view::npos) {
    cell.text = inside;
    return;
  }
  if (unescaped_.size() <= index) unescaped_.resize(index + 1);
  std::string& text = unescaped_[index];
  text.clear();
  std::size_t piece = 0;
  for (; quote != std::string_view::npos; quote = inside.find('"', piece)) {
    if (quote + 1 == inside.size() || inside[quote + 1] != '"') return;  // a single quote: the cell is not quoted
    text += inside.substr(piece, quote + 1 - piece);
    piece = quote + 2;
  }
  text += inside.substr(piece);
  cell.text = text;
}

const char* CsvParser::split_quoted(const char* at, const char* end, std::size_t index) {
  const char* const begin = at + 1;
  if (unescaped_.size() <= index) unescaped_.resize(index + 1);
  std::string& text = unescaped_[index];
  text.clear();
  const char* piece = begin;
  for (;;) {
    const auto* quote = static_cast<const char*>(std::memchr(piece, '"', static_cast<std::size_t>(end - piece)));
    if (!quote)
      throw Problem{.at = at,
                    .message = "expected a closing quote for " + found_at(at, end, "\n") + kQuotingHint,
                    .fault = Fault::shape,
                    .torn = true};
    const bool doubled = quote + 1 != end && quote[1] == '"';
    if (!doubled && text.empty()) {
      cells_.push_back({at, {begin, static_cast<std::size_t>(quote - begin)}});
    } else {
      text.append(piece, quote + doubled);
      if (!doubled) cells_.push_back({at, text});
    }
    if (!doubled) {
      const char* behind = quote + 1;
      while (behind != end && *behind == ' ' && delimiter_ != ' ') ++behind;  // some files align their columns
      if (behind != end && *behind != delimiter_)
        throw Problem{
            .at = behind,
            .message = "expected a delimiter after the closing quote, found " + found_at(behind, end) + kQuotingHint,
            .fault = Fault::shape,
            .torn = true};
      return behind;
    }
    piece = quote + 2;
  }
}

}  // namespace wmsketch
