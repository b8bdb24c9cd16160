#include "wmsketch/readers/plain_text.hpp"

namespace wmsketch {

std::unique_ptr<RowBlock> PlainTextParser::parse(std::string& text) {
  const RowEncoder::ColumnId column = encoder_.column("");
  each_line(text, [&](const char* at, const char* end) {
    try {
      encoder_.add_text(column, {at, static_cast<std::size_t>(end - at)});
      encoder_.end_row();
    } catch (BadValue& bad) {
      throw problem_at(at, std::move(bad));
    }
  });
  return encoder_.take();
}

}  // namespace wmsketch
