#include "wmsketch/readers/vw.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "wmsketch/data/prefixed_names.hpp"
#include "wmsketch/readers/digit_words.hpp"
#include "wmsketch/readers/scan.hpp"

namespace wmsketch {
namespace {

constexpr const char* kSeparators = " \t|";

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// The end of the word at `at`: a blank, a bar, a colon or the end of the line. Tests eight characters at a time.
const char* word_end(const char* at, const char* end) {
  constexpr std::uint64_t kOnes = 0x0101010101010101u;
  for (; at < end; at += 8) {
    std::uint64_t x;
    std::memcpy(&x, at, sizeof x);
    if constexpr (std::endian::native == std::endian::big) x = __builtin_bswap64(x);
    std::uint64_t stops = 0;
    for (const char stop : {' ', '\t', '|', ':'}) {
      const std::uint64_t difference = x ^ (kOnes * static_cast<unsigned char>(stop));
      stops |= (difference - kOnes) & ~difference;  // marks the first zero byte; later bytes may be wrong
    }
    stops &= kOnes << 7;
    if (stops != 0) return std::min(at + std::countr_zero(stops) / 8, end);
  }
  return end;
}

// A feature in a text: its name, and its number if that does not end where the name does.
struct Token {
  std::uint32_t begin, name_end, end;
};
constexpr std::size_t kBatch = 256;  // tokens that are found before the first is read
constexpr std::size_t kMostTokens = kBatch + 32;
using Tokens = std::array<Token, kMostTokens>;

// Finds features from `at` on, and returns where it stopped: at a bar, at the end of the line, at a colon without a
// name, or at the start of the next feature. The ends are found for 64 characters at once, whatever is between them.
const char* find_tokens(const char* at, const char* line_end, const char* text, Tokens& tokens, std::size_t& n) {
  auto here = static_cast<std::uint32_t>(at - text);
  std::uint32_t begin = here, name_end = 0;  // 0: still in the name
  Token* next = tokens.data();
  const auto stop_at = [&](std::uint32_t stop) {
    n = static_cast<std::size_t>(next - tokens.data());
    return text + stop;
  };
  for (;; here += 64) {
    std::uint64_t marks = marks_of_64(text + here, ' ', '\t', '|', ':');
    const auto left = static_cast<std::size_t>(line_end - text) - here;
    if (left < 64) {  // the end of the line is a mark, too
      const std::uint64_t last = std::uint64_t{1} << left;
      marks = (marks & (last - 1)) | last;
    }
    while (marks != 0) {
      const std::uint32_t stop = here + static_cast<std::uint32_t>(take_mark(marks));
      if (text[stop] == ':') {
        if (stop == begin) return stop_at(stop);
        if (name_end == 0) name_end = stop;
        continue;
      }
      *next = {begin, name_end == 0 ? stop : name_end, stop};
      next += stop != begin;
      if (!is_blank(text[stop])) return stop_at(stop);
      begin = stop + 1;
      name_end = 0;
    }
    if (next >= tokens.data() + kBatch) return stop_at(begin);
  }
}

}  // namespace

// Keeps the text it was parsed from, and for each feature only where its name begins: names are rarely asked for.
class VwParser::Block final : public RowBlock {
 public:
  Block(std::string lines, const NameSecret& of_names, std::size_t n_expected) : text(std::move(lines)) {
    named = true;
    secret = of_names;
    resize(n_expected);
  }

  std::string name(std::size_t i) const override {
    const auto later = [](std::size_t feature, const Space& space) { return feature < space.first_feature; };
    const Space& space = *(std::upper_bound(spaces.begin(), spaces.end(), i, later) - 1);
    const std::string feature(word(i));
    return space.size == 0 ? feature : text.substr(space.begin, space.size) + '^' + feature;
  }

  std::string_view name_view(std::size_t i, std::string& scratch) const override {
    return named_spaces ? scratch = name(i) : word(i);
  }

  void begin_space(const char* begin, const char* end) {
    named_spaces |= begin != end;
    spaces.push_back({place(begin), static_cast<std::uint32_t>(end - begin), n_features});
  }
  // Adds features without values.
  void add(std::span<const Token> tokens, const PrefixedNames& prefixed) {
    if (keys.size() < n_features + tokens.size()) resize(2 * keys.size() + tokens.size());
    if (prefixed.joins())
      hash<true>(tokens, prefixed);
    else
      hash<false>(tokens, prefixed);
    n_features += tokens.size();
  }

  // Reads the values of the last features, multiplied by the weight of their namespace.
  void read_values(std::span<const Token> tokens, double weight, const char* line_end) {
    float* const to = values.data() + n_features - tokens.size();
    if (weight != 1) {
      for (std::size_t i = 0; i < tokens.size(); ++i) to[i] = weighted(tokens[i], weight, line_end);
      return;
    }
    constexpr std::uint64_t kOne = std::uint64_t{1} << 56, kLong = ~std::uint64_t{0};
    std::uint64_t words[kMostTokens];
    float denominators[kMostTokens];
    bool all_short = true;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Token token = tokens[i];
      const std::uint32_t size = token.end - token.name_end;  // with its colon; 0: it has no number
      detail::ShortNumber number{kOne, 0, false};
      if (size > 0 && !detail::read_short(text.data() + token.name_end + 1, size - 1, number)) {
        number = {kLong, 0, false};
        all_short = false;
      }
      words[i] = number.word;
      denominators[i] = (number.negative ? detail::kNegative : detail::kPositive)[number.n_fraction];
    }
    detail::divide_words(words, denominators, tokens.size(), to);
    for (std::size_t i = 0; !all_short && i < tokens.size(); ++i)
      if (words[i] == kLong) to[i] = static_cast<float>(exact_value(tokens[i], line_end));
  }

  // Removes the features of an incomplete row.
  void drop_row() {
    n_features = static_cast<std::size_t>(starts.back());
    while (!spaces.empty() && spaces.back().first_feature >= n_features) spaces.pop_back();
  }
  void resize(std::size_t n) {
    keys.resize(n);
    values.resize(n);
    begins.resize(n);
  }

  std::string text;
  std::size_t n_features = 0;  // so far; the arrays have room for more

 private:
  struct Space {
    std::uint32_t begin, size;
    std::size_t first_feature;
  };
  // The name of a feature without its namespace.
  std::string_view word(std::size_t i) const {
    const char* const begin = text.data() + begins.at(i);
    const char* const text_end = text.data() + text.size() - kPadding;
    const char* end = word_end(begin, text_end);
    if (const char* const newline = find_newline(begin, end)) end = newline;
    if (end != begin && end[-1] == '\r' && (end == text_end || *end == '\n')) --end;
    return {begin, end};
  }
  double exact_value(const Token& token, const char* line_end) const {
    if (token.end == token.name_end) return 1;
    double value;
    const char* at = text.data() + token.name_end + 1;
    parse_number(at, line_end, "a finite number after the colon", value);
    return value;
  }
  float weighted(const Token& token, double weight, const char* line_end) const {
    const char* const at = text.data() + token.begin;
    const double value = weight * exact_value(token, line_end);
    if (!fits_float(value))
      throw Problem{at, "expected a value that stays finite when multiplied by the weight of the namespace, found " +
                            found_at(at, line_end, kSeparators)};
    return static_cast<float>(value);
  }
  std::uint32_t place(const char* at) const { return static_cast<std::uint32_t>(at - text.data()); }
  template <bool joins>
  void hash(std::span<const Token> tokens, const PrefixedNames& prefixed) {
    Key* const to = keys.data() + n_features;
    std::uint32_t* const to_begins = begins.data() + n_features;
    const char* const begin = text.data();
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Token token = tokens[i];
      to_begins[i] = token.begin;
      to[i] = static_cast<Key>(prefixed.hash<joins>(begin + token.begin, token.name_end - token.begin) >> 32);
    }
  }

  std::vector<std::uint32_t> begins;  // of the name of each feature in the text
  std::vector<Space> spaces;
  bool named_spaces = false;  // one of them has a name
};

struct VwParser::Head {
  std::int8_t its_class = 0;  // 0: no label
  double importance = 1;
};

std::unique_ptr<RowBlock> VwParser::parse(std::string& text) {
  // blocks of one input have similar sizes, and growing a block repeatedly would cost as much as filling it
  auto owned = std::make_unique<Block>(std::move(text), secret_, expected_features_);
  Block& block = *owned;
  each_line(block.text, [&](const char* at, const char* end) {
    while (at != end && is_blank(*at)) ++at;
    if (at == end) return;
    block.drop_row();
    const auto* bar = static_cast<const char*>(std::memchr(at, '|', static_cast<std::size_t>(end - at)));
    if (!bar) throw Problem{end, "expected \"|\" and features, found the end of the line"};
    const Head head = parse_head(at, bar, end);
    while (bar != end) bar = parse_namespace(bar, end, block);
    if (head.importance != 1 && block.weights.empty()) block.weights.assign(block.size(), 1);
    block.starts.push_back(static_cast<std::int64_t>(block.n_features));
    rule_.put(head.its_class, block);
    if (head.importance != 1 || !block.weights.empty()) block.weights.push_back(static_cast<float>(head.importance));
  });
  block.drop_row();
  block.resize(block.n_features);
  expected_features_ = block.n_features + block.n_features / 8;
  return owned;
}

void VwParser::parse_number(const char*& at, const char* end, const char* expected, double& number) {
  const char* const next = read_number(at, number);
  if (!next || !(next == end || is_blank(*next) || *next == '|') || !fits_float(number))
    throw Problem{at, std::string("expected ") + expected + ", found " + found_at(at, end, kSeparators)};
  at = next;
}

VwParser::Head VwParser::parse_head(const char* at, const char* bar, const char* end) {
  double numbers[3] = {0, 1, 0};  // label, importance, base
  constexpr const char* kExpected[] = {"a label like 1 or -1", "an importance like 2.5", "a base of 0"};
  const char* places[3] = {};
  const char* tag = nullptr;
  std::string_view label;
  int n = 0;
  for (;;) {
    while (is_blank(*at)) ++at;
    if (at == bar) break;
    const char* next = at;
    while (next != bar && !is_blank(*next)) ++next;
    if (tag || (n == 3 && next != bar && *at != '\''))
      throw Problem{at, "expected \"|\", found " + found_at(at, end, kSeparators)};
    if (next == bar || *at == '\'') {
      tag = at;
      at = next;
      continue;
    }
    places[n] = at;
    parse_number(at, end, kExpected[n], numbers[n]);
    if (n == 0) label = {places[0], at};
    ++n;
  }
  Head head;
  std::string problem;
  if (n == 0) {
    problem = rule_.missing_label_problem();
    if (problem.empty()) return head;
    if (tag) problem += " and a blank before \"|\"";
    throw Problem{tag ? tag : bar,
                  problem + ", found " + (tag ? "the tag " : "") + found_at(tag ? tag : bar, end, kSeparators),
                  Fault::label};
  }
  head.its_class = rule_.class_of(numbers[0], label, problem);
  if (head.its_class == 0) throw Problem{places[0], problem, rule_.fault()};
  head.importance = numbers[1];
  if (head.importance < 0)
    throw Problem{places[1], "expected an importance of at least 0, found " + found_at(places[1], end, kSeparators)};
  if (numbers[2] != 0) throw Problem{places[2], "expected a base of 0, found " + found_at(places[2], end, kSeparators)};
  return head;
}

const char* VwParser::parse_namespace(const char* bar, const char* end, Block& block) {
  const char* const space = bar + 1;
  const char* at = word_end(space, end);
  block.begin_space(space, at);
  prefix_.assign(space, at);
  if (at != space) prefix_ += '^';
  double weight = 1;
  if (at != end && *at == ':') {
    if (at == space) throw Problem{at, "expected the name of a namespace, found " + found_at(at, end, kSeparators)};
    parse_number(++at, end, "a finite weight of the namespace", weight);
  }
  const PrefixedNames names(prefix_, secret_);
  Tokens tokens;
  std::size_t n;
  do {
    at = find_tokens(at, end, block.text.data(), tokens, n);
    block.add({tokens.data(), n}, names);
    block.read_values({tokens.data(), n}, weight, end);
    if (at != end && *at == ':')
      throw Problem{at, "expected the name of a feature, found " + found_at(at, end, kSeparators)};
  } while (at != end && *at != '|');
  return at;
}

}  // namespace wmsketch
