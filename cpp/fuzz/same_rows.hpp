// A parser must give the same rows and the same error however its input is split into chunks.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "wmsketch/data/hashing.hpp"
#include "wmsketch/readers/label_rule.hpp"
#include "wmsketch/readers/line_parser.hpp"

namespace wmsketch {

struct Parsed {
  std::vector<std::int64_t> sizes;  // features of each row
  std::vector<Key> keys;
  std::vector<float> values, weights;
  std::vector<std::int8_t> labels;
  std::vector<std::string> names;
  std::uint64_t line = 0, column = 0;
  std::string message;

  bool operator==(const Parsed&) const = default;

  void add(const RowBlock& block) {
    const auto append = [](auto& all, const auto& more) { all.insert(all.end(), more.begin(), more.end()); };
    append(keys, block.keys);
    append(values, block.values);
    append(labels, block.labels);
    if (block.labels.empty()) labels.insert(labels.end(), block.size(), 0);  // no row of the block has a label
    for (std::size_t row = 0; row < block.size(); ++row) {
      sizes.push_back(block.starts[row + 1] - block.starts[row]);
      weights.push_back(block.weights.empty() ? 1 : block.weights[row]);
    }
    for (std::size_t i = 0; i < block.keys.size(); ++i) {
      names.push_back(block.name(i));
      const bool is_interaction = names.back().find('&') != std::string::npos;
      if (block.named && !is_interaction && key_of_name(names.back(), block.secret) != block.keys[i]) std::abort();
    }
  }
};

inline Parsed parse_in_pieces(LineParser& parser, const std::vector<std::string_view>& pieces) {
  parser.set_longest_line(200);
  Parsed parsed;
  for (std::size_t i = 0; i < pieces.size() && !parser.error(); ++i)
    parsed.add(*parser.feed(pieces[i], i + 1 == pieces.size()));
  if (const auto& error = parser.error()) {
    parsed.line = error->line;
    parsed.column = error->column;
    parsed.message = error->message;
  }
  for (const float value : parsed.values)
    if (!(value - value == 0)) std::abort();  // finite
  return parsed;
}

// The first byte of the input chooses the options of the parser, the next two say where to split. `Parser` is
// constructed from that first byte and has a member `parser`, a LineParser.
template <class Parser>
void check_any_cut(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return;
  const std::string_view text(reinterpret_cast<const char*>(data) + 3, size - 3);
  const std::size_t first = data[1] % (text.size() + 1), second = first + data[2] % (text.size() - first + 1);
  Parser one(data[0]), other(data[0]);
  const Parsed whole = parse_in_pieces(one.parser, {text});
  const Parsed cut =
      parse_in_pieces(other.parser, {text.substr(0, first), text.substr(first, second - first), text.substr(second)});
  if (!(whole == cut)) std::abort();
}

inline LabelOptions label_options(std::uint8_t choice) {
  LabelOptions options;
  options.require_labels = choice & 1;
  if (choice & 2) options.positive = (choice & 4) ? 2 : -1;
  return options;
}

// A parser of rows that begin with their label.
template <class LineParser>
struct LabelledRows {
  explicit LabelledRows(std::uint8_t choice) : parser(label_options(choice)) {}
  LineParser parser;
};

}  // namespace wmsketch
