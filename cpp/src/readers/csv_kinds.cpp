// The columns of a table: their names, and their kinds.
#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "wmsketch/readers/csv.hpp"

namespace wmsketch {
namespace {

constexpr std::uint64_t kFewest = 16;             // other values that settle that a column is text
constexpr std::uint64_t kNearly = 20;             // numbers per other value in a column of numbers
constexpr std::uint64_t kMany = 10'000;           // numbers that could follow
constexpr std::size_t kMostRenamed = 20;          // listed
constexpr std::ptrdiff_t kWholeSample = 1 << 20;  // bytes of which every line is looked at
constexpr std::uint64_t kSampleEvery = 4;         // one of so many lines behind them

// As 2.0-beta and 1.1.1, which make a column of versions of 1.0 and 1.1.
bool is_version(std::string_view text) {
  return !text.empty() && text[0] >= '0' && text[0] <= '9' && text.find('.') != text.npos;
}

// Texts without a letter or a digit, like - and ? and *: they say that a value is missing.
bool is_mark(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f && !std::isalnum(c); });
}

}  // namespace

void CsvParser::read_header(const char* at) {
  std::vector<Field> fields;
  std::set<std::string> names, given;  // ordered, so that chosen names cannot make it slow
  for (const Cell& cell : cells_) given.emplace(cell.text);
  for (const Cell& cell : cells_) {
    std::string name(cell.text);
    if (cell.text.data() == cell.at && name.find('\r') != std::string::npos)  // only outside quotes
      throw Problem{cell.at + name.find('\r'), "expected lines that end in LF or CR LF, found a CR alone"};
    if (name.empty())
      name = "column" + std::to_string(fields.size() + 1);  // pandas and R leave the header of row numbers empty
    if (names.contains(name)) {
      const std::string first = name;
      for (int n = 2; names.contains(name) || given.contains(name); ++n) name = first + '.' + std::to_string(n);
      if (renamed_.size() < kMostRenamed) renamed_.emplace_back(first, name);
    }
    names.insert(name);
    fields.push_back({std::move(name)});
  }
  if (fields.size() == 1 && fields[0].name.find_first_of(",;\t|") != std::string::npos)
    throw Problem{at, "expected columns separated by \"" + std::string(1, delimiter_) + "\", found one column"};
  fields_ = std::move(fields);
}

// Nearly all are numbers, or all others are one word, which probably marks missing values.
bool CsvParser::Guess::is_number() const {
  if (!first_code.empty() || n_numbers == 0) return false;
  const bool one_mark = n_first == n_others && !is_version(first_other);
  return n_numbers >= kNearly * n_others || (one_mark && n_numbers >= std::max(n_others, kFewest));
}

// In a file that quotes only some of its columns, quotes mean text.
ColumnKind CsvParser::Guess::kind(bool quotes_mean_text) const {
  if (n_numbers + n_others == 0) return n_marks == 0 ? ColumnKind::unknown : ColumnKind::text;
  if (n_others > 0 && n_others == n_booleans && n_numbers == 0) return ColumnKind::boolean;
  return is_number() && !(quotes_mean_text && n_quoted == n_numbers + n_texts()) ? ColumnKind::number
                                                                                 : ColumnKind::text;
}

// Looks ahead at lines that can be split. Problems are reported when the lines are parsed.
void CsvParser::guess_kinds(const char* at, const char* text_end) {
  const auto settled = [this](const Field& field) { return field.kind != Kind::unknown || !is_guessed(field); };
  if (std::all_of(fields_.begin(), fields_.end(), settled)) return;
  const std::string sample = std::exchange(sample_, {});
  if (!sample.empty()) {
    at = sample.data();
    text_end = at + sample.size() - kPadding;
  }
  std::uint64_t n_above = sample.empty() ? 0 : n_above_;
  const char* const all_until = at + kWholeSample;
  std::vector<Guess> guesses(fields_.size());
  for (std::uint64_t line = 0; at < text_end; ++line) {
    const char* const newline = find_end(at, text_end).newline;
    const char* const line_end = newline ? newline : text_end;
    const char* const end = line_end != at && line_end[-1] == '\r' ? line_end - 1 : line_end;
    const bool is_above = n_above > 0 && end != at;
    const bool is_sampled = end != at && !is_above && (at < all_until || line % kSampleEvery == 0);
    n_above -= is_above;
    if (is_sampled && !guess_from_line(at, end, guesses) && !skips_bad_rows()) break;
    at = line_end + 1;
  }
  const bool quotes_mean_text = std::any_of(guesses.begin(), guesses.end(), [](const Guess& guess) {
    return guess.n_quoted == 0 && guess.kind(false) == Kind::number;
  });
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const Guess& guess = guesses[i];
    const bool automatic = encoder_.role(fields_[i].column) == RowEncoder::Role::automatic;
    Kind kind = guess.kind(automatic && quotes_mean_text);
    if (automatic && guess.is_amount()) kind = Kind::number;
    if (automatic && guess.is_epoch()) kind = Kind::time;
    if (automatic && kind == Kind::text && guess.n_numbers == 0) kind = guess.times.kind(guess.n_others);
    if (!automatic && ((kind == Kind::number && guess.n_others > 0) || guess.n_marks > 0)) kind = Kind::text;
    if (settled(fields_[i]) || kind == Kind::unknown) continue;
    encoder_.set_kind(fields_[i].column, fields_[i].kind = kind);
    if (automatic && guess.is_amount()) {
      fields_[i].takes_amounts = true;
      amounts_.emplace_back(fields_[i].name, guess.first_other);
    }
    if (!automatic || kind != Kind::text) continue;
    if (guess.n_others > 0) {
      if (guess.is_mixed()) mixed_.emplace_back(fields_[i].name, guess.first_other);
      if (guess.n_numbers == 0 && guess.times.is_unclear(guess.n_others))
        unclear_dates_.emplace_back(fields_[i].name, guess.first_other);
    } else if (!guess.first_code.empty()) {
      encoder_.note_code(fields_[i].column, guess.first_code, false);
    } else {
      quoted_numbers_.push_back(fields_[i].name);
    }
  }
}

void CsvParser::set_sample(std::string_view text) {
  n_above_ = n_preamble_ + given_columns_.empty();
  sample_.reserve(text.size() + kPadding);
  sample_ = text;
  sample_.append(kPadding, '\0');
}

bool CsvParser::guess_from_line(const char* at, const char* end, std::vector<Guess>& guesses) {
  try {
    split(at, end);
  } catch (const Problem&) {
    return false;
  }
  if (cells_.size() != fields_.size() && !fit_cells(end)) return false;
  read_numbers_of_style();
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const std::string_view text = cells_[i].text;
    Guess& guess = guesses[i];
    if (guess.n_others >= kFewest && guess.n_first < guess.n_others && guess.n_amounts < guess.n_others &&
        guess.times.n() < guess.n_others && guess.n_others * kNearly > guess.n_numbers + kMany)
      continue;  // it is text, whatever follows
    if (is_missing(text) || encoder_.is_na(text)) continue;
    double value;
    const bool number = read_number_of(cells_[i], value);
    guess.n_quoted += *cells_[i].at == '"';
    if (number) {
      ++guess.n_numbers;
      const bool code =
          is_code(without_blanks(text)) && encoder_.role(fields_[i].column) == RowEncoder::Role::automatic;
      if (code && guess.first_code.empty()) guess.first_code = text;
      guess.n_epochs += epoch_seconds(value) && names_epoch(fields_[i].name);
      continue;
    }
    if (is_mark(text)) {
      ++guess.n_marks;
      continue;
    }
    const std::string_view sign = cells_[i].other_style ? "" : amount_in(text).sign;
    if (guess.n_others == 0) guess.sign = sign;
    guess.n_amounts += !sign.empty() && sign == guess.sign;
    if (guess.n_others++ == 0) guess.first_other = text;
    guess.n_first += text == guess.first_other;
    guess.times.add(text);
    guess.n_booleans += boolean_in(text).has_value();
  }
  return true;
}

bool CsvParser::is_guessed(const Field& field) const {
  const RowEncoder::Role role = encoder_.role(field.column);
  return role == RowEncoder::Role::automatic || role == RowEncoder::Role::label;
}

// The function write.table of R writes the names of its rows into a first column without a name.
void CsvParser::add_row_names(const char* at, const char* text_end) {
  constexpr int kLines = 100;
  bool any = false;
  for (int line = 0; line < kLines && at < text_end; ++line) {
    const char* const newline = find_end(at, text_end).newline;
    const char* const line_end = newline ? newline : text_end;
    const char* const end = line_end != at && line_end[-1] == '\r' ? line_end - 1 : line_end;
    try {
      if (end != at) split(at, end);
    } catch (const Problem&) {
      return;
    }
    if (end != at && (cells_.size() != fields_.size() + 1 || cells_.back().text.empty())) return;
    any |= end != at;
    at = line_end + 1;
  }
  if (!any || fields_.size() < 2) return;
  std::string name = "column1";
  while (std::any_of(fields_.begin(), fields_.end(), [&](const Field& field) { return field.name == name; }))
    name += '_';
  fields_.insert(fields_.begin(), {std::move(name)});
}

void CsvParser::prepare_fields(const char* at, const char* text_end) {
  for (Field& field : fields_) {
    field.column = encoder_.column(field.name);
    field.kind = encoder_.kind(field.column);
    const RowEncoder::Role role = encoder_.role(field.column);
    field.takes_amounts =
        role == RowEncoder::Role::numeric || (role == RowEncoder::Role::automatic && field.kind == Kind::number);
  }
  guess_kinds(at, text_end);
  for (Field& field : fields_) {
    field.holds_numbers = field.kind == Kind::number && encoder_.role(field.column) == RowEncoder::Role::automatic;
  }
}

}  // namespace wmsketch
