#include "wmsketch/readers/vw.hpp"

#include <algorithm>
#include <bit>

#include "wmsketch/data/hashing.hpp"
#include "wmsketch/readers/numbers.hpp"

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

struct Slice {
  std::uint32_t begin = 0, size = 0;
};

}  // namespace

// Keeps the text it was parsed from, so that names are copied only when asked for.
class VwParser::Block final : public RowBlock {
 public:
  Block(std::string lines, const NameSecret& of_names) : text(std::move(lines)) {
    named = true;
    secret = of_names;
  }

  std::string name(std::size_t i) const override {
    const auto copy = [&](Slice slice) { return text.substr(slice.begin, slice.size); };
    const auto& [feature, space] = names.at(i);
    return spaces[space].size == 0 ? copy(feature) : copy(spaces[space]) + '^' + copy(feature);
  }

  Slice slice(const char* begin, const char* end) const {
    return {static_cast<std::uint32_t>(begin - text.data()), static_cast<std::uint32_t>(end - begin)};
  }

  // Removes the features of an incomplete row.
  void drop_row() {
    const auto n_complete = static_cast<std::size_t>(starts.back());
    if (keys.size() == n_complete) return;
    keys.resize(n_complete);
    values.resize(n_complete);
    names.resize(n_complete);
  }

  struct Name {
    Slice feature;
    std::uint32_t space;  // index into spaces
  };
  std::string text;
  std::vector<Name> names;  // for each key
  std::vector<Slice> spaces;
};

struct VwParser::Head {
  std::int8_t its_class = 0;  // 0: no label
  double importance = 1;
};

std::unique_ptr<RowBlock> VwParser::parse(std::string& text) {
  auto owned = std::make_unique<Block>(std::move(text), secret_);
  Block& block = *owned;
  // blocks of one input have similar sizes, and growing a block repeatedly would cost as much as filling it
  block.keys.reserve(expected_features_);
  block.values.reserve(expected_features_);
  block.names.reserve(expected_features_);
  each_line(block.text, [&](const char* at, const char* end) {
    while (at != end && is_blank(*at)) ++at;
    if (at == end) return;
    block.drop_row();
    const auto* bar = static_cast<const char*>(std::memchr(at, '|', static_cast<std::size_t>(end - at)));
    if (!bar) throw Problem{end, "expected \"|\" and features, found the end of the line"};
    const Head head = parse_head(at, bar, end);
    while (bar != end) bar = parse_namespace(bar, end, block);
    if (head.importance != 1 && block.weights.empty()) block.weights.assign(block.size(), 1);
    block.starts.push_back(static_cast<std::int64_t>(block.keys.size()));
    rule_.put(head.its_class, block);
    if (head.importance != 1 || !block.weights.empty()) block.weights.push_back(static_cast<float>(head.importance));
  });
  block.drop_row();
  const std::size_t n_complete = block.keys.size();
  expected_features_ = n_complete + n_complete / 8;
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
  const auto space_size = static_cast<std::size_t>(at - space);
  const auto space_index = static_cast<std::uint32_t>(block.spaces.size());
  block.spaces.push_back(block.slice(space, at));
  double weight = 1;
  if (at != end && *at == ':') {
    if (space_size == 0) throw Problem{at, "expected the name of a namespace, found " + found_at(at, end, kSeparators)};
    parse_number(++at, end, "a finite weight of the namespace", weight);
  }
  if (space_size > 0) name_.assign(space, space_size) += '^';
  for (;;) {
    while (at != end && is_blank(*at)) ++at;
    if (at == end || *at == '|') return at;
    const char* const feature = at;
    at = word_end(feature, end);
    if (at == feature) throw Problem{at, "expected the name of a feature, found " + found_at(at, end, kSeparators)};
    const std::string_view name(feature, static_cast<std::size_t>(at - feature));
    const Slice slice = block.slice(feature, at);
    double value = 1;
    const char* const number = at != end && *at == ':' ? ++at : nullptr;
    if (number) parse_number(at, end, "a finite number after the colon", value);
    value *= weight;
    if (!fits_float(value))
      throw Problem{feature,
                    "expected a value that stays finite when multiplied by the weight of the namespace, found " +
                        found_at(feature, end, kSeparators)};
    if (space_size > 0) {
      name_.resize(space_size + 1);
      name_ += name;
    }
    block.keys.push_back(key_of_name(space_size > 0 ? std::string_view(name_) : name, secret_));
    block.values.push_back(static_cast<float>(value));
    block.names.push_back({slice, space_index});
  }
}

}  // namespace wmsketch
