#include "wmsketch/readers/line_parser.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

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
  is_utf8_ = true;
  if (holds_names() && find_invalid_utf8(text_.data(), text_.data() + text_.size())) repair(text_, text_.size());
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

void LineParser::repair(std::string& text, std::size_t size) {
  // the characters of the bytes 0x80 to 0x9f; others have the number of their byte
  constexpr std::uint16_t kCp1252[32] = {0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021,
                                         0x2c6,  0x2030, 0x160,  0x2039, 0x152,  0x8d,   0x17d,  0x8f,
                                         0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                         0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178};
  is_utf8_ = tolerates() && !std::memchr(text.data(), 0, size);
  if (!is_utf8_) return;
  const std::string before = std::exchange(text, {});
  const char* at = before.data();
  const char* const end = at + before.size();
  text.reserve(before.size() + before.size() / 16);
  for (const char* bad; (bad = find_invalid_utf8(at, end)) != nullptr; at = bad + 1) {
    text.append(at, bad);
    if (repaired_.n_bytes++ == 0)
      repaired_.first_line = n_lines_ + static_cast<std::uint64_t>(std::count(before.data(), bad, '\n')) + 1;
    const auto byte = static_cast<unsigned char>(*bad);
    const unsigned code = byte < 0xa0 ? kCp1252[byte - 0x80] : byte;
    if (code >= 0x800) text += static_cast<char>(0xe0 | code >> 12);
    text += static_cast<char>(code >= 0x800 ? 0x80 | (code >> 6 & 0x3f) : 0xc0 | code >> 6);
    text += static_cast<char>(0x80 | (code & 0x3f));
  }
  text.append(at, end);
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
  if (rejected_.keeps_all()) row.text = text.ends_with('\r') ? text.substr(0, text.size() - 1) : text;
  rejected_.add(std::move(row));
  return true;
}

void LineParser::refuse_long_line() {
  error_ = {n_lines_ + 1, 1, "expected a line of at most " + std::to_string(longest_line_) + " bytes", Fault::file};
}

}  // namespace wmsketch
