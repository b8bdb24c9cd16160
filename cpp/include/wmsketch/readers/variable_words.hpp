// Words that vary from line to line, such as names of users: found in a sample of templates, replaced by <word>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "wmsketch/data/table_hash.hpp"

namespace wmsketch {

// Returns the templates of a sample with its variable words replaced. A place varies if at least ten different words
// occur there, each in less than a quarter of the lines, while the rest of the template is the same (up to four places
// may vary together). The first word never varies, and at least half of the words stay. Frequent words stay too: a
// template with one is returned as well, so that its lines are not replaced. Most lines come first; at most 1,000 are
// returned, with at most `most_bytes` of text.
std::vector<std::string> find_variable_words(const std::vector<std::string>& templates,
                                             std::size_t most_bytes = std::size_t(-1));

// The words of a template: letters, digits and what joins them. <word> is one; the other kinds, like <num>, are not.
struct TemplateWords {
  static constexpr std::size_t kMost = 40;

  // False if there are more than kMost words.
  bool read(std::string_view text);

  std::vector<std::string_view> words{};
  std::uint64_t shape = 0;  // the hash of everything between the words
};

class VariableWords {
 public:
  VariableWords() = default;
  explicit VariableWords(const std::vector<std::string>& found);  // by find_variable_words

  bool empty() const { return rules_.empty(); }
  // Replaces the variable words of a template, and appends them to `values` if given.
  void replace(std::string& text, std::vector<std::string>* values = nullptr);

 private:
  struct Rule {
    std::string text;
    std::vector<std::string> words;  // empty: varies
    std::size_t n_variable;
  };

  std::unordered_map<std::uint64_t, std::vector<Rule>, SeededHash> rules_;  // by shape, the most specific first
  TemplateWords read_;
};

}  // namespace wmsketch
