#include "wmsketch/readers/vw.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>

#include "wmsketch/readers/tokens.hpp"

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

}  // namespace

// The memory of blocks that are no more. The system takes longer to give fresh memory than a block to fill it.
class VwParser::Spares {
 public:
  struct Memory {
    std::string text{};
    std::vector<Key> keys{};
    std::vector<float> values{};
    std::vector<std::uint32_t> begins{};
  };

  // Blocks end on another thread. None waits: without the lock, memory is allocated, or freed.
  Memory take() {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    return lock.owns_lock() && n_ > 0 ? std::move(spares_[--n_]) : Memory();
  }
  void put(Memory&& memory) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock.owns_lock() && n_ < spares_.size()) spares_[n_++] = std::move(memory);
  }

 private:
  std::mutex mutex_;
  std::array<Memory, 4> spares_;
  std::size_t n_ = 0;
};

// Keeps the text it was parsed from, and for each feature only where its name begins: names are rarely asked for.
class VwParser::Block final : public RowBlock {
 public:
  // Takes the text, and leaves another string there.
  Block(std::string& lines, const NameSecret& of_names, std::size_t n_expected, std::shared_ptr<Spares> all_spares)
      : spares(std::move(all_spares)) {
    Spares::Memory memory = spares->take();
    text = std::exchange(lines, std::move(memory.text));
    keys = std::move(memory.keys);
    values = std::move(memory.values);
    begins = std::move(memory.begins);
    named = true;
    secret = of_names;
    resize(std::max(n_expected, keys.size()));
  }
  ~Block() override { spares->put({std::move(text), std::move(keys), std::move(values), std::move(begins)}); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

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
  // Adds features. Their values are multiplied by the weight of their namespace.
  void add(const Tokens& tokens, const PrefixedNames& prefixed, double weight, const char* line_end) {
    const std::size_t first = n_features;
    if (keys.size() < first + tokens.n) resize(2 * keys.size() + tokens.n);
    token_kernels().hash_names(text.data(), tokens.names.data(), tokens.n, prefixed, keys.data() + first);
    for (std::size_t i = 0; i < tokens.n; ++i) begins[first + i] = tokens.names[i].begin;
    n_features += tokens.n;
    read_values(tokens, weight, line_end, values.data() + first);
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
  void read_values(const Tokens& tokens, double weight, const char* line_end, float* to) const {
    if (weight != 1) {
      for (std::size_t i = 0; i < tokens.n; ++i)
        to[i] = weighted(tokens.names[i], exact_value(tokens, i, line_end), weight, line_end);
      return;
    }
    if (!tokens.any_colon) {
      std::fill(to, to + tokens.n, 1.0f);
      return;
    }
    std::uint16_t others[Tokens::kMost];
    const std::size_t n_others = token_kernels().read_numbers(text.data(), tokens.numbers.data(), tokens.n, to, others);
    for (std::size_t i = 0; i < n_others; ++i)
      to[others[i]] = static_cast<float>(exact_value(tokens, others[i], line_end));
  }
  double exact_value(const Tokens& tokens, std::size_t i, const char* line_end) const {
    if (tokens.names[i].end == tokens.numbers[i].end) return 1;  // it has no colon
    double value;
    const char* at = text.data() + tokens.numbers[i].begin;
    parse_number(at, line_end, "a finite number after the colon", value);
    return value;
  }
  float weighted(TextSpan name, double value, double weight, const char* line_end) const {
    const char* const at = text.data() + name.begin;
    if (!fits_float(weight * value))
      throw Problem{at, "expected a value that stays finite when multiplied by the weight of the namespace, found " +
                            found_at(at, line_end, kSeparators)};
    return static_cast<float>(weight * value);
  }
  std::uint32_t place(const char* at) const { return static_cast<std::uint32_t>(at - text.data()); }

  std::shared_ptr<Spares> spares;
  std::vector<std::uint32_t> begins;  // of the name of each feature in the text
  std::vector<Space> spaces;
  bool named_spaces = false;  // one of them has a name
};

VwParser::VwParser(LabelOptions options, const NameSecret& secret)
    : rule_(options), secret_(secret), spares_(std::make_shared<Spares>()) {}

struct VwParser::Head {
  std::int8_t its_class = 0;  // 0: no label
  double importance = 1;
};

std::unique_ptr<RowBlock> VwParser::parse(std::string& text) {
  // blocks of one input have similar sizes, and growing a block repeatedly would cost as much as filling it
  auto owned = std::make_unique<Block>(text, secret_, expected_features_, spares_);
  Block& block = *owned;
  block.distinct = true;
  each_line(block.text, [&](const char* at, const char* end) {
    while (at != end && is_blank(*at)) ++at;
    if (at == end) return;
    block.drop_row();
    const auto* bar = static_cast<const char*>(std::memchr(at, '|', static_cast<std::size_t>(end - at)));
    if (!bar) throw Problem{end, "expected \"|\" and features, found the end of the line"};
    const Head head = parse_head(at, bar, end);
    while (bar != end) bar = parse_namespace(bar, end, block);
    if (head.importance != 1 && block.weights.empty()) block.weights.assign(block.size(), 1);
    const auto begin = static_cast<std::size_t>(block.starts.back());
    block.distinct = block.distinct && different_.are_in(block.keys.data() + begin, block.n_features - begin);
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
  do {
    at = token_kernels().find_tokens(at, end, block.text.data(), '|', tokens);
    block.add(tokens, names, weight, end);
    if (at != end && *at == ':')
      throw Problem{at, "expected the name of a feature, found " + found_at(at, end, kSeparators)};
  } while (at != end && *at != '|');
  return at;
}

}  // namespace wmsketch
