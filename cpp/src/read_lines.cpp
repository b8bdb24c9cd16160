#include <algorithm>
#include <stdexcept>

#include "wmsketch/readers/line_parser.hpp"

namespace wmsketch {
namespace {

constexpr std::size_t kLargestChunk = std::size_t{1} << 30;  // so that 32 bits address any place of a text

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
  if (error_) throw std::invalid_argument("the parser has met a bad line and takes no more input");
  if (chunk.size() > kLargestChunk) throw std::invalid_argument("a chunk must have at most 1 GiB");
  const std::size_t whole = whole_lines(chunk);
  const std::size_t complete = final ? chunk.size() : whole;
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
  return chunk.rfind('\n') + 1;  // 0 when there is none
}

void LineParser::next_file() {
  unfinished_.clear();
  n_lines_ = 0;
}

void LineParser::require_utf8(const char* at, const char* end) {
  if (const char* bad = find_invalid_utf8(at, end))
    throw Problem{bad, "expected text in UTF-8, found the bytes " + found_at(bad, end, " \t,")};
}

void LineParser::refuse(const char* begin, const char* at, std::string message) {
  const auto n_newlines = std::count(begin, at, '\n');
  while (const char* newline = find_newline(begin, at)) begin = newline + 1;
  const auto n_characters = std::count_if(begin, at, [](char c) { return (c & 0xc0) != 0x80; });
  error_ = {n_lines_ + static_cast<std::uint64_t>(n_newlines) + 1, static_cast<std::uint64_t>(n_characters) + 1,
            std::move(message)};
}

void LineParser::refuse_long_line() {
  error_ = {n_lines_ + 1, 1, "expected a line of at most " + std::to_string(longest_line_) + " bytes"};
}

}  // namespace wmsketch
