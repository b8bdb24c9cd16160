// Log lines by their template: each line is a row with one feature, its template. The lines of a stack trace are one
// row, that of the exception.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "wmsketch/counters/named_space_saving.hpp"
#include "wmsketch/readers/line_parser.hpp"
#include "wmsketch/readers/line_template.hpp"
#include "wmsketch/readers/row_encoder.hpp"
#include "wmsketch/readers/variable_words.hpp"

namespace wmsketch {

class LogLineParser final : public LineParser {
 public:
  explicit LogLineParser(const NameSecret& secret = {}) : encoder_({.categorical = {""}, .secret = secret}) {}

  void next_file() override {
    LineParser::next_file();
    in_traceback_ = false;
  }

  // Replaces the words that vary, as found by find_variable_words.
  void replace_words(const std::vector<std::string>& found) { variable_words_ = VariableWords(found); }

  // Keeps the first line of each of these templates. A template that was cut is given by its beginning.
  void look_for(const std::vector<std::string>& templates, const std::vector<bool>& cut) {
    wanted_.clear();
    for (std::size_t i = 0; i < templates.size(); ++i) wanted_.push_back({templates[i], cut.at(i), {}});
    n_missing_ = wanted_.size();
  }
  std::size_t n_missing() const { return n_missing_; }
  const std::string& example(std::size_t i) const { return wanted_.at(i).line; }  // empty: not found so far

  // Counts the lines of each of these templates, and the most frequent values of their first variables. Words that vary
  // come last.
  static constexpr std::size_t kMostVariables = 8;
  static constexpr std::uint32_t kMostValues = 32;
  struct Counted {
    std::uint64_t lines = 0;
    std::vector<NamedSpaceSaving> variables{};
  };
  void count_values(const std::vector<std::string>& templates) {
    counted_.clear();
    for (const std::string& name : templates) counted_[name];
  }
  const Counted& counted(const std::string& name) const { return counted_.at(name); }

 private:
  static constexpr std::size_t kLongestExample = 500;
  static constexpr std::size_t kValueBytes = 32;  // of the name of a value, on average

  bool holds_names() const override { return false; }  // any encoding

  std::unique_ptr<RowBlock> parse(std::string& text) override {
    const RowEncoder::ColumnId column = encoder_.column("");
    each_line(text, [&](const char* at, const char* end) {
      const std::string_view line(at, static_cast<std::size_t>(end - at));
      if (continues_trace(line)) return;
      template_.clear();
      values_.clear();
      words_.clear();
      append_template(line, template_, counted_.empty() ? nullptr : &values_);
      variable_words_.replace(template_, counted_.empty() ? nullptr : &words_);
      if (!counted_.empty()) count_line();
      if (n_missing_ > 0) keep_example(line);
      encoder_.add_text(column, template_);
      encoder_.end_row();
    });
    return encoder_.take();
  }

  // Whether a line belongs to a stack trace and is not its exception: the frames of Python and Java.
  bool continues_trace(std::string_view line) {
    const bool indented = line.front() == ' ' || line.front() == '\t';
    if (in_traceback_ && indented) return true;
    in_traceback_ = line.starts_with("Traceback (most recent call last)");
    if (in_traceback_ || !indented) return in_traceback_ || joins_tracebacks(line);
    const std::string_view words = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
    return words.starts_with("at ") || words.starts_with("... ") || words.starts_with("File \"");
  }

  static bool joins_tracebacks(std::string_view line) {
    return line.starts_with("During handling of the above exception, another exception occurred:") ||
           line.starts_with("The above exception was the direct cause of the following exception:");
  }

  void count_line() {
    const auto found = counted_.find(template_);
    if (found == counted_.end()) return;
    Counted& counted = found->second;
    ++counted.lines;
    values_.insert(values_.end(), words_.begin(), words_.end());
    const std::size_t n = std::min(values_.size(), kMostVariables);
    while (counted.variables.size() < n) counted.variables.emplace_back(kMostValues, kMostValues * kValueBytes);
    for (std::size_t i = 0; i < n; ++i)
      counted.variables[i].update(key_of_name(values_[i], NameSecret()), values_[i], 1);
  }

  struct Wanted {
    std::string name;
    bool cut;
    std::string line;
  };

  void keep_example(std::string_view line) {
    for (Wanted& wanted : wanted_) {
      if (!wanted.line.empty() || !(wanted.cut ? template_.starts_with(wanted.name) : template_ == wanted.name))
        continue;
      wanted.line = line.substr(0, kLongestExample);
      --n_missing_;
      return;
    }
  }

  RowEncoder encoder_;
  std::string template_;
  std::vector<std::string_view> values_;
  std::vector<std::string> words_;
  VariableWords variable_words_;
  std::unordered_map<std::string, Counted, SeededHash> counted_;
  bool in_traceback_ = false;
  std::vector<Wanted> wanted_;
  std::size_t n_missing_ = 0;
};

}  // namespace wmsketch
