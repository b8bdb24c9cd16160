// Parsing of times in the formats of logs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wmsketch/data/row_block.hpp"

namespace wmsketch {

// Seconds since 1970. The text is a number, or a date and time like 2024-05-17 08:30:00.25 that `calendar_seconds` can
// read. UTC if no zone is given.
std::optional<double> seconds_in(std::string_view text);

// Appends a time like 2024-05-17T08:30:00Z as columns of times are written: 2024-05-17 08:30:00 in UTC, with no zeros
// behind a fraction, and the date alone at midnight. False: the text is no time.
bool append_time(std::string& to, std::string_view text);

// Seconds since 1970 of a date, or a date and time, as people write it: 2024-05-17T12:30Z, 17 May 2024, 17.5.2024,
// 17/May/2024:12:30:00 +0200, May 17, 2024 1:30 PM. `kind` says how 3/4/2024 is read: time_mdy as March 4, time_dmy as
// April 3, time not at all.
std::optional<double> calendar_seconds(std::string_view text, ColumnKind kind = ColumnKind::time);

// Whether a text can be a time: most texts are none, and this is quick.
inline bool may_be_time(std::string_view text) {
  return text.size() >= 8 && text.size() <= 40 && text[0] >= '0' && text[0] <= '9';
}

// Whether a column with this name holds seconds since 1970: `timestamp`, `epoch`, `unix_time`, `ts`, `created_ts`.
bool names_epoch(std::string_view column);
inline constexpr double kFirstEpoch = 631152000;  // 1990
// Seconds since 1970 of a number of seconds, milliseconds, microseconds or nanoseconds, from 1990 to 2100.
std::optional<double> epoch_seconds(double number);

// The parts of a time that come again, as words.
struct TimeParts {
  static constexpr std::size_t kMany = 3;
  static constexpr std::string_view kNames[kMany] = {"hour", "weekday", "month"};
  std::string_view words[kMany];
  bool is_midnight;
};
TimeParts parts_of(double seconds);

// Which kind of column times of the first values make: counts how many can be read in each way.
class TimeGuess {
 public:
  void add(std::string_view text);
  std::uint64_t n() const { return n_[0] + n_[1] + n_[2] + n_[3]; }  // times in any form
  // Of so many values, nearly all must be times, and some of 3/4/2024 must show which number is the month.
  ColumnKind kind(std::uint64_t n_values) const;
  bool is_unclear(std::uint64_t n_values) const;  // all are times, but which number is the month is not known

 private:
  std::uint64_t n_[4] = {};  // in any case, only with the month or the day first, and either
};

}  // namespace wmsketch
