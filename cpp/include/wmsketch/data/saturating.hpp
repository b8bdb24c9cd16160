// Integer addition that saturates at the limits of the type instead of wrapping around.
#pragma once

#include <cstdint>
#include <limits>

namespace wmsketch {

inline std::uint32_t add_saturating(std::uint32_t count, std::uint64_t amount) {
  constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  return amount > most - count ? most : count + static_cast<std::uint32_t>(amount);
}

inline std::uint64_t add_saturating(std::uint64_t count, std::uint64_t amount) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return amount > most - count ? most : count + amount;
}

// Adds what was counted between `then` and `now`.
inline void add_since(std::uint64_t& sum, std::uint64_t now, std::uint64_t then) {
  sum = add_saturating(sum, now > then ? now - then : 0);
}

// Saturating increment without a branch. It does nothing if `counts` is false.
inline void count_one(std::uint64_t& count, bool counts = true) { count += counts && ~count != 0; }

inline std::int32_t add_saturating(std::int32_t count, std::int64_t amount) {
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max(),
                         least = std::numeric_limits<std::int32_t>::min();
  if (amount > std::int64_t{most} - count) return most;
  if (amount < std::int64_t{least} - count) return least;
  return static_cast<std::int32_t>(count + amount);
}

}  // namespace wmsketch
