// Dates and times as people write them, and their parts.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <string>

#include "wmsketch/readers/numbers.hpp"
#include "wmsketch/readers/times.hpp"

namespace wmsketch {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kWeekdays = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};  // from 1970
constexpr std::array<std::string_view, 24> kHours = {"0",  "1",  "2",  "3",  "4",  "5",  "6",  "7",
                                                     "8",  "9",  "10", "11", "12", "13", "14", "15",
                                                     "16", "17", "18", "19", "20", "21", "22", "23"};
constexpr double kDay = 86400;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

// Takes parts from the front of a text.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }
  char next() const { return text_.empty() ? '\0' : text_[0]; }
  bool take(char c) {
    if (next() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void skip_blanks() {
    while (take(' ')) {
    }
  }
  // A number of up to so many digits, or -1.
  int number(std::size_t most) {
    std::size_t n = 0;
    int value = 0;
    for (; n < text_.size() && is_digit(text_[n]); ++n) {
      if (n == most) return -1;
      value = 10 * value + (text_[n] - '0');
    }
    text_.remove_prefix(n);
    n_digits_ = n;
    return n == 0 ? -1 : value;
  }
  std::size_t n_digits() const { return n_digits_; }  // of the last number
  // The place of a word of three letters or more, like Sep or September; -1: there is none.
  template <std::size_t N>
  int word(const std::array<std::string_view, N>& words) {
    std::size_t n = 0;
    while (n < text_.size() && lower(text_[n]) >= 'a' && lower(text_[n]) <= 'z') ++n;
    if (n < 3) return -1;
    for (std::size_t i = 0; i < N; ++i) {
      const auto same = [&](std::size_t at) { return lower(text_[at]) == lower(words[i][at]); };
      if (!same(0) || !same(1) || !same(2)) continue;
      text_.remove_prefix(n);
      return static_cast<int>(i);
    }
    return -1;
  }
  bool take_word(std::string_view word) {
    const auto same = [](char a, char b) { return lower(a) == lower(b); };
    if (text_.size() < word.size() || !std::equal(word.begin(), word.end(), text_.begin(), same)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  double fraction() {
    double value = 0;
    if (!take('.') && !take(',')) return value;
    for (double unit = 0.1; is_digit(next()); unit /= 10) value += unit * number_of_one();
    return value;
  }

 private:
  int number_of_one() {
    const int value = text_[0] - '0';
    text_.remove_prefix(1);
    return value;
  }

  std::string_view text_;
  std::size_t n_digits_ = 0;
};

struct Date {
  int year = -1, month = -1, day = -1;
};

bool separates(char c) { return c == '-' || c == '/' || c == '.' || c == ' '; }

Date numbered_date(Reader& in, ColumnKind kind) {
  const int first = in.number(4);
  const bool year_first = in.n_digits() == 4;
  const char between = in.next();
  if (first < 0 || (in.n_digits() > 2 && !year_first) || !separates(between)) return {};
  in.take(between);
  if (const int month = in.word(kMonths); month >= 0) {  // 17 May 2024
    if (year_first || !in.take(between)) return {};
    const int year = in.number(4);
    return in.n_digits() == 4 ? Date{year, month + 1, first} : Date{};
  }
  const int second = in.number(2);
  if (second < 0 || between == ' ' || !in.take(between)) return {};
  const int third = in.number(year_first ? 2 : 4);
  if (year_first) return {first, second, third};
  if (in.n_digits() != 4) return {};
  if (between == '.' || kind == ColumnKind::time_dmy) return {third, second, first};
  return kind == ColumnKind::time_mdy ? Date{third, first, second} : Date{};
}

Date date_in(Reader& in, ColumnKind kind) {
  if (is_digit(in.next())) return numbered_date(in, kind);
  if (in.word(kWeekdays) >= 0) {  // Fri, 17 May 2024
    in.take(',');
    in.skip_blanks();
    if (is_digit(in.next())) return numbered_date(in, kind);
  }
  const int month = in.word(kMonths);  // May 17, 2024
  in.skip_blanks();
  const int day = in.number(2);
  in.take(',');
  in.skip_blanks();
  const int year = in.number(4);
  return month >= 0 && in.n_digits() == 4 ? Date{year, month + 1, day} : Date{};
}

// Seconds since midnight; negative: there is no time of day here.
double clock_in(Reader& in) {
  int hour = in.number(2);
  if (hour < 0 || hour > 24 || !in.take(':')) return -1;
  const int minute = in.number(2);
  if (in.n_digits() != 2 || minute > 59) return -1;
  double second = 0;
  if (in.take(':')) {
    second = in.number(2);
    if (in.n_digits() != 2 || second > 60) return -1;
    second += in.fraction();
  }
  in.skip_blanks();
  const bool morning = in.take_word("AM"), evening = !morning && in.take_word("PM");
  if ((morning || evening) && (hour == 0 || hour > 12)) return -1;
  if (morning || evening) hour = hour % 12 + (evening ? 12 : 0);
  return 3600.0 * hour + 60.0 * minute + second;
}

// What a zone adds to UTC, in seconds; nullopt: what stands here is no zone.
std::optional<double> zone_in(Reader& in) {
  in.skip_blanks();
  if (in.at_end() || in.take_word("UTC") || in.take_word("GMT") || in.take_word("Z")) return 0.0;
  const bool west = in.next() == '-';
  if (!in.take('+') && !in.take('-')) return std::nullopt;
  const int number = in.number(4);
  int hours = number, minutes = 0;
  if (in.n_digits() > 2) {
    hours = number / 100;
    minutes = number % 100;
  } else if (in.take(':')) {
    minutes = in.number(2);
  }
  if (hours < 0 || hours > 15 || minutes < 0 || minutes > 59) return std::nullopt;
  return (west ? -60.0 : 60.0) * (60 * hours + minutes);
}

bool is_nearly(std::uint64_t part, std::uint64_t all) {
  constexpr std::uint64_t kNearly = 20;  // times per other value
  return part > 0 && part >= kNearly * (all - part);
}

}  // namespace

std::optional<double> calendar_seconds(std::string_view text, ColumnKind kind) {
  Reader in(text);
  in.skip_blanks();
  const bool bracket = in.take('[');
  const Date written = date_in(in, kind);
  if (written.day < 1 || written.month < 1 || written.year < 0) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(written.year),
                                         std::chrono::month(static_cast<unsigned>(written.month)),
                                         std::chrono::day(static_cast<unsigned>(written.day))};
  if (!date.ok()) return std::nullopt;
  double seconds = kDay * std::chrono::sys_days(date).time_since_epoch().count();
  if (in.take('T') || in.take('t') || in.take(':') || in.take(',') || in.take(' ')) {
    in.skip_blanks();
    if (!in.at_end()) {
      const double clock = clock_in(in);
      const auto east = zone_in(in);
      if (clock < 0 || !east) return std::nullopt;
      seconds += clock - *east;
    }
  }
  in.skip_blanks();
  if (bracket && !in.take(']')) return std::nullopt;
  return in.at_end() ? std::optional(seconds) : std::nullopt;
}

bool names_epoch(std::string_view column) {
  std::string name(column.substr(column.rfind('.') + 1));
  std::transform(name.begin(), name.end(), name.begin(), lower);
  for (const std::string_view unit : {"_ms", "_us", "_ns", "_s", "_sec", "_seconds", "_millis"})
    if (name.ends_with(unit)) {
      name.resize(name.size() - unit.size());
      break;
    }
  return name == "ts" || name.ends_with("_ts") || name.ends_with("timestamp") || name.ends_with("epoch") ||
         name.starts_with("epoch") || name.starts_with("unix");
}

std::optional<double> epoch_seconds(double number) {
  constexpr double kLast = 4102444800;  // 2100
  for (int power = 0; power < 4; ++power, number /= 1000)
    if (number >= kFirstEpoch && number < kLast) return number;
  return std::nullopt;
}

TimeParts parts_of(double seconds) {
  const double day = std::floor(seconds / kDay), clock = seconds - kDay * day;
  const auto days = static_cast<std::int64_t>(day);
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
  const auto weekday = static_cast<std::size_t>((days % 7 + 7) % 7);
  const auto month = static_cast<unsigned>(date.month()) - 1;
  const auto hour = std::min<std::size_t>(23, static_cast<std::size_t>(clock / 3600));
  return {{kHours[hour], kWeekdays[weekday], kMonths[month]}, clock == 0};
}

void TimeGuess::add(std::string_view text) {
  if (text.size() < 6 || text.size() > 40) return;
  if (calendar_seconds(text)) {
    ++n_[0];
    return;
  }
  const bool month_first = calendar_seconds(text, ColumnKind::time_mdy).has_value();
  const bool day_first = calendar_seconds(text, ColumnKind::time_dmy).has_value();
  if (month_first || day_first) ++n_[month_first && day_first ? 3 : month_first ? 1 : 2];
}

ColumnKind TimeGuess::kind(std::uint64_t n_values) const {
  if (is_nearly(n_[0], n_values)) return ColumnKind::time;
  if (n_[1] > 0 && is_nearly(n() - n_[2], n_values)) return ColumnKind::time_mdy;
  if (n_[2] > 0 && is_nearly(n() - n_[1], n_values)) return ColumnKind::time_dmy;
  return ColumnKind::text;
}

bool TimeGuess::is_unclear(std::uint64_t n_values) const {
  return is_nearly(n(), n_values) && kind(n_values) == ColumnKind::text;
}

}  // namespace wmsketch
