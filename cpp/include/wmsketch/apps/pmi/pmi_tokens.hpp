// Splits text into tokens. Text is passed in chunks, and the chunk boundaries do not matter.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wmsketch/readers/line_template.hpp"
#include "wmsketch/readers/variable_words.hpp"

namespace wmsketch {

// words: letters and digits, with apostrophes between them. whitespace: everything between blanks. lines: each line.
// templates: the template of each line, as of a log.
enum class TokenRule : std::uint8_t { words, whitespace, lines, templates };

// What ends a sequence of tokens: a line break, a line without tokens, or only the end of the text.
enum class Boundary : std::uint8_t { line, paragraph, text };

class Tokenizer {
 public:
  static constexpr std::size_t kLongest = 1024;  // longer tokens are truncated to this many bytes

  Tokenizer(TokenRule rule, Boundary boundary, bool lowercase);

  // Calls sink.token(text) for each token that the chunk completes, and sink.end() at the end of each sequence.
  template <class Sink>
  void feed(std::string_view chunk, Sink& sink) {
    for (const char c : chunk) {
      const auto byte = static_cast<unsigned char>(c);
      const char kind = kinds_[byte];
      if (missing_ != 0 && (byte & 0xc0u) != 0x80) end_character(sink);  // an incomplete character
      if (kind == kWord) {
        append(letters_[byte]);
      } else if (kind == kWide) {
        add_wide(byte, sink);
      } else if (kind == kApostrophe) {
        apostrophe_ = !token_.empty();
      } else {
        end_token(sink);
        if (kind == kNewline) end_line(sink);
      }
    }
  }

  // Ends the text, with its last token and sequence.
  template <class Sink>
  void finish(Sink& sink) {
    if (missing_ != 0) end_character(sink);
    end_token(sink);
    end_sequence(sink);
  }

  // The item that a token or a value of a column stands for: itself, or its template.
  std::string_view item_of(std::string_view text) {
    if (rule_ != TokenRule::templates) return text;
    template_.clear();
    append_template(text, template_);
    variable_words_.replace(template_);
    return template_;
  }

  // From now on, these words of templates vary: see find_variable_words.
  void replace_words(const std::vector<std::string>& found) { variable_words_ = VariableWords(found); }

  // Without the line being read, and the words that vary.
  std::size_t nbytes() const { return sizeof *this - sizeof template_ - sizeof variable_words_ + kLongest; }

 private:
  enum Kind : char { kOther, kWord, kWide, kApostrophe, kNewline };

  void append(char c) {
    if (apostrophe_) {
      apostrophe_ = false;
      append('\'');
    }
    if (token_.size() < kLongest) token_.push_back(c);
  }

  // Adds one byte of a multibyte character.
  template <class Sink>
  void add_wide(unsigned char byte, Sink& sink) {
    if (missing_ == 0) {
      missing_ = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
      wide_.clear();
    }
    wide_.push_back(static_cast<char>(byte));
    if (--missing_ == 0) end_character(sink);
  }
  template <class Sink>
  void end_character(Sink& sink) {
    missing_ = 0;
    const Kind kind = read_wide();
    if (kind == kWord) {
      for (const char c : wide_) append(c);
    } else if (kind == kApostrophe) {
      apostrophe_ = !token_.empty();
    } else {
      end_token(sink);
    }
  }
  Kind read_wide();  // classifies the multibyte character and folds its case

  template <class Sink>
  void end_token(Sink& sink) {
    apostrophe_ = false;
    if (token_.empty()) return;
    sink.token(item_of(token_));
    token_.clear();
    line_is_empty_ = sequence_is_empty_ = false;
  }
  template <class Sink>
  void end_line(Sink& sink) {
    if (boundary_ == Boundary::line || (boundary_ == Boundary::paragraph && line_is_empty_)) end_sequence(sink);
    line_is_empty_ = true;
  }
  template <class Sink>
  void end_sequence(Sink& sink) {
    if (!sequence_is_empty_) sink.end();
    sequence_is_empty_ = line_is_empty_ = true;
  }

  TokenRule rule_;
  Boundary boundary_;
  bool lowercase_;
  std::array<char, 256> kinds_, letters_;
  std::string token_, wide_, template_;  // the current token and multibyte character; the last template
  VariableWords variable_words_;
  int missing_ = 0;          // bytes still missing of wide_
  bool apostrophe_ = false;  // kept only if a letter follows
  bool line_is_empty_ = true, sequence_is_empty_ = true;
};

}  // namespace wmsketch
