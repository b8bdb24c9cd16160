#include "wmsketch/apps/pmi/pmi_bounds.hpp"

#include "wmsketch/data/saturating.hpp"

namespace wmsketch {

void TowerBounds::add(std::uint32_t hash, std::uint32_t n) {
  const Places at = places_of(hash);
  const std::uint32_t now = add_saturating(most(at), n);
  if (small(at.small) < now) set_small(at.small, std::min(now, kSmall));
  middle_[at.middle] = static_cast<std::uint8_t>(std::max<std::uint32_t>(middle_[at.middle], std::min(now, kMiddle)));
  large_[at.large] = std::max(large_[at.large], now);
}

// Rounds up. Saturated cells stay saturated.
void TowerBounds::halve() {
  for (std::size_t i = 0; i < 2 * small_.size(); ++i)
    if (small(i) < kSmall) set_small(i, (small(i) + 1) / 2);
  for (std::uint8_t& cell : middle_)
    if (cell < kMiddle) cell = static_cast<std::uint8_t>((cell + 1) / 2);
  for (std::uint32_t& cell : large_) cell = cell / 2 + cell % 2;
}

void TowerBounds::merge(const TowerBounds& other) {
  for (std::size_t i = 0; i < 2 * small_.size(); ++i) set_small(i, std::min(small(i) + other.small(i), kSmall));
  for (std::size_t i = 0; i < middle_.size(); ++i)
    middle_[i] = static_cast<std::uint8_t>(std::min<std::uint32_t>(middle_[i] + other.middle_[i], kMiddle));
  for (std::size_t i = 0; i < large_.size(); ++i) large_[i] = add_saturating(large_[i], other.large_[i]);
}

void TowerBounds::archive(Archive& archive) {
  archive.fixed("bounds_small", small_.data(), small_.size());
  archive.fixed("bounds_middle", middle_.data(), middle_.size());
  archive.fixed("bounds_large", large_.data(), large_.size());
}

}  // namespace wmsketch
