#include "wmsketch/readers/json_rows.hpp"

namespace wmsketch {

std::string JsonRowSplitter::feed(std::string_view chunk) {
  std::string lines;
  lines.reserve(chunk.size() + 1);
  const auto end_line = [&] {
    if (wrote_) lines += '\n';
    wrote_ = false;
  };
  const auto write = [&](char c) {
    lines += c == '\n' || c == '\r' ? ' ' : c;
    wrote_ = true;
  };
  for (const char c : chunk) {
    const bool kept = in_row_ || (is_row_level() && base_ < 2);
    if (in_string_) {
      if (kept) write(c);
      if (c == '"' && !escaped_) in_string_ = false;
      escaped_ = c == '\\' && !escaped_;
      continue;
    }
    switch (c) {
      case '{':
      case '[':
        if (!in_row_ && is_row_level() && (c == '{' || base_ < 2) && !(rows_ == JsonRows::objects && c == '[')) {
          in_row_ = true;
          found_ = true;
        }
        ++depth_;
        if (depth_ == 2 && !in_row_) in_array_ = c == '[';
        if (in_row_) write(c);
        break;
      case '}':
      case ']':
        if (in_row_) write(c);
        if (depth_ > 0) --depth_;
        if (in_row_ && depth_ == base_) {
          in_row_ = false;
          end_line();
        }
        if (depth_ < 2) done_ = done_ || (base_ == 2 && found_);
        break;
      case '\n':
      case '\r':
      case '\t':
      case ' ':
      case ',':
        if (in_row_) {
          write(c);
        } else if (kept) {
          end_line();
        }
        break;
      default:
        in_string_ = c == '"';
        if (kept) write(c);
    }
  }
  return lines;
}

}  // namespace wmsketch
