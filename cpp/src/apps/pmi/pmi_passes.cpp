// Several passes over items whose pairs do not all fit.
#include <algorithm>
#include <cmath>
#include <limits>

#include "wmsketch/apps/pmi/pmi.hpp"
#include "wmsketch/rule/loss.hpp"

namespace wmsketch {
namespace {

constexpr double kDeviations = 6;  // with fewer, pairs that occur two or three times by chance fill the table
constexpr double kLoad = 16;       // candidates for each large cell of the bounds

// The logarithm of count / chance, less several standard deviations.
double value_of(double count, double by_chance) {
  return log_same_everywhere(count / by_chance) - kDeviations / std::sqrt(count);
}

}  // namespace

void PairLearner::begin(Pass pass) {
  pass_ = pass;
  if (pass == Pass::all) return counts_.open();
  windows_ = Windows(config_.groups, config_.window, config_.window_name_bytes());
  if (pass == Pass::candidates) least_ = least_potential();
  if (pass != Pass::counts) return;
  reservoir_ = Reservoir(config_.reservoir, config_.seed);
  counts_.seal();
}

void PairLearner::survey(Key key, double seconds) {
  const bool of_items = pass_ == Pass::items;
  const Windows::Item item{key, 0, seconds, static_cast<float>(of_items ? items_.update(key) : items_.estimate(key))};
  if (of_items) reservoir_.add(key);
  each_earlier(seconds, [&](std::uint32_t, const Windows::Item& earlier) {
    if (of_items) {
      seen_.pairs += 1;
    } else if (potential(earlier.count, item.count) >= least_) {
      const auto [u, v] = in_order(earlier.key, key);
      counts_.add_to_bounds(counts_.hash(u, v));
    }
  });
  windows_.add(item, {});
}

double PairLearner::by_chance(double u_count, double v_count) const {
  const auto total = static_cast<double>(std::max<std::uint64_t>(1, items_.total()));
  return seen_.pairs / total * u_count * (v_count / total);
}

double PairLearner::potential(double u_count, double v_count) const {
  return value_of(std::max(1.0, std::min(u_count, v_count)), by_chance(u_count, v_count));
}

// Random pairs of the sample say how many real pairs have at least a potential.
double PairLearner::least_potential() const {
  constexpr std::size_t kDrawn = 1024;
  const double share = kLoad * config_.bound_width / std::max(1.0, seen_.pairs);
  if (share >= 1 || reservoir_.size() == 0) return -std::numeric_limits<double>::infinity();
  Random random(config_.seed ^ 0x9b05688c2b3e6c1fu);
  std::vector<double> found;
  for (std::size_t i = 0; i < kDrawn; ++i) {
    const Key u = reservoir_.key(reservoir_.draw(random)), v = reservoir_.key(reservoir_.draw(random));
    found.push_back(potential(items_.estimate(u), items_.estimate(v)));
  }
  const auto at = found.begin() + static_cast<std::ptrdiff_t>((1 - share) * (kDrawn - 1));
  std::nth_element(found.begin(), at, found.end());
  return *at;
}

// A pair that is no candidate takes a free place at most. The scores of candidates are from 2 on, in tenths.
std::uint32_t PairLearner::score_of(std::size_t i, const Windows::Item& last) const {
  const double earlier = windows_.item(ages_[i]).count, later = last.count;
  if (potential(earlier, later) < least_) return 1;
  const double most = std::max(1.0, std::min(earlier, later));  // few pairs occur more often than their items
  const double count = std::clamp(double(counts_.in_bounds(hashes_[i])), 1.0, most);
  return static_cast<std::uint32_t>(std::clamp(10 * (value_of(count, by_chance(earlier, later)) + 12), 2.0, 255.0));
}

// Drops the pairs of the lowest scores, and their names. From now on none of these scores gets a place.
void PairLearner::make_room() {
  floor_ = counts_.drop_lightest();
  names_.count_uses([&](auto use) {
    counts_.each_place([&](std::uint32_t place) {
      use(counts_.pair(place).u);
      use(counts_.pair(place).v);
    });
  });
}

}  // namespace wmsketch
