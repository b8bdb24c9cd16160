#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "wmsketch/readers/variable_words.hpp"

namespace wmsketch {
namespace {

std::string name(int i) { return {static_cast<char>('a' + i % 26), static_cast<char>('a' + i / 26), 'x'}; }

TEST(VariableWords, AreFoundAndReplaced) {
  std::vector<std::string> lines;
  for (int i = 0; i < 400; ++i) {
    lines.push_back("login of user=" + name(i % 40) + " from <ip> failed");
    lines.push_back("copied " + name(i % 37) + " to disk " + name(i % 41) + " of pool");
    lines.push_back(i % 2 ? "session opened by <id>" : "session closed by <id>");
  }
  const std::vector<std::string> found = find_variable_words(lines);
  EXPECT_EQ(found, (std::vector<std::string>{"copied <word> to disk <word> of pool",
                                             "login of user=<word> from <ip> failed"}));
  VariableWords words(found);
  std::string text = "login of user=new-name from <ip> failed";
  std::vector<std::string> values;
  words.replace(text, &values);
  EXPECT_EQ(text, found[1]);
  EXPECT_EQ(values, std::vector<std::string>{"new-name"});
  text = "session opened by <id>";
  words.replace(text);
  EXPECT_EQ(text, "session opened by <id>");
}

TEST(VariableWords, TakeNoMoreBytesThanAllowed) {
  std::vector<std::string> lines;
  for (int i = 0; i < 400; ++i) {
    lines.push_back("login of user=" + name(i % 40) + " failed");
    if (i % 2) lines.push_back("logout of user=" + name(i % 40) + " at night");
  }
  const std::string most = "login of user=<word> failed";
  EXPECT_EQ(find_variable_words(lines, most.size() + 5), std::vector<std::string>{most});
  EXPECT_EQ(find_variable_words(lines, most.size() - 1), std::vector<std::string>{});
  EXPECT_EQ(find_variable_words(lines).size(), 2u);
}

TEST(VariableWords, LeaveWhatIsFrequentAndTheFirstWord) {
  std::vector<std::string> lines(200, "login of root failed");
  for (int i = 0; i < 200; ++i) {
    lines.push_back("login of " + name(i % 40) + " failed");
    lines.push_back(name(i % 40) + " is a first word");
  }
  const std::vector<std::string> found = find_variable_words(lines);
  EXPECT_EQ(found, (std::vector<std::string>{"login of <word> failed", "login of root failed"}));
  std::string text = "login of root failed";
  VariableWords(found).replace(text);
  EXPECT_EQ(text, "login of root failed");
}

TEST(VariableWords, AZeroByteIsNoWord) {
  std::vector<std::string> lines, others{std::string("login of \0 failed", 17)};
  for (int i = 0; i < 40; ++i) lines.push_back("login of " + name(i) + " failed");
  for (const std::string& line : lines) others.push_back(line);
  const std::vector<std::string> found = find_variable_words(others);
  EXPECT_EQ(found, find_variable_words(lines));
  EXPECT_EQ(found, std::vector<std::string>{"login of <word> failed"});
  VariableWords(found).replace(others[0]);
  EXPECT_EQ(others[0], std::string("login of \0 failed", 17));
}

TEST(VariableWords, OfAnyTextEnd) {
  for (const char* line : {"", "<", "<>", "<word>", "<word> <word>", "a.", "-a-", "\xff\xfe"}) {
    std::string text = line;
    find_variable_words(std::vector<std::string>(30, text));
    VariableWords({"<word> a", text}).replace(text);
  }
}

}  // namespace
}  // namespace wmsketch
