// What a parser makes of a text, for tests of parsers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wmsketch/data/row_block.hpp"

namespace wmsketch {

inline std::vector<std::string> names(const RowBlock& block) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < block.keys.size(); ++i) all.push_back(block.name(i));
  return all;
}

// Line, column and message of the error, or nothing.
template <class Parser>
std::string error_in(Parser parser, std::string_view text) {
  parser.feed(text, true);
  if (!parser.error()) return {};
  return std::to_string(parser.error()->line) + ":" + std::to_string(parser.error()->column) + ": " +
         parser.error()->message;
}

}  // namespace wmsketch
