// Which pairs get a place where not all fit: in several passes over the items, or if their least count is known.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "wmsketch/apps/pmi/pmi.hpp"
#include "wmsketch/rule/loss.hpp"

namespace wmsketch {
namespace {

constexpr double kDeviations = 6;  // with fewer, pairs that occur two or three times by chance fill the table
constexpr double kLoad = 16;       // candidates for each large cell of the bounds

// The value of a pair is the logarithm of count / chance, less several standard deviations. This is the part of the
// count.
double value_of(double count) { return log_same_everywhere(count) - kDeviations / std::sqrt(count); }

// Most counts are small.
double value_of_count(double count) {
  static const auto known = [] {
    std::array<double, 256> values{};
    for (std::size_t n = 1; n < values.size(); ++n) values[n] = value_of(static_cast<double>(n));
    return values;
  }();
  return count < double(known.size()) ? known[static_cast<std::size_t>(count)] : value_of(count);
}

}  // namespace

void PairLearner::begin(Pass pass) {
  if (pass_ == Pass::candidates) count_candidates();
  hashes_.clear();
  known_items_ = {};
  pass_ = pass;
  if (pass == Pass::all) {
    if (config_.for_rare_pairs()) floor_ = 0;  // the scores of passes are others
    return counts_.open();
  }
  windows_ = Windows(config_.groups, config_.window, config_.window_name_bytes());
  if (pass == Pass::candidates) {
    const auto total = static_cast<double>(std::max<std::uint64_t>(1, items_.total()));
    log_chance_ = log_same_everywhere(std::max(1.0, seen_.pairs) / total / total);
    least_ = least_potential();
  }
  if (pass != Pass::counts) return;
  reservoir_ = Reservoir(config_.reservoir, config_.seed);
  counts_.seal();
}

void PairLearner::survey(Key key, double seconds) {
  if (pass_ == Pass::items) {
    items_.update(key);
    reservoir_.add(key);
    each_earlier(seconds, [&](std::uint32_t, const Windows::Item&) { seen_.pairs += 1; });
    return windows_.add({key, 0, seconds, 0}, {});
  }
  items_.prefetch(key);
  count_candidates();
  const Windows::Item item = counted_item(key, 0, seconds);
  each_earlier(seconds, [&](std::uint32_t, const Windows::Item& earlier) {
    if (potential(recent(earlier), recent(item)) < least_) return;
    const auto [u, v] = in_order(earlier.key, key);
    hashes_.push_back(counts_.hash(u, v));
    counts_.prefetch_candidate(hashes_.back());
  });
  windows_.add(item, {});
}

// Counts the candidates of the last item, whose memory was asked for when it came.
void PairLearner::count_candidates() {
  for (const std::uint32_t hash : hashes_) counts_.add_to_bounds(hash);
  hashes_.clear();
}

Windows::Item PairLearner::counted_item(Key key, std::uint32_t number, double seconds) const {
  const auto count = static_cast<float>(std::max(1u, items_.estimate(key)));
  return {key, number, seconds, count, static_cast<float>(log_same_everywhere(count))};
}

double PairLearner::doubt_of(double count) { return kDeviations / std::sqrt(count); }

// Random pairs of the sample say how many real pairs have at least a potential.
double PairLearner::least_potential() const {
  constexpr std::size_t kDrawn = 1024;
  const double share = kLoad * config_.bound_width / std::max(1.0, seen_.pairs);
  if (share >= 1 || reservoir_.size() == 0) return -std::numeric_limits<double>::infinity();
  Random random(config_.seed ^ 0x9b05688c2b3e6c1fu);
  std::vector<double> found;
  for (std::size_t i = 0; i < kDrawn; ++i) {
    const Key u = reservoir_.key(reservoir_.draw(random)), v = reservoir_.key(reservoir_.draw(random));
    found.push_back(potential(recent(counted_item(u, 0, 0)), recent(counted_item(v, 0, 0))));
  }
  const auto at = found.begin() + static_cast<std::ptrdiff_t>((1 - share) * (kDrawn - 1));
  std::nth_element(found.begin(), at, found.end());
  return *at;
}

// A pair that is no candidate takes a free place at most. The scores of candidates are from 2 on, in tenths.
std::uint32_t PairLearner::score_of(std::size_t i, const Windows::Item& last) const {
  const Windows::Item& earlier = windows_.item(ages_[i]);
  if (potential(recent(earlier), recent(last)) < least_) return 1;
  return score_of(hashes_[i], std::min(earlier.count, last.count), earlier.log_count, last.log_count);
}

std::uint32_t PairLearner::score_of(std::uint32_t hash, float most, float log_earlier, float log_last) const {
  const double count = std::clamp(double(counts_.in_bounds(hash)), 1.0, double(most));
  const double value = value_of_count(count) - log_chance_ - log_earlier - log_last;
  return static_cast<std::uint32_t>(std::clamp(10 * (value + 12), 2.0, 255.0));
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

// The expected number of pairs of an item with this count, for one occurrence of the other item. For rare pairs a
// number that stays the same while items come: the score of a pair that always occurs together is then highest at a
// count of kScale * at_least.
float PairLearner::chance_of_one(float count) const {
  constexpr double kScale = 1.6;
  if (config_.for_rare_pairs() && pass_ == Pass::all) {
    const double best = kScale * config_.at_least;
    return static_cast<float>(count / (best * best));
  }
  const auto total = static_cast<double>(items_.total());
  return static_cast<float>(seen_.pairs / total * count / total);
}

// Whether a pair can never get a place: even if its items occur only together from now on, its score stays below the
// floor. The floor only rises, and what the pair can reach only falls, so a pair that gets a place was never passed
// over, and the bounds count all that it missed.
bool PairLearner::is_hopeless(const Windows::Item& u, const Windows::Item& v) {
  if (pass_ != Pass::all || !config_.for_rare_pairs()) return false;
  if (!counts_.is_whole() && ++n_since_floor_ >= counts_.n_places()) {
    n_since_floor_ = 0;
    floor_ = std::max(floor_, counts_.low_score());
  }
  if (floor_ == 0) return false;
  const float best = std::ceil(1 / std::sqrt(chance_of_one(1)));
  const float count = std::min(std::max({u.count, v.count, best}), 0x1p24f);  // more is no pair of this kind
  return PairCounts::score_of(static_cast<std::uint32_t>(count), chance_of_one(count) * count) <= floor_;
}

}  // namespace wmsketch
