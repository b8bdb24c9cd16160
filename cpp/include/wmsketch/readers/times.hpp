// Parsing of times in the formats of logs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wmsketch {

// Seconds since 1970. The text is a number, or a date and time like 2024-05-17 08:30:00.25, with an optional T instead
// of the blank and Z or +02:00 at the end. UTC if no zone is given.
std::optional<double> seconds_in(std::string_view text);

// Appends a time like 2024-05-17T08:30:00Z as columns of times are written: 2024-05-17 08:30:00 in UTC, with no zeros
// behind a fraction, and the date alone at midnight. False: the text is no time.
bool append_time(std::string& to, std::string_view text);

}  // namespace wmsketch
