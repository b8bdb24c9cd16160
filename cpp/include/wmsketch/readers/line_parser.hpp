// Splits chunks of bytes into lines for the text parsers, counts lines, and reports the position of bad ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "wmsketch/data/row_block.hpp"
#include "wmsketch/data/utf8.hpp"
#include "wmsketch/readers/numbers.hpp"
#include "wmsketch/readers/rejected_rows.hpp"

namespace wmsketch {

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // some programs write it at the start of a text

// The text at a position of a line, quoted and shortened for a message.
std::string found_at(const char* at, const char* line_end, const char* separators = " \t");

class LineParser {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{1} << 26;  // bounds the memory for input without newlines

  virtual ~LineParser() = default;

  // Returns the rows of the lines that this chunk completes. After a bad line, returns the rows before it and sets
  // `error`; the parser then accepts no more input. Lines that are skipped instead are counted in `take_rejected`.
  // `final`: the last line is complete even without a newline.
  std::unique_ptr<RowBlock> feed(std::string_view chunk, bool final);

  const std::optional<RejectedRow>& error() const { return error_; }
  void set_rejects(RejectOptions options) { rejected_.set_options(options); }
  RejectedRows::Counts take_rejected() { return rejected_.take(); }
  virtual void next_file();  // drops an unfinished line and counts lines from 1
  void set_longest_line(std::size_t bytes) { longest_line_ = bytes; }

  // Bytes that are not UTF-8 and were read as Windows text (cp1252), see RejectOptions. A text with zero bytes is none.
  struct Repaired {
    std::uint64_t n_bytes = 0, first_line = 0;
  };
  const Repaired& repaired() const { return repaired_; }

 protected:
  // Thrown by the parser of a line.
  struct Problem {
    const char* at;
    std::string message;
    Fault fault = Fault::row;
    std::string name{}, value{};
    bool torn = false;  // the end of the row is unknown, so skipping drops only its first line
  };
  static Problem problem_at(const char* at, BadValue&& bad) {
    return {at, std::move(bad.message), bad.fault, std::move(bad.name), std::move(bad.value)};
  }

  // Converts complete lines to rows. `text` ends with kPadding extra zero bytes, and may be moved from.
  virtual std::unique_ptr<RowBlock> parse(std::string& text) = 0;

  // The length of the chunk up to the end of its last complete line. Overridden by formats whose rows may contain
  // newlines.
  virtual std::size_t whole_lines(std::string_view chunk);

  // Removes what a bad line has added so far.
  virtual void drop_row() {}
  // Whether the next line is a row. A header cannot be skipped.
  virtual bool expects_row() const { return true; }
  // The previous row was incomplete. A new line started with `rest`, the end of the last chunk.
  virtual void break_line(std::string_view) {}
  bool skips_bad_rows() const { return rejected_.skips_bad(); }
  bool tolerates() const { return rejected_.tolerates(); }
  void leave_out_row() { rejected_.leave_out(); }
  std::uint64_t line_number() const { return n_lines_ + 1; }  // of the current line

  // Formats with names must be UTF-8. Numeric formats may have comments in any encoding.
  virtual bool holds_names() const { return true; }

  // Calls parse_line(begin, end) for each line of a padded text, without its line ending, until one throws a Problem.
  // Empty lines are counted and skipped. find_end(begin, text_end) returns where a row ends.
  struct RowEnd {
    const char* newline;  // null: there is none
    bool is_one_line;     // it contains no newline
  };
  template <class FindEnd, class ParseLine>
  void each_line(const std::string& text, const FindEnd& find_end, const ParseLine& parse_line);
  template <class ParseLine>
  void each_line(const std::string& text, const ParseLine& parse_line) {
    each_line(text, [](const char* at, const char* end) { return RowEnd{find_newline(at, end), true}; }, parse_line);
  }
  static const char* find_newline(const char* at, const char* end) {
    return static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
  }

 private:
  static void require_utf8(const char* at, const char* end);
  void repair(std::string& text, std::size_t size);
  // Returns whether the bad line is skipped. Otherwise it becomes the error.
  bool pass_over(const char* line_begin, const char* line_end, Problem& problem);
  void refuse_long_line();

  std::string unfinished_;
  bool is_utf8_ = true;  // the current text
  Repaired repaired_;
  std::string text_;           // the last chunk; reused, because fresh memory is slow
  std::uint64_t n_lines_ = 0;  // lines read so far in this file
  std::size_t longest_line_ = kLongestLine;
  std::optional<RejectedRow> error_;
  RejectedRows rejected_;
};

template <class FindEnd, class ParseLine>
void LineParser::each_line(const std::string& text, const FindEnd& find_end, const ParseLine& parse_line) {
  const char* at = text.data();
  const char* line_begin = at;  // includes the byte order mark
  const char* const text_end = at + text.size() - kPadding;
  if (n_lines_ == 0 && std::string_view(text).starts_with(kByteOrderMark)) at += kByteOrderMark.size();
  while (at < text_end) {
    const auto [newline, is_one_line] = find_end(at, text_end);
    const char* line_end = newline ? newline : text_end;
    if (static_cast<std::size_t>(line_end - line_begin) > longest_line_) return refuse_long_line();
    const char* const end = line_end != at && line_end[-1] == '\r' ? line_end - 1 : line_end;
    try {
      if (!is_utf8_) require_utf8(at, end);
      if (end != at) parse_line(at, end);
    } catch (Problem& problem) {
      const char* const first_end = problem.torn ? find_newline(at, line_end) : nullptr;
      if (first_end) line_end = first_end;
      if (!pass_over(at, line_end, problem)) return;
    }
    ++n_lines_;
    if (!is_one_line) n_lines_ += static_cast<std::uint64_t>(std::count(at, line_end, '\n'));
    at = line_begin = line_end + 1;
  }
}

}  // namespace wmsketch
