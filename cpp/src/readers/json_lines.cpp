#include "wmsketch/readers/json_lines.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include "wmsketch/data/table_hash.hpp"
#include "wmsketch/readers/numbers.hpp"
#include "wmsketch/readers/row_encoder_block.hpp"
#include "wmsketch/readers/scan.hpp"

namespace wmsketch {
namespace {

constexpr std::size_t kMostValues = std::size_t{1} << 20;  // a value takes more memory than its text; as in csv
constexpr const char* kTooManyValues = "expected at most 1,048,576 values in a row";
constexpr std::size_t kMostExpected = 1024, kLongestExpected = 256;
constexpr std::size_t kMostPassed = 8;  // expected names that a row may lack in one place

std::ptrdiff_t count_digits(const char* at) {
  const std::uint64_t others = detail::non_digits(detail::load_digits(at));
  if (others != 0) return std::countr_zero(others) / 8;
  const char* end = at + 8;
  while (is_digit(*end)) ++end;
  return end - at;
}

// The comma before the first value that is too many, if commas alone show one. Null if they do not.
const char* one_too_many(const char* at, const char* end) {
  std::size_t n_commas = 0;
  for (bool quoted = false; at != end; ++at) {
    if (*at == '"') {
      quoted = !quoted;
    } else if (quoted) {
      at += *at == '\\' && at + 1 != end;
    } else if (*at == ',' && ++n_commas == kMostValues) {
      return at;
    }
  }
  return nullptr;
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

}  // namespace

inline void JsonLinesParser::skip_blanks() {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
}

inline bool JsonLinesParser::take(char c) {
  skip_blanks();
  if (at_ == end_ || *at_ != c) return false;
  ++at_;
  return true;
}

std::unique_ptr<RowBlock> JsonLinesParser::parse(std::string& text) {
  expected_.clear();  // columns may have new ids
  each_line(text, [&](const char* at, const char* end) {
    at_ = at;
    end_ = end;
    skip_blanks();
    if (at_ == end_) return;
    const char* const row = at_;
    try {
      if (encoder_.has_condition()) {
        encoder_.start_test();
        parse_row();
        if (!encoder_.passes()) return leave_out_row();
        at_ = row;
      }
      parse_row();
      at_ = row;
      encoder_.end_row();
    } catch (BadValue& bad) {
      throw problem_at(at_, std::move(bad));
    }
  });
  return encoder_.take();
}

void JsonLinesParser::parse_row() {
  path_.clear();
  repeated_ = 0;
  n_names_ = 0;
  n_values_ = 0;
  ++row_;
  next_ = 0;
  taken_.clear();
  found_ = nullptr;
  // a long row is refused before its first million names become columns
  if (static_cast<std::size_t>(end_ - at_) > 2 * kMostValues)
    if (const char* comma = one_too_many(at_, end_)) throw Problem{comma, kTooManyValues};
  expects_ = !expected_.empty();
  notes_ = !expects_;
  if (*at_ != '{') expected("an object like {\"name\": 1}");
  parse_object(0);
  skip_blanks();
  if (at_ != end_) expected("the end of the line");
}

// If a name occurs twice, some programs use the first value and others the last. The intended one is unknown, so it is
// an error.
void JsonLinesParser::require_new_name(const char* at) {
  if (repeated_ > 0) return;
  const std::uint64_t hash = table_hash(path_);
  const auto place_of = [this](std::uint64_t wanted) -> Name& {
    std::size_t at = wanted & (names_.size() - 1);
    while (names_[at].row == row_ && names_[at].hash != wanted) at = (at + 1) & (names_.size() - 1);
    return names_[at];
  };
  if (place_of(hash).row == row_) {
    at_ = at;
    throw Problem{at, "expected each name once, found " + quoted(path_) + " twice"};
  }
  if (2 * ++n_names_ > names_.size()) {
    const std::vector<Name> before = std::exchange(names_, std::vector<Name>(2 * names_.size()));
    for (const Name& name : before)
      if (name.row == row_) place_of(name.hash) = name;
  }
  place_of(hash) = {hash, row_};
}

// Reads a name of the row that is expected here, or stops expecting names.
bool JsonLinesParser::take_expected() {
  const auto left = static_cast<std::size_t>(end_ - at_) - 1;  // behind the quote
  const std::size_t last = std::min(expected_.size(), next_ + kMostPassed);
  for (std::size_t i = next_; i < last; ++i) {
    Expected& name = expected_[i];
    if (name.text.size() > left || std::memcmp(at_ + 1, name.text.data(), name.text.size()) != 0) continue;
    at_ += 1 + name.text.size();
    next_ = i + 1;
    taken_.push_back(static_cast<std::uint32_t>(i));
    found_ = &name;
    return true;
  }
  stop_expecting();
  return false;
}

// From here on, names of this row are compared with all before.
void JsonLinesParser::stop_expecting() {
  expects_ = false;
  const std::vector<Expected> before = std::exchange(expected_, {});
  notes_ = true;
  for (const std::uint32_t i : taken_) {
    path_ = before[i].name();
    require_new_name(at_);
    expected_.push_back(before[i]);
  }
  path_.clear();
}

// Expects a name from the next row on, if it can be found without parsing it.
void JsonLinesParser::note_name(std::string_view name) {
  const bool plain = name.data() != key_.data() && !name.empty() && name.size() <= kLongestExpected &&
                     name.find('.') == std::string_view::npos;
  notes_ = plain && expected_.size() < kMostExpected;
  if (notes_)
    expected_.push_back({std::string(name) + '"'});
  else
    expected_.clear();
}

RowEncoder::ColumnId JsonLinesParser::column() {
  if (!found_) return encoder_.column(path_);
  if (!found_->column) found_->column = encoder_.column(found_->name());
  return *found_->column;
}

void JsonLinesParser::expected(const char* what) const {
  throw Problem{at_, std::string("expected ") + what + ", found " + found_at(at_, end_, " \t,:{}[]"), Fault::shape};
}

void JsonLinesParser::parse_object(int depth) {
  ++at_;  // skip the brace
  const std::size_t outer = path_.size();
  if (take('}')) {
    if (outer > 0) encoder_.add_nothing(encoder_.column(path_));
    return;
  }
  do {
    skip_blanks();
    if (at_ == end_ || *at_ != '"') expected("a name in quotes");
    if (depth > 0 || !expects_ || !take_expected()) {
      const char* const quote = at_;
      const std::string_view key = parse_string(key_);
      if (outer > 0) path_ += '.';
      path_ += key;
      require_new_name(quote);
      if (depth == 0 && notes_) note_name(key);
    }
    if (!take(':')) expected("\":\"");
    parse_value(depth + 1);
    path_.resize(outer);
    found_ = nullptr;
  } while (take(','));
  if (!take('}')) expected("\",\" or \"}\"");
}

// Texts, booleans and integers of a list are features of its column. Other numbers and nested values have a position:
// `path.0`.
void JsonLinesParser::parse_array(int depth) {
  ++at_;  // skip the bracket
  const std::size_t outer = path_.size();
  const bool one_column = encoder_.takes_whole_lists(encoder_.column(path_));
  if (take(']')) return encoder_.add_nothing(encoder_.column(path_));
  std::size_t index = 0;
  do {
    skip_blanks();
    if (one_column) {
      ++repeated_;
      parse_value(depth + 1);
      --repeated_;
    } else if (const std::string_view integer = integer_ahead(); !integer.empty()) {
      count_value();
      encoder_.add_text(encoder_.column(path_), integer);
      at_ += integer.size();
    } else {
      const bool has_place = at_ != end_ && !std::strchr("\"tfn", *at_);
      if (has_place) path_.append(1, '.').append(std::to_string(index));
      parse_value(depth + 1);
      path_.resize(outer);
    }
    ++index;
  } while (take(','));
  if (!take(']')) expected("\",\" or \"]\"");
}

std::string_view JsonLinesParser::integer_ahead() const {
  const char* digits = at_ + (at_ != end_ && *at_ == '-');
  const char* behind = digits;
  while (behind != end_ && is_digit(*behind)) ++behind;
  const bool whole = behind != digits && (behind == end_ || !std::strchr(".eE", *behind));
  if (!whole || (*digits == '0' && behind - digits > 1)) return {};
  return {at_, static_cast<std::size_t>(behind - at_)};
}

void JsonLinesParser::count_value() {
  if (++n_values_ > kMostValues) throw Problem{at_, kTooManyValues};
}

void JsonLinesParser::parse_value(int depth) {
  skip_blanks();
  count_value();
  if (depth > kDeepestNesting) expected("at most 100 levels of nesting");
  if (at_ == end_) expected("a value");
  const auto word = [&](std::string_view text) {
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(text)) expected("a value");
    if (text == "null") {
      encoder_.add_missing(column());
    } else {
      encoder_.add_bool(column(), text == "true", text);
    }
    at_ += text.size();
  };
  if (found_ && (*at_ == '{' || *at_ == '[')) {  // the columns inside have longer names
    path_ = found_->name();
    found_ = nullptr;
  }
  switch (*at_) {
    case '{':
      return parse_object(depth);
    case '[':
      return parse_array(depth);
    case '"': {
      const char* const begin = at_;
      const std::string_view text = parse_string(word_);
      const char* const behind = std::exchange(at_, begin);  // an error points at the start of the value
      encoder_.add_text(column(), text);
      at_ = behind;
      return;
    }
    case 't':
      return word("true");
    case 'f':
      return word("false");
    case 'n':
      return word("null");
    default:
      return parse_number();
  }
}

// Python writes NaN and Infinity, which are not JSON. Returns null for other words.
const char* JsonLinesParser::read_not_finite(double& value) const {
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  for (const std::string_view word : {"NaN", "Infinity", "-Infinity"}) {
    if (!rest.starts_with(word)) continue;
    value = word == "NaN" ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    if (word[0] == '-') value = -value;
    return at_ + word.size();
  }
  return nullptr;
}

void JsonLinesParser::parse_number() {
  // stricter than read_number: digits on both sides of the point, no leading zeros
  const char* const digits = at_ + (*at_ == '-');
  const char* point = digits + count_digits(digits);
  const bool well_formed =
      point != digits && !(*digits == '0' && point - digits > 1) && (*point != '.' || is_digit(point[1]));
  double value;
  const char* next = well_formed ? read_number(at_, value) : nullptr;
  if (!next) next = read_not_finite(value);
  if (!next) expected("a value");
  encoder_.add_number(column(), value, {at_, static_cast<std::size_t>(next - at_)});
  at_ = next;
}

std::string_view JsonLinesParser::parse_string(std::string& unescaped) {
  const char* const begin = ++at_;
  at_ = find_string_end(at_);  // the line ends in a control character
  if (at_ != end_ && *at_ == '"') return {begin, static_cast<std::size_t>(at_++ - begin)};
  unescaped.assign(begin, at_);
  for (;;) {
    if (at_ == end_) expected("a closing quote");
    if (static_cast<unsigned char>(*at_) < 0x20) expected("an escaped control character");
    const char c = *at_++;
    if (c == '"') return unescaped;
    if (c == '\\') {
      parse_escape(unescaped);
    } else {
      unescaped += c;
    }
  }
}

void JsonLinesParser::parse_escape(std::string& unescaped) {
  constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  if (at_ == end_) expected("an escaped character");
  const std::size_t letter = kLetters.find(*at_);
  if (letter != std::string_view::npos) {
    unescaped += kMeanings[letter];
    ++at_;
    return;
  }
  if (*at_ != 'u') expected("an escape like \\n or \\u00e9");
  ++at_;
  std::uint32_t code = parse_four_hex();
  const bool high = code >= 0xd800 && code < 0xdc00;
  if (high && end_ - at_ >= 6 && at_[0] == '\\' && at_[1] == 'u') {
    const char* const second = at_;
    at_ += 2;
    const std::uint32_t low = parse_four_hex();
    if (low >= 0xdc00 && low < 0xe000) {
      append_utf8(unescaped, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
      return;
    }
    at_ = second;
  }
  if (code >= 0xd800 && code < 0xe000) code = 0xfffd;  // an unpaired surrogate
  append_utf8(unescaped, code);
}

std::uint32_t JsonLinesParser::parse_four_hex() {
  std::uint32_t code = 0;
  if (end_ - at_ < 4) expected("four hexadecimal digits");
  const auto [stop, problem] = std::from_chars(at_, at_ + 4, code, 16);
  if (problem != std::errc() || stop != at_ + 4) expected("four hexadecimal digits");
  at_ += 4;
  return code;
}

}  // namespace wmsketch
