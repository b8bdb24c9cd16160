#include "wmsketch/readers/libsvm.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "wmsketch/readers/tokens.hpp"
#include "wmsketch/simd/kernels.hpp"

namespace wmsketch {
namespace {

constexpr std::uint64_t kLargestId = std::numeric_limits<Key>::max();
constexpr auto kPowersOfTen = [] {
  std::array<std::uint64_t, 9> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool ends_token(const char* at, const char* end) { return at == end || is_blank(*at) || *at == '#'; }

// Reads a number like 0.1234567890, with one digit before the point and 8 to 16 behind it: two words hold all of these,
// some twice. Returns false if it is anything else, or has too many digits to be exact.
bool read_fraction(const char* at, int n_fraction, double& number) {
  if (at[1] != '.' || !is_digit(*at) || n_fraction < 8 || n_fraction > 16) return false;
  const std::uint64_t first = detail::load_digits(at + 2), last = detail::load_digits(at + 2 + n_fraction - 8);
  if ((detail::non_digits(first) | detail::non_digits(last)) != 0) return false;
  const int n_last = n_fraction - 8;  // digits that only the last word has; they are its highest bytes
  const std::uint64_t low = n_last == 0 ? 0 : detail::join_digits(last >> (64 - 8 * n_last) << (64 - 8 * n_last));
  const std::uint64_t high = static_cast<std::uint64_t>(*at - '0') * 100'000'000 + detail::join_digits(first);
  const std::uint64_t mantissa = high * kPowersOfTen[n_last] + low;
  // numerator and denominator are exact doubles, so the quotient is correctly rounded
  number = static_cast<double>(static_cast<std::int64_t>(mantissa)) / detail::kPowers[n_fraction];
  return mantissa <= (std::uint64_t{1} << 53);
}

// Reads a number that is longer than eight characters, or unusual. Returns false if it is none.
bool read_value(const char* at, std::uint32_t size, float& value) {
  const int sign = *at == '-' ? 1 : 0;
  const char* const first = at + sign;
  double number;
  if (read_fraction(first, static_cast<int>(size) - sign - 2, number)) {
    value = static_cast<float>(sign ? -number : number);
    return true;
  }
  if (read_number(at, number) != at + size || !fits_float(number)) return false;
  value = static_cast<float>(number);
  return true;
}

bool read_id(const char* at, std::uint32_t size, Key& key) {
  std::uint64_t id;
  if (read_unsigned(at, kLargestId, id) != at + size || id > kLargestId) return false;
  key = static_cast<Key>(id);
  return true;
}

// Whether most numbers have too many characters for the kernel. Those of a file are alike, so a few tell.
bool are_long(const Tokens& tokens) {
  if (tokens.n == 0) return false;
  int n_long = 0;
  for (const std::size_t i : {std::size_t{0}, tokens.n / 2, tokens.n - 1}) n_long += tokens.numbers[i].size() > 8;
  return n_long > 1;
}
std::size_t list_all(std::size_t n, std::uint16_t* list) {
  std::iota(list, list + n, std::uint16_t{0});
  return n;
}

// Reads consecutive features like 1234:0.5678 up to the first that is something else, and returns where they end. A
// feature can only be parsed once the end of the previous one is known. So the ends are found first, independently of
// the digits, and the digits are converted last, for many features at once.
const char* read_features(const char* at, const char* line_end, Key*& keys, float*& values) {
  const TokenKernels& kernels = token_kernels();
  Tokens tokens;
  std::uint16_t others[Tokens::kMost];
  for (;;) {
    const char* const text = at;
    at = kernels.find_tokens(at, line_end, text, '\n', tokens);
    std::size_t n = tokens.n;
    std::size_t n_others = kernels.read_ids(text, tokens.names.data(), n, keys, others);
    for (std::size_t i = 0; i < n_others; ++i) {
      const TextSpan id = tokens.names[others[i]];
      if (read_id(text + id.begin, id.size(), keys[others[i]])) continue;
      n = others[i];
      break;
    }
    n_others =
        are_long(tokens) ? list_all(n, others) : kernels.read_numbers(text, tokens.numbers.data(), n, values, others);
    for (std::size_t i = 0; i < n_others; ++i) {
      const TextSpan number = tokens.numbers[others[i]];
      if (number.size() > 0 && read_value(text + number.begin, number.size(), values[others[i]])) continue;
      n = others[i];
      break;
    }
    keys += n;
    values += n;
    if (n < tokens.n) return text + tokens.names[n].begin;
    if (at == line_end || *at == ':') return at;
  }
}

}  // namespace

std::unique_ptr<RowBlock> LibsvmParser::parse(std::string& text) {
  auto block = std::make_unique<RowBlock>();
  // the shortest feature is "1:2 "; words that are none may be tried behind the last
  const std::size_t most_features = text.size() / 4 + 1 + Tokens::kMost;
  if (keys_.size() < most_features) {
    keys_.resize(most_features);
    values_.resize(most_features);
  }
  std::size_t row_end = 0;
  block->distinct = true;
  each_line(text, [&](const char* at, const char* end) {
    while (is_blank(*at)) ++at;
    if (at == end || *at == '#') return;
    std::int8_t its_class = 0;
    at = parse_label(at, end, its_class);
    const std::size_t row_begin = row_end;
    row_end = parse_features(at, end, row_end);
    block->distinct = block->distinct && are_different(keys_.data() + row_begin, row_end - row_begin);
    rule_.put(its_class, *block);
    block->starts.push_back(static_cast<std::int64_t>(row_end));
  });
  block->keys.assign(keys_.begin(), keys_.begin() + static_cast<std::ptrdiff_t>(row_end));
  block->values.assign(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(row_end));
  return block;
}

// Ids mostly ascend.
bool LibsvmParser::are_different(const Key* keys, std::size_t n) {
  return kernels().strictly_increasing(keys, n) || different_.are_in(keys, n);
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
    at = read_features(at, end, key, value);
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
