// When something happened, as logs write it.
#pragma once

#include <optional>
#include <string_view>

namespace wmsketch {

// Seconds since 1970 of a number, or of a date and time like 2024-05-17 08:30:00.25, with T for the blank, Z or +02:00
// at the end; without them, UTC.
std::optional<double> seconds_in(std::string_view text);

}  // namespace wmsketch
