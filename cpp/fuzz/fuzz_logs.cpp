// Log lines may contain anything. Their templates and variable words depend on the lines alone: not on where a chunk
// ends, and not on the order of the sample.
#include <algorithm>

#include "damage.hpp"
#include "same_rows.hpp"
#include "wmsketch/data/utf8.hpp"
#include "wmsketch/readers/log_lines.hpp"

namespace {

using namespace wmsketch;
using Lines = std::vector<std::string>;

void expect(bool holds) {
  if (!holds) std::abort();
}

std::string template_of(std::string_view line) {
  std::string text, again;
  std::vector<std::string_view> values;
  append_template(line, text, &values);
  append_template(line, again);
  expect(text == again);
  for (const std::string_view value : values)
    expect(value.data() >= line.data() && value.data() + value.size() <= line.data() + line.size());
  return text;
}

// Lines of few shapes with many words, so that some of them vary.
Lines lines_of_words(Input& input) {
  constexpr std::array<std::string_view, 8> kBetween = {" ",  " of ",    "=", " <num> ", "<", std::string_view("\0", 1),
                                                        ": ", " <word> "};
  Lines lines;
  while (!input.empty() && lines.size() < 400) {
    std::string line = "line";
    const std::uint8_t shape = input.byte();
    for (int n_words = shape % 8; n_words > 0; --n_words) {
      line += kBetween[(shape / 8u + static_cast<unsigned>(n_words)) % (shape & 128 ? 8 : 3)];
      const std::uint8_t word = input.byte();
      line += word & 128 ? "name" : "w";
      if (word & 64) line += static_cast<char>('a' + word % 32);
    }
    lines.push_back(std::move(line));
    for (int copies = shape == 255 ? input.byte() % 16 : 0; copies > 0; --copies) lines.push_back(lines.back());
  }
  return lines;
}

Lines lines_of_text(std::string_view text) {
  Lines lines;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(template_of(text.substr(at, end - at)));
    at = end;
  }
  return lines;
}

Lines check_search(const Lines& templates) {
  const Lines found = find_variable_words(templates);
  expect(found == find_variable_words(Lines(templates.rbegin(), templates.rend())));
  expect(found.size() <= 1000);
  for (const std::string& text : found) {
    expect(!find_invalid_utf8(text.data(), text.data() + text.size()));
    TemplateWords words;
    expect(words.read(text));
  }
  VariableWords words(found);
  for (const std::string& text : templates) {
    std::string once = text;
    Lines values;
    words.replace(once, &values);
    expect(once == text || std::find(found.begin(), found.end(), once) != found.end());
    TemplateWords before, after;
    if (before.read(text)) expect(after.read(once) && after.shape == before.shape);
    expect(values.size() <= before.words.size());
    std::string twice = once;
    words.replace(twice);
    expect(twice == once);
  }
  return found;
}

Lines* found_words = nullptr;

struct Parser {
  explicit Parser(std::uint8_t choice) {
    if (choice & 2) parser.replace_words(*found_words);
    if (choice & 4) parser.count_values(*found_words);
    if (choice & 8) parser.look_for(*found_words, std::vector<bool>(found_words->size(), choice & 16));
  }
  LogLineParser parser;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  Input input(data + 1, size - 1);
  const std::string_view text(reinterpret_cast<const char*>(data) + 3, size - 3);
  Lines found = check_search(data[0] & 1 ? lines_of_words(input) : lines_of_text(text));
  found_words = &found;
  if (!(data[0] & 1)) check_any_cut<Parser>(data, size);
  return 0;
}
