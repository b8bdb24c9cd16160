#include "wmsketch/readers/line_parser.hpp"

#include <algorithm>
#include <stdexcept>

namespace wmsketch {
namespace {

// If bad rows are skipped, a row that spans more than this many bytes of lines is taken to have an unmatched quote.
constexpr std::size_t kLongestTorn = std::size_t{1} << 22;
constexpr std::size_t kLargestChunk = std::size_t{1} << 30;  // so that 32 bits can address any position

void append_escaped(std::string& text, unsigned char byte) {
  constexpr std::string_view kHex = "0123456789abcdef";
  if (byte == '\t') {
    text += "\\t";
  } else if (byte == '\r') {
    text += "\\r";
  } else {
    text += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
  }
}

}  // namespace

std::string found_at(const char* at, const char* line_end, const char* separators) {
  if (at == line_end) return "the end of the line";
  constexpr std::size_t kLongest = 24;
  std::string text = "\"";
  const std::string_view stops = separators;
  for (const char* const begin = at; at < line_end && (at == begin || stops.find(*at) == std::string_view::npos);) {
    if (static_cast<std::size_t>(at - begin) >= kLongest) {
      text += "...";
      break;
    }
    const std::size_t size = utf8_size(at, line_end);
    const auto byte = static_cast<unsigned char>(*at);
    if (size == 0 || byte < 0x20 || byte == 0x7f) {
      append_escaped(text, byte);
      ++at;
      continue;
    }
    if (byte == '"' || byte == '\\') text += '\\';
    text.append(at, size);
    at += size;
  }
  return text + '"';
}

std::unique_ptr<RowBlock> LineParser::feed(std::string_view chunk, bool final) {
  if (error_) throw std::invalid_argument("the parser has found a bad line and accepts no more input");
  if (chunk.size() > kLargestChunk)
    throw std::invalid_argument("a chunk must have at most 1 GiB, got " + std::to_string(chunk.size()) + " bytes");
  const std::size_t whole = whole_lines(chunk);
  std::size_t complete = final ? chunk.size() : whole;
  if (complete == 0 && skips_bad_rows() && unfinished_.size() + chunk.size() > kLongestTorn &&
      chunk.find('\n') != std::string_view::npos) {
    complete = chunk.rfind('\n') + 1;
    break_line(chunk.substr(complete));
  }
  text_.clear();
  if (complete > 0 || final) {
    text_.reserve(unfinished_.size() + complete + kPadding);
    text_ += unfinished_;
    text_ += chunk.substr(0, complete);
    unfinished_.clear();
  }
  const std::string_view rest = chunk.substr(complete);
  unfinished_ += rest;
  text_.append(kPadding, '\0');
  std::unique_ptr<RowBlock> block = parse(text_);
  if (!error_ && unfinished_.size() > longest_line_) refuse_long_line();
  return block;
}

std::size_t LineParser::whole_lines(std::string_view chunk) {
  return chunk.rfind('\n') + 1;  // 0 if there is none
}

void LineParser::next_file() {
  unfinished_.clear();
  n_lines_ = 0;
}

void LineParser::require_utf8(const char* at, const char* end) {
  if (const char* bad = find_invalid_utf8(at, end))
    throw Problem{bad, "expected text in UTF-8, found the bytes " + found_at(bad, end, " \t,"), Fault::encoding};
}

bool LineParser::pass_over(const char* begin, const char* end, Problem& problem) {
  drop_row();
  const std::string_view text(begin, static_cast<std::size_t>(end - begin));
  const auto n_newlines = std::count(begin, problem.at, '\n');
  while (const char* newline = find_newline(begin, problem.at)) begin = newline + 1;
  const auto n_characters = std::count_if(begin, problem.at, [](char c) { return (c & 0xc0) != 0x80; });
  RejectedRow row{n_lines_ + static_cast<std::uint64_t>(n_newlines) + 1,
                  static_cast<std::uint64_t>(n_characters) + 1,
                  std::move(problem.message),
                  expects_row() ? problem.fault : Fault::file,
                  std::move(problem.name),
                  std::move(problem.value)};
  if (!rejected_.passes_over(row.fault)) {
    error_ = std::move(row);
    return false;
  }
  row.text = text.ends_with('\r') ? text.substr(0, text.size() - 1) : text;
  rejected_.add(std::move(row));
  return true;
}

void LineParser::refuse_long_line() {
  error_ = {n_lines_ + 1, 1, "expected a line of at most " + std::to_string(longest_line_) + " bytes", Fault::file};
}

}  // namespace wmsketch
