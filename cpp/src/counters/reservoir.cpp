#include "wmsketch/counters/reservoir.hpp"

#include <algorithm>
#include <stdexcept>

#include "wmsketch/data/error.hpp"

namespace wmsketch {

Reservoir::Reservoir(std::uint32_t capacity, std::uint64_t seed, std::size_t name_bytes)
    : keys_(capacity), random_(seed), names_(name_bytes == 0 ? 0 : capacity, name_bytes) {
  require_parameter(capacity >= 1, "capacity", "must be at least 1", capacity);
}

std::uint32_t Reservoir::add(Key key, std::string_view name) {
  ++n_seen_;
  std::uint32_t slot = size_;
  if (size_ == capacity()) {  // Vitter's algorithm R: the n-th key replaces a slot with probability capacity / n
    __extension__ using Wide = unsigned __int128;
    const auto place = static_cast<std::uint64_t>((static_cast<Wide>(random_.next()) * n_seen_) >> 64);
    if (place >= capacity()) return kNone;
    slot = static_cast<std::uint32_t>(place);
  } else {
    ++size_;
  }
  keys_[slot] = key;
  if (names_.entries() != 0) names_.set(slot, name);
  return slot;
}

void Reservoir::restore(std::span<const Key> keys, std::uint64_t n_seen, std::uint64_t random_state) {
  if (keys.size() != std::min<std::uint64_t>(n_seen, capacity()))
    throw std::invalid_argument("a sample of " + std::to_string(n_seen) + " keys with capacity " +
                                std::to_string(capacity()) + " cannot have " + std::to_string(keys.size()) + " keys");
  std::copy(keys.begin(), keys.end(), keys_.begin());
  size_ = static_cast<std::uint32_t>(keys.size());
  n_seen_ = n_seen;
  random_.state = random_state;
}

}  // namespace wmsketch
