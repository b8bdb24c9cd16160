#include <limits>

#include "wmsketch/readers/libsvm.hpp"
#include "wmsketch/readers/numbers.hpp"

namespace wmsketch {
namespace {

constexpr std::uint64_t kLargestId = std::numeric_limits<Key>::max();

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool ends_token(const char* at, const char* end) { return at == end || is_blank(*at) || *at == '#'; }

// Reads a feature like 1234:0.5678 or 1234:1 if it has at most 8 digits, 8 more characters, and nothing unusual;
// returns where it ends, or null. Where a feature ends is where the next can begin: that must be known soon, so it is
// found for all 16 characters at once, and the digits are joined meanwhile.
const char* read_short_feature(const char* at, const char* line_end, Key& key, float& value) {
  const std::uint32_t marks = detail::non_digits_of_16(at) | 0xf0000;
  const std::uint32_t behind_colon = marks & (marks - 1), behind_point = behind_colon & (behind_colon - 1);
  const int colon = std::countr_zero(marks), first = colon + 1;
  const bool has_point = at[std::countr_zero(behind_colon)] == '.';
  const int end = std::countr_zero(has_point ? behind_point : behind_colon);
  const int size = end - first;
  const char* const next = at + end;
  if (colon < 1 || colon > 8 || at[colon] != ':' || size < 1 + has_point || size > 8 || end > 15) return nullptr;
  if (next != line_end && !is_blank(*next)) return nullptr;
  key = detail::join_digits(detail::load_digits(at) << (64 - 8 * colon));
  const std::uint64_t digits = detail::load_digits(at + first);
  if (has_point) {
    const int n_whole = std::countr_zero(behind_colon) - first;
    value = static_cast<float>(detail::join_around_point(digits, n_whole, size) / detail::kPowers[size - 1 - n_whole]);
  } else {
    value = static_cast<float>(detail::join_digits(digits << (64 - 8 * size)));
  }
  return next;
}

}  // namespace

std::unique_ptr<RowBlock> LibsvmParser::parse(std::string& text) {
  auto block = std::make_unique<RowBlock>();
  const std::size_t most_features = text.size() / 4 + 1;  // the shortest is "1:2 "
  if (keys_.size() < most_features) {
    keys_.resize(most_features);
    values_.resize(most_features);
  }
  std::size_t row_end = 0;
  each_line(text, [&](const char* at, const char* end) {
    while (is_blank(*at)) ++at;
    if (at == end || *at == '#') return;
    std::int8_t its_class = 0;
    at = parse_label(at, end, its_class);
    row_end = parse_features(at, end, row_end);
    rule_.put(its_class, *block);
    block->starts.push_back(static_cast<std::int64_t>(row_end));
  });
  block->keys.assign(keys_.begin(), keys_.begin() + static_cast<std::ptrdiff_t>(row_end));
  block->values.assign(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(row_end));
  return block;
}

const char* LibsvmParser::parse_label(const char* at, const char* end, std::int8_t& its_class) {
  double label;
  const char* const next = read_number(at, label);
  std::string problem;
  if (next && *next == ':') {  // a feature: the label misses
    problem = rule_.why_label_must_be();
    if (problem.empty()) return at;
    throw Problem{at, problem + ", found " + found_at(at, end)};
  }
  if (!next || !ends_token(next, end) || !fits_float(label))
    throw Problem{at, "expected a label like 1 or -1, found " + found_at(at, end)};
  its_class = rule_.class_of(label, {at, next}, problem);
  if (its_class == 0) throw Problem{at, problem};
  return next;
}

std::size_t LibsvmParser::parse_features(const char* at, const char* end, std::size_t row_end) {
  Key* key = keys_.data() + row_end;
  float* value = values_.data() + row_end;
  for (;;) {
    while (is_blank(*at)) ++at;
    if (at == end || *at == '#') break;
    if (const char* const behind = read_short_feature(at, end, *key, *value)) {
      at = behind;
      ++key;
      ++value;
      continue;
    }
    std::uint64_t id;
    const char* next = read_unsigned(at, kLargestId, id);
    if (next == at || *next != ':') {
      constexpr std::string_view kQuery = "qid:";
      if (std::string_view(at, static_cast<std::size_t>(end - at)).starts_with(kQuery)) {
        while (!ends_token(at, end)) ++at;
        continue;
      }
      throw Problem{at, "expected a feature like 12:0.5, found " + found_at(at, end)};
    }
    if (id > kLargestId) throw Problem{at, "expected a feature id below 4294967296, found " + found_at(at, end)};
    const char* const text = next + 1;
    double number;
    next = read_number(text, number);
    if (!next || !ends_token(next, end) || !fits_float(number))
      throw Problem{text, "expected a finite number behind the colon, found " + found_at(text, end)};
    *key++ = static_cast<Key>(id);
    *value++ = static_cast<float>(number);
    at = next;
  }
  return static_cast<std::size_t>(key - keys_.data());
}

}  // namespace wmsketch
