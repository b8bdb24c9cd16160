#include "wmsketch/apps/pmi/pmi.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>

#include "wmsketch/data/error.hpp"
#include "wmsketch/data/normal.hpp"
#include "wmsketch/data/saturating.hpp"
#include "wmsketch/stores/make_store.hpp"

namespace wmsketch {
namespace {

LearnerConfig without_offset(LearnerConfig rule, std::uint32_t negatives) {
  if (negatives > 1000) throw parameter_error("negatives", "must be at most 1000", std::uint64_t{negatives});
  rule.loss = Loss::logistic;
  rule.fit_intercept = false;
  rule.balanced = false;
  rule.positive_weight = 1;
  rule.negative_weight = 1.0 / std::max(1u, negatives);
  rule.reports = false;
  return rule;
}

double value_of(const PairLearner::Numbers& row, PairOrder order) {
  switch (order) {
    case PairOrder::weight:
      return row.weight;
    case PairOrder::pmi:
      return row.pmi;
    case PairOrder::low:
      return row.low;
    case PairOrder::count:
      return row.about;
    case PairOrder::avoiding:
      return -row.pmi;
  }
  return 0;
}

}  // namespace

PairLearner::PairLearner(const PmiConfig& config, const StoreConfig& store, LearnerConfig rule)
    : config_(config),
      step_(rule.step),
      learner_(make_store(StoreKind::awm, false, store, rule.step), store, without_offset(rule, config.negatives)),
      windows_(config.groups, config.window, config.window_name_bytes()),
      reservoir_(config.reservoir, config.seed),
      frequent_(config.subsample > 0 ? kFrequent : 1),
      items_(kItemDepth, config.item_width, config.seed, HashFamily::mixer, true),
      random_(config.seed ^ 0x6a09e667f3bcc908u),
      counts_(config.lines, config.bound_width, config.seed),
      names_(config.names, config.name_bytes),
      recent_(config.window) {
  seen_.until_half = config.half_life;
  const std::size_t examples = std::size_t{config.window} * (config.negatives + 1);
  keys_.reserve(examples);
  labels_.reserve(examples);
  ages_.reserve(config.window);
  hashes_.reserve(config.window);
  places_.resize(config.window);

  if (!(config.subsample >= 0 && config.subsample < 1))
    throw parameter_error("subsample", "must be from 0 to below 1", config.subsample);
  if (!(config.window_seconds >= 0) || !std::isfinite(config.window_seconds))
    throw parameter_error("window_seconds", "must be at least 0 and finite", config.window_seconds);
  if (config.exact) exact_.emplace(config.directed);
}

void PairLearner::add(std::string_view name, double seconds) {
  const Key key = key_of(name);
  if (pairs_aside_) return add_prepared(key, name);
  if (pass_ == Pass::items || pass_ == Pass::candidates) return survey(key, seconds);
  ++seen_.n_items;
  if (config_.half_life > 0 && seen_.until_half-- == 0) halve();
  if (config_.subsample > 0 && drop_by_subsampling(key)) return;
  items_.prefetch(key);
  names_.prefetch(key);
  const std::uint32_t number = exact_ ? exact_->add_item(name) : 0;
  find_pairs(key, number, seconds);
  if (config_.negatives > 0) learn_examples(key);
  const Windows::Item item = pass_ == Pass::counts
                                 ? counted_item(key, number, seconds)
                                 : Windows::Item{key, number, seconds, static_cast<float>(items_.update(key))};
  count_positives(item, name);
  reservoir_.add(key);
  windows_.add(item, name);
}

// As in word2vec: an item of frequency f is kept with probability sqrt(subsample / f).
bool PairLearner::drop_by_subsampling(Key key) {
  frequent_.update(key);
  const double frequency = static_cast<double>(frequent_.estimate(key).count) / static_cast<double>(seen_.n_items);
  return frequency > config_.subsample && random_.uniform() > std::sqrt(config_.subsample / frequency);
}

void PairLearner::find_pairs(Key key, std::uint32_t number, double seconds) {
  keys_.clear();
  ages_.clear();
  hashes_.clear();
  each_earlier(seconds, [&](std::uint32_t age, const Windows::Item& earlier) {
    ++seen_.n_pairs;
    if (exact_) exact_->add_pair(earlier.number, number);
    const auto [u, v] = in_order(earlier.key, key);
    keys_.push_back(combine_keys(u, v));
    ages_.push_back(age);
    hashes_.push_back(counts_.hash(u, v));
    counts_.prefetch(hashes_.back());
  });
}

void PairLearner::count_positives(const Windows::Item& last, std::string_view name) {
  if (pass_ != Pass::counts) seen_.pairs += static_cast<double>(ages_.size());
  const float share = chance_of_one(last.count);
  const auto count = [&](std::uint32_t place, float by_chance) {
    if (pass_ == Pass::counts)
      counts_.count_only(place);
    else if (config_.for_rare_pairs())
      counts_.count_anew(place, by_chance);
    else
      counts_.count(place, by_chance);
  };
  for (std::size_t i = 0; i < ages_.size(); ++i) {
    const float by_chance = share * windows_.item(ages_[i]).count;
    places_[i] = counts_.find(keys_[i], hashes_[i]);
    if (places_[i] != PairCounts::kNone)
      count(places_[i], by_chance);
    else if (!prepared_)
      counts_.prefetch_bounds(hashes_[i]);
  }
  for (std::size_t i = 0; i < ages_.size(); ++i) {
    if (places_[i] != PairCounts::kNone) continue;
    if (is_hopeless(windows_.item(ages_[i]), last)) {
      counts_.see(hashes_[i]);
      counts_.pass_over();
      continue;
    }
    const float by_chance = share * windows_.item(ages_[i]).count;
    const std::uint32_t place = give_place(i, by_chance, last, name);
    if (place != PairCounts::kNone)
      count(place, by_chance);
    else
      counts_.miss(hashes_[i]);
  }
}

// Finds a place for the i-th pair of the latest item. Any pair may take a free place. Otherwise the pair with the
// lowest score is evicted if this one exceeds chance by more.
std::uint32_t PairLearner::give_place(std::size_t i, float by_chance, const Windows::Item& last,
                                      std::string_view name) {
  const Key key = keys_[i];
  const std::uint32_t hash = hashes_[i], found = counts_.find(key, hash);
  if (found != PairCounts::kNone) return found;  // the item is in the window twice
  counts_.see(hash);
  const bool rare = pass_ != Pass::counts && config_.for_rare_pairs();
  const auto believed = [&] {
    constexpr std::uint32_t kMostBelieved = 15;  // limit on the bound, which may come from other pairs
    auto most = static_cast<double>(kMostBelieved);
    if (rare) most = std::clamp(double(std::min(windows_.item(ages_[i]).count, last.count)) - 1, 0.0, most);
    return PairCounts::score_of(std::min(counts_.in_bounds(hash), static_cast<std::uint32_t>(most)) + 1, by_chance);
  };
  std::uint32_t score = prepared_               ? prepared_[i].score
                        : pass_ == Pass::counts ? score_of(i, last)
                        : rare && floor_ > 0    ? believed()
                                                : 1;
  if ((pass_ == Pass::counts || rare) && names_.n_free() < 2 && score > floor_) make_room();
  if (score <= floor_) return PairCounts::kNone;
  const bool is_free = counts_.has_free_place(hash);
  const std::uint32_t lightest = is_free ? PairCounts::kNone : counts_.lightest(hash);
  if (!is_free) {
    if (pass_ != Pass::counts) score = believed();
    if (score <= counts_.score(lightest)) return PairCounts::kNone;
  }
  if (!take_names(i, last.key, name)) {
    if (is_free || pass_ == Pass::counts) counts_.miss_names();
    return PairCounts::kNone;
  }
  const Key u = in_order(windows_.item(ages_[i]).key, last.key).first;
  if (is_free) {
    const std::uint32_t place = counts_.take_free_place(key, hash, u);
    counts_.set_score(place, score);
    return place;
  }
  const CountedPair gone = counts_.pair(lightest);
  const bool moved = counts_.has_free_place(counts_.hash(gone.u, gone.v));
  counts_.replace(lightest, key, hash, u);
  counts_.set_score(lightest, score);
  if (!moved)
    for (const Key item : {gone.u, gone.v}) names_.give_back(item);
  return lightest;
}

bool PairLearner::take_names(std::size_t i, Key last, std::string_view name) {
  const Key earlier = windows_.item(ages_[i]).key;
  if (!names_.take(earlier, windows_.name(ages_[i]), windows_.shortened(ages_[i]))) return false;
  if (names_.take(last, name, false)) return true;
  names_.give_back(earlier);
  return false;
}

// Halves all counts.
void PairLearner::halve() {
  seen_.until_half = config_.half_life - 1;
  seen_.pairs *= 0.5;
  counts_.halve();
  std::vector<std::uint32_t> cells(items_.cells().begin(), items_.cells().end());
  for (std::uint32_t& cell : cells) cell = cell / 2 + cell % 2;
  items_.restore(cells, items_.total() / 2);
}

// The number of real pairs expected by chance. The Count-Min sketch overestimates an item by at most `noise`.
PairLearner::Expected PairLearner::expected(const CountedPair& pair, const ItemCounts& items, double noise) const {
  Expected pairs{seen_.pairs, seen_.pairs};
  if (!config_.directed && pair.u != pair.v) pairs = {2 * pairs.most, 2 * pairs.least};  // both orders
  for (const double n : {items.u, items.v}) {
    const double total = static_cast<double>(std::max<std::uint64_t>(1, items_.total()));
    pairs.most *= std::max(n, 1.0) / total;
    pairs.least *= std::max(n - noise, 1.0) / total;
  }
  return pairs;
}

// The interval follows from the counts: of the pair, with its bound on missed occurrences and its sampling error, and
// of the items, which the Count-Min sketch may overestimate.
PairLearner::Numbers PairLearner::by_counts(Numbers row, const CountedPair& pair, const Noise& noise) const {
  const ItemCounts items = items_of(pair);
  const double missed = missed_by(pair, items);
  const double count = std::max(0.5, double(pair.count)), most = count + missed;
  const Expected chance = expected(pair, items, noise.items);
  row.count = pair.count;
  row.missed = static_cast<std::uint64_t>(missed);
  // a bound far above the count more likely comes from other pairs that share the cells
  row.about = pair.count + std::clamp(missed - noise.pairs, 0.0, double(pair.count));
  row.pmi = std::log(std::max(count, row.about) / chance.most);
  row.low = std::log(count / chance.most) - kDeviations95 / std::sqrt(count);
  row.high = std::log(most / chance.least) + kDeviations95 / std::sqrt(most);
  return row;
}

// A pair cannot occur more often than its items have neighbours.
double PairLearner::missed_by(const CountedPair& pair, const ItemCounts& items) const {
  const double neighbours = (config_.directed ? 1.0 : 2.0) * config_.window * std::min(items.u, items.v);
  return std::min(double(pair.missed), std::max(0.0, neighbours - pair.count));
}

// An upper quantile of the Count-Min estimates for items that never occurred.
double PairLearner::noise_of_items() const {
  constexpr std::size_t kAsked = 256, kFew = 8;
  Random random(config_.seed ^ 0x3c6ef372fe94f82bu);
  std::vector<std::uint32_t> answers;
  for (std::size_t i = 0; i < kAsked; ++i) answers.push_back(items_.estimate(static_cast<Key>(random.next())));
  std::nth_element(answers.begin(), answers.end() - kFew, answers.end());
  return answers[kAsked - kFew];
}

std::vector<PairLearner::Row> PairLearner::top(std::size_t k, double min_count, PairOrder order) const {
  struct Found {
    double value;
    Numbers row;
    std::uint32_t place;
  };
  const auto before = [](const Found& a, const Found& b) {
    return std::tuple(b.value, b.row.about, b.row.pmi, a.row.key) <
           std::tuple(a.value, a.row.about, a.row.pmi, b.row.key);
  };
  const Noise noise{noise_of_items(), counts_.noise()};
  std::vector<Found> best;  // a heap with the worst of them on top
  if (k > 0)
    counts_.each_place([&](std::uint32_t place) {
      const CountedPair pair = counts_.pair(place);
      if (2.0 * pair.count < min_count - 0.5) return;  // `about` is at most twice the count
      const Key key = counts_.key(place);
      Numbers row{.key = key, .u_key = pair.u, .v_key = pair.v, .weight = weight_of(key)};
      if (order == PairOrder::weight && best.size() == k && row.weight < best.front().value) return;
      row = by_counts(row, pair, noise);
      if (std::nearbyint(row.about) < min_count || (order == PairOrder::avoiding && row.pmi >= 0)) return;
      Found found{value_of(row, order), row, place};
      if (best.size() == k) {
        if (!before(found, best.front())) return;
        std::pop_heap(best.begin(), best.end(), before);
        best.pop_back();
      }
      best.push_back(found);
      std::push_heap(best.begin(), best.end(), before);
    });
  std::sort_heap(best.begin(), best.end(), before);
  std::vector<Row> rows;
  for (const Found& found : best) rows.push_back(named(found.row));
  return rows;
}

std::uint64_t PairLearner::n_exact() const {
  std::uint64_t n = 0;
  counts_.each_place([&](std::uint32_t place) {
    const CountedPair pair = counts_.pair(place);
    n += pair.missed == 0 || missed_by(pair, items_of(pair)) < 1;
  });
  return n;
}

PairLearner::Row PairLearner::named(const Numbers& pair) const {
  Row row{pair};
  row.u = names_.get(row.u_key);
  row.v = names_.get(row.v_key);
  // an eviction or a merge may have removed the name
  row.u_shortened = !names_.has(row.u_key) || names_.shortened(row.u_key);
  row.v_shortened = !names_.has(row.v_key) || names_.shortened(row.v_key);
  if (!config_.directed && row.v < row.u) {
    std::swap(row.u, row.v);
    std::swap(row.u_shortened, row.v_shortened);
  }
  return row;
}

PairLearner::Row PairLearner::row(const std::string& u, const std::string& v) const {
  const auto [first, second] = in_order(key_of(u), key_of(v));
  const Key key = combine_keys(first, second);
  const std::uint32_t hash = counts_.hash(first, second), place = counts_.find(key, hash);
  const double weight = weight_of(key);
  const Numbers pair{.key = key, .weight = weight, .pmi = weight};
  const Noise noise{noise_of_items(), counts_.noise()};
  if (place != PairCounts::kNone) return {by_counts(pair, counts_.pair(place), noise), u, v};
  const CountedPair unseen{first, second, counts_.is_whole() ? 0 : counts_.most_of_absent(hash), 0};
  Row row{config_.negatives > 0 ? by_weight(pair, learner_.deviation(key)) : by_counts(pair, unseen, noise), u, v};
  if (config_.negatives == 0) row.low = -std::numeric_limits<double>::infinity();  // it may never have occurred
  row.missed = static_cast<std::uint64_t>(missed_by(unseen, items_of(unseen)));
  return row;
}

std::size_t PairLearner::distinct_in_sample() const {
  std::vector<Key> keys(reservoir_.keys().begin(), reservoir_.keys().end());
  std::sort(keys.begin(), keys.end());
  return static_cast<std::size_t>(std::unique(keys.begin(), keys.end()) - keys.begin());
}

std::size_t PairLearner::nbytes() const {
  return learner_.nbytes() + windows_.nbytes() + reservoir_.nbytes() + frequent_.nbytes() + items_.nbytes() +
         counts_.nbytes() + names_.nbytes() + examples_bytes(config_) + sizeof(Counters);
}

std::size_t PairLearner::bytes_for(const PmiConfig& config, const StoreConfig& store) {
  return nbytes_of(StoreKind::awm, false, store, {}) +
         Windows::bytes_for(config.groups, config.window, config.window_name_bytes()) +
         Reservoir::bytes_for(config.reservoir, 0) + SpaceSaving::bytes_for(config.subsample > 0 ? kFrequent : 1) +
         std::size_t{kItemDepth} * config.item_width * sizeof(std::uint32_t) +
         Hasher::bytes_for(HashFamily::mixer, kItemDepth, Hasher::kDefaultIndependence) +
         PairCounts::bytes_for(config.lines, config.bound_width) +
         ItemNames::bytes_for(config.names, config.name_bytes) + examples_bytes(config) + sizeof(Counters);
}

// Bytes for the examples of one item: as many as the window allows.
std::size_t PairLearner::examples_bytes(const PmiConfig& config) {
  return std::size_t{config.window} * (config.negatives + 1) * (sizeof(Key) + sizeof(std::int8_t)) +
         3 * std::size_t{config.window} * sizeof(std::uint32_t);
}

}  // namespace wmsketch
