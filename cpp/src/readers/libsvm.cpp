#include "wmsketch/readers/libsvm.hpp"

#include <array>
#include <limits>

#include "wmsketch/readers/numbers.hpp"

namespace wmsketch {
namespace {

constexpr std::uint64_t kLargestId = std::numeric_limits<Key>::max();
constexpr auto kPowersOfTen = [] {
  std::array<std::uint64_t, 17> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool ends_token(const char* at, const char* end) { return at == end || is_blank(*at) || *at == '#'; }

// The number with the 1 to 16 digits at `at`.
std::uint64_t join(const char* at, int count) {
  if (count <= 8) return detail::join_few(at, count);
  return detail::join_few(at, 8) * kPowersOfTen[count - 8] + detail::join_few(at + 8, count - 8);
}

// Reads consecutive features like 1234:0.5678, 1234:1 or 1234:-0.5, up to the first that is unusual or has very many
// digits, and returns where they end. A feature can only be parsed once the end of the previous one is known. So the
// ends are found for 64 characters at once, independently of the digits.
const char* read_plain_features(const char* at, const char* line_end, Key*& keys, float*& values) {
  for (;;) {
    const char* const text = at;  // positions below are relative to this
    std::uint64_t marks = detail::non_digits_of_64(text);
    const auto next_mark = [&marks] {
      const int place = std::countr_zero(marks);
      marks &= marks - 1;
      return place;
    };
    for (int begin = 0;;) {
      const int colon = next_mark();
      int first = colon + 1, end = next_mark();
      const bool negative = text[first] == '-';
      if (negative) {
        ++first;
        end = next_mark();
      }
      const int n_id = colon - begin, n_whole = end - first;
      if (n_id < 1 || n_id > 8 || n_whole < 1 || n_whole > 8 || text[colon] != ':') break;
      double number;
      if (text[end] == '.') {
        const int fraction = end + 1;
        end = next_mark();
        const int n_fraction = end - fraction;
        if (n_fraction < 1 || n_fraction > 16 || n_whole + n_fraction > 17) break;
        const std::uint64_t whole =
            n_whole == 1 ? static_cast<std::uint64_t>(text[first] - '0') : detail::join_few(text + first, n_whole);
        const std::uint64_t mantissa = whole * kPowersOfTen[n_fraction] + join(text + fraction, n_fraction);
        // numerator and denominator are exact doubles, so the quotient is correctly rounded
        if (mantissa > (std::uint64_t{1} << 53)) break;
        number = static_cast<double>(static_cast<std::int64_t>(mantissa)) / detail::kPowers[n_fraction];
      } else {
        number = detail::join_few(text + first, n_whole);
      }
      if (end > 63 || (text + end != line_end && !is_blank(text[end]))) break;
      *keys++ = detail::join_few(text + begin, n_id);
      *values++ = static_cast<float>(negative ? -number : number);
      at = text + end;
      if (at == line_end) return at;
      begin = end + 1;
    }
    if (at == text) return at;
    ++at;  // skip the blank
  }
}

}  // namespace

std::unique_ptr<RowBlock> LibsvmParser::parse(std::string& text) {
  auto block = std::make_unique<RowBlock>();
  const std::size_t most_features = text.size() / 4 + 1;  // the shortest feature is "1:2 "
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
  if (next && *next == ':') {  // a feature: the label is missing
    problem = rule_.missing_label_problem();
    if (problem.empty()) return at;
    throw Problem{at, problem + ", found " + found_at(at, end), Fault::label};
  }
  if (!next || !ends_token(next, end) || !fits_float(label))
    throw Problem{at, "expected a label like 1 or -1, found " + found_at(at, end)};
  its_class = rule_.class_of(label, {at, next}, problem);
  if (its_class == 0) throw Problem{at, problem, rule_.fault()};
  return next;
}

std::size_t LibsvmParser::parse_features(const char* at, const char* end, std::size_t row_end) {
  Key* key = keys_.data() + row_end;
  float* value = values_.data() + row_end;
  for (;;) {
    while (is_blank(*at)) ++at;
    at = read_plain_features(at, end, key, value);
    while (is_blank(*at)) ++at;
    if (at == end || *at == '#') break;
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
      throw Problem{text, "expected a finite number after the colon, found " + found_at(text, end)};
    *key++ = static_cast<Key>(id);
    *value++ = static_cast<float>(number);
    at = next;
  }
  return static_cast<std::size_t>(key - keys_.data());
}

}  // namespace wmsketch
