// When something happened, as logs write it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wmsketch {

// Seconds since 1970 of a number, or of a date and time like 2024-05-17 08:30:00.25, with T for the blank, Z or +02:00
// at the end; without them, UTC.
std::optional<double> seconds_in(std::string_view text);

// Appends a time like 2024-05-17T08:30:00Z as columns of times are written: 2024-05-17 08:30:00 in UTC, with no zeros
// behind a fraction, and the date alone at midnight. False: the text is no time.
bool append_time(std::string& to, std::string_view text);

}  // namespace wmsketch
