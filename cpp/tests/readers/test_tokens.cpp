#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wmsketch/data/random.hpp"
#include "wmsketch/readers/numbers.hpp"
#include "wmsketch/readers/tokens.hpp"
#include "wmsketch/simd/kernels.hpp"

namespace wmsketch {
namespace {

struct Word {
  std::string name, number;
  friend bool operator==(const Word&, const Word&) = default;
};

// The words of a line, one character at a time, and where they end.
std::pair<std::vector<Word>, std::size_t> words_one_by_one(std::string_view line, char stop) {
  std::vector<Word> words;
  std::size_t at = 0;
  while (at < line.size() && line[at] != stop) {
    if (line[at] == ' ' || line[at] == '\t') {
      ++at;
      continue;
    }
    if (line[at] == ':') break;
    std::size_t end = at;
    while (end < line.size() && line[end] != stop && line[end] != ' ' && line[end] != '\t') ++end;
    const std::string word(line.substr(at, end - at));
    const std::size_t colon = word.find(':');
    words.push_back({word.substr(0, colon), colon == std::string::npos ? "" : word.substr(colon + 1)});
    at = end;
  }
  return {words, at};
}

// Texts one behind the other, with their spans.
struct Spans {
  std::string text;
  std::vector<TextSpan> spans;

  void add(const std::string& word) {
    const auto begin = static_cast<std::uint32_t>(text.size());
    text += word;
    spans.push_back({begin, static_cast<std::uint32_t>(text.size())});
    text += ' ';
  }
};

class EveryInstructionSet : public testing::TestWithParam<const Kernels*> {
 protected:
  EveryInstructionSet() { choose_kernels(GetParam()->name); }
  ~EveryInstructionSet() override { choose_kernels(""); }
};

TEST_P(EveryInstructionSet, FindsTheWordsOfALine) {
  Random random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string line;
    const std::size_t n = random.below(round % 10 == 0 ? 3000 : 200);
    const std::string_view characters =
        std::array{" \t:||aab01.23", "aab01.23 ", "a ", "1:2 ", "ab:cd:ef 12"}[round % 5];
    for (std::size_t i = 0; i < n; ++i) line += characters[random.below(characters.size())];
    const std::string text = line + '\n' + std::string(kPadding, '\0');
    const auto [expected, stopped] = words_one_by_one(line, '|');
    std::vector<Word> found;
    const char* const end = text.data() + line.size();
    const char* at = text.data();
    Tokens tokens;
    do {
      at = token_kernels().find_tokens(at, end, text.data(), '|', tokens);
      for (std::size_t i = 0; i < tokens.n; ++i)
        found.push_back({text.substr(tokens.names[i].begin, tokens.names[i].size()),
                         text.substr(tokens.numbers[i].begin, tokens.numbers[i].size())});
    } while (at != end && *at != '|' && *at != ':');
    EXPECT_EQ(found, expected) << line;
    EXPECT_EQ(static_cast<std::size_t>(at - text.data()), stopped) << line;
  }
}

TEST_P(EveryInstructionSet, ReadsShortNumbers) {
  Random random(2);
  Spans given;
  for (const char* word : {"1",  "0",        "12345678",  "123456789", "0.5",  ".5",  "5.",    ".",  "-",
                           "-.", "-1",       "-0.25",     "-12345678", "-0",   "1e5", "1.2.3", "..", "+1",
                           "",   "0.123456", "0.1234567", "12a",       "\x80", "1:2", "-1.-2"})
    given.add(word);
  for (int i = 0; i < 3000; ++i) {
    std::string word;
    for (std::size_t n = random.below(11); n > 0; --n)
      word += "0123456789.-x"[random.below(random.below(4) == 0 ? 13 : 11)];
    given.add(word);
  }
  given.text += std::string(kPadding, '\0');
  for (std::size_t first = 0; first < given.spans.size(); first += 253) {
    const std::size_t n = std::min<std::size_t>(253, given.spans.size() - first);
    float values[Tokens::kMost];
    Key ids[Tokens::kMost];
    std::uint16_t others[Tokens::kMost], no_ids[Tokens::kMost];
    const std::size_t n_others =
        token_kernels().read_numbers(given.text.data(), given.spans.data() + first, n, values, others);
    const std::size_t n_no_ids =
        token_kernels().read_ids(given.text.data(), given.spans.data() + first, n, ids, no_ids);
    std::size_t other = 0, no_id = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const TextSpan span = given.spans[first + i];
      const std::string word = given.text.substr(span.begin, span.size());
      double number = 0;
      if (other < n_others && others[other] == i) {
        ++other;
        EXPECT_TRUE(word.size() > 8 || !read_short_number(word.c_str(), word.size(), number)) << word;
      } else {
        ASSERT_EQ(read_number(given.text.data() + span.begin, number), given.text.data() + span.end) << word;
        EXPECT_EQ(std::bit_cast<std::uint32_t>(values[i]), std::bit_cast<std::uint32_t>(static_cast<float>(number)))
            << word;
      }
      const bool is_id = !word.empty() && word.size() <= 8 && word.find_first_not_of("0123456789") == std::string::npos;
      EXPECT_EQ(no_id < n_no_ids && no_ids[no_id] == i, !is_id) << word;
      no_id += !is_id;
      if (is_id) {
        EXPECT_EQ(ids[i], std::stoul(word));
      }
    }
    EXPECT_EQ(other, n_others);
    EXPECT_EQ(no_id, n_no_ids);
  }
}

TEST_P(EveryInstructionSet, HashesNamesAsIfWrittenBehindThePrefix) {
  const NameSecret secret = secret_of_seed(7);
  Spans given;
  std::vector<std::string> names;
  for (std::size_t size = 1; size < 60; ++size)
    for (int i = 0; i < 4; ++i) {
      std::string name;
      for (std::size_t c = 0; c < size; ++c) name += static_cast<char>('a' + (c * 7 + size + i) % 26);
      names.push_back(name);
      given.add(name);
    }
  given.text += std::string(kPadding, '\0');
  for (std::size_t n_prefix = 0; n_prefix < 40; ++n_prefix) {
    const std::string prefix(n_prefix, 'p');
    Key keys[Tokens::kMost];
    token_kernels().hash_names(given.text.data(), given.spans.data(), given.spans.size(), PrefixedNames(prefix, secret),
                               keys);
    for (std::size_t i = 0; i < names.size(); ++i)
      EXPECT_EQ(keys[i], static_cast<Key>(hash_name(prefix + names[i], secret) >> 32)) << prefix << names[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Tokens, EveryInstructionSet, testing::ValuesIn(all_kernels().begin(), all_kernels().end()),
                         [](const auto& with) { return std::string(with.param->name); });

}  // namespace
}  // namespace wmsketch
