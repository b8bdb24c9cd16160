#include "wmsketch/readers/libsvm.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "wmsketch/readers/digit_words.hpp"

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

// Reads a number like -0.123456789012, which has too many digits for a word. Returns false if it is anything else.
bool read_long(const char* at, int n_whole, int n_fraction, double& number) {
  if (n_whole < 1 || n_whole > 8 || n_fraction < 1 || n_fraction > 16 || n_whole + n_fraction > 17) return false;
  const std::uint64_t whole = n_whole == 1 ? static_cast<std::uint64_t>(*at - '0') : join(at, n_whole);
  const std::uint64_t mantissa = whole * kPowersOfTen[n_fraction] + join(at + n_whole + 1, n_fraction);
  // numerator and denominator are exact doubles, so the quotient is correctly rounded
  number = static_cast<double>(static_cast<std::int64_t>(mantissa)) / detail::kPowers[n_fraction];
  return mantissa <= (std::uint64_t{1} << 53);
}

constexpr std::size_t kBatch = 256;  // features that are found before the first is converted
constexpr std::size_t kFewMarks = 12, kMostMarks = 3 * kBatch;

// Where the characters of a text are that are no digits, up to the end of the line or until there are enough of them.
// Returns how many there are; three more places can be read, and mean nothing.
std::size_t find_marks(const char* text, std::uint32_t line_end, std::size_t enough, std::uint32_t* places) {
  std::size_t n = 0;
  std::uint32_t here = 0;
  for (; here <= line_end && n < enough; here += 64)
    for (std::uint64_t marks = detail::non_digits_of_64(text + here); marks != 0; marks &= marks - 1)
      places[n++] = here + static_cast<std::uint32_t>(std::countr_zero(marks));
  places[n] = places[n + 1] = places[n + 2] = std::min(here, line_end);
  return n;
}

// Reads consecutive features like 1234:0.5678, 1234:1 or 1234:-0.5, up to the first that is unusual or has very many
// digits, and returns where they end. A feature can only be parsed once the end of the previous one is known. So the
// ends are found first, independently of the digits, and the digits are converted last, for many features at once.
// At first, `enough` marks are looked for.
const char* read_plain_features(const char* at, const char* line_end, std::size_t enough, Key*& keys, float*& values) {
  std::uint32_t marks[kMostMarks + 64 + 3];
  std::uint64_t ids[kBatch], digits[kBatch];
  float denominators[kBatch], long_values[kBatch];
  std::uint16_t long_places[kBatch];
  for (;;) {
    const char* const text = at;  // positions below are relative to this
    const auto line_size = static_cast<std::uint32_t>(line_end - text);
    const std::size_t n_marks = find_marks(text, line_size, enough, marks);
    std::size_t n = 0, n_long = 0;
    std::uint32_t begin = 0;
    for (std::size_t i = 0; n < kBatch;) {
      const std::uint32_t colon = marks[i++], n_id = colon - begin;
      std::uint32_t first = colon + 1;
      const float* power = detail::kPositive;
      if (text[first] == '-') [[unlikely]] {
        power = detail::kNegative;
        ++first;
        ++i;
      }
      std::uint32_t end = marks[i++];
      if (text[colon] != ':' || n_id - 1 > 7) break;
      if (text[end] == '.') {
        const std::uint32_t point = end;
        end = marks[i++];
        if (i > n_marks) break;
        const std::uint32_t size = end - first, n_fraction = end - point - 1;
        if (size - 2 <= 6) {
          digits[n] = detail::without_point(detail::digit_word(text + first, size), n_fraction);
          denominators[n] = power[n_fraction];
        } else {
          double number;
          if (!read_long(text + first, static_cast<int>(point - first), static_cast<int>(n_fraction), number) &&
              (read_number(text + first, number) != text + end || !fits_float(number)))
            break;
          long_places[n_long] = static_cast<std::uint16_t>(n);
          long_values[n_long++] = static_cast<float>(number) * power[0];
          digits[n] = 0;
          denominators[n] = 1;
        }
      } else {
        const std::uint32_t size = end - first;
        if (i > n_marks || size - 1 > 7) break;
        digits[n] = detail::digit_word(text + first, size);
        denominators[n] = power[0];
      }
      ids[n] = detail::digit_word(text + begin, n_id);
      if (text[end] != ' ') [[unlikely]] {
        if (end == line_size) {
          begin = end;
          ++n;
          break;
        }
        if (text[end] != '\t') break;
      }
      begin = end + 1;
      ++n;
    }
    detail::join_words(ids, n, keys);
    detail::divide_words(digits, denominators, n, values);
    for (std::size_t i = 0; i < n_long; ++i) values[long_places[i]] = long_values[i];
    keys += n;
    values += n;
    at = text + begin;
    if (n == 0 || at == line_end) return at;
    enough = std::min(2 * enough, kMostMarks);
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
  for (std::size_t enough = kMostMarks;; enough = kFewMarks) {  // where a feature was unusual, the next may be too
    while (is_blank(*at)) ++at;
    at = read_plain_features(at, end, enough, key, value);
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
