#include "wmsketch/apps/pmi/pmi.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "wmsketch/data/saturating.hpp"

namespace wmsketch {
namespace {

constexpr double kDeviations = 1.959963984540054;  // 95 % of a normal distribution

LearnerConfig without_offset(LearnerConfig rule, std::uint32_t negatives) {
  if (negatives < 1 || negatives > 1000)
    throw std::invalid_argument("negatives must be between 1 and 1000, got " + std::to_string(negatives));
  rule.loss = Loss::logistic;
  rule.fit_intercept = false;
  rule.balanced = false;
  rule.positive_weight = 1;
  rule.negative_weight = 1.0 / negatives;
  return rule;
}

}  // namespace

PairLearner::PairLearner(const PmiConfig& config, const StoreConfig& store, LearnerConfig rule)
    : config_(config),
      step_(rule.step),
      learner_(store, without_offset(rule, config.negatives)),
      windows_(config.groups, config.window, config.window_name_bytes()),
      reservoir_(config.reservoir, config.seed),
      frequent_(config.subsample > 0 ? kFrequent : 1),
      items_(kItemDepth, config.item_width, config.seed, HashFamily::mixer, true),
      random_(config.seed ^ 0x6a09e667f3bcc908u),
      counts_(config.lines, config.bound_width, config.seed),
      names_(config.names, config.name_bytes) {
  seen_.until_half = config.half_life;
  const std::size_t examples = std::size_t{config.window} * (config.negatives + 1);
  keys_.reserve(examples);
  labels_.reserve(examples);
  ages_.reserve(config.window);

  if (!(config.subsample >= 0 && config.subsample < 1))
    throw std::invalid_argument("subsample must be from 0 to below 1, got " + std::to_string(config.subsample));
  if (!(config.window_seconds >= 0) || !std::isfinite(config.window_seconds))
    throw std::invalid_argument("window_seconds must be at least 0 and finite, got " +
                                std::to_string(config.window_seconds));
  if (config.exact) exact_.emplace(config.directed);
}

void PairLearner::add(std::string_view name, double seconds) {
  const Key key = key_of_name(name);
  ++seen_.n_items;
  if (config_.half_life > 0 && seen_.until_half-- == 0) halve();
  if (config_.subsample > 0 && thin_out(key)) return;
  items_.update(key);
  const std::uint32_t number = exact_ ? exact_->add_item(name) : 0;
  make_examples(key, number, seconds);
  learner_.learn_keys(keys_, labels_, nullptr);
  count_positives(key, name);
  reservoir_.add(key);
  windows_.add({key, number, seconds}, name);
}

Key PairLearner::key_of(Key u, Key v) const {
  return config_.directed || u < v ? combine_keys(u, v) : combine_keys(v, u);
}

// As word2vec does it: an item of frequency f stays with probability sqrt(subsample / f).
bool PairLearner::thin_out(Key key) {
  frequent_.update(key);
  const double frequency = static_cast<double>(frequent_.estimate(key).count) / static_cast<double>(seen_.n_items);
  return frequency > config_.subsample && random_.uniform() > std::sqrt(config_.subsample / frequency);
}

void PairLearner::make_examples(Key key, std::uint32_t number, double seconds) {
  keys_.clear();
  labels_.clear();
  ages_.clear();
  for (std::uint32_t age = 0; age < windows_.size(); ++age) {
    const Windows::Item& earlier = windows_.item(age);
    if (config_.window_seconds > 0 && std::abs(seconds - earlier.seconds) > config_.window_seconds) continue;
    ++seen_.n_pairs;
    if (exact_) exact_->add_pair(earlier.number, number);
    add_example(key_of(earlier.key, key), +1);
    ages_.push_back(age);
    counts_.prefetch(keys_.back());
  }
  if (reservoir_.size() == 0) return;
  for (std::uint32_t i = negatives_due(); i > 0; --i) {
    const std::uint64_t bits = random_.next();
    const auto slot = static_cast<std::uint32_t>(((bits >> 32) * reservoir_.size()) >> 32);
    const Key drawn = reservoir_.key(slot);
    const bool drawn_first = bits & 1u;
    add_example(drawn_first ? key_of(drawn, key) : key_of(key, drawn), -1);
  }
}

// As many for every item, so that items follow their frequency among random pairs, be they in many real pairs or in
// none: the mean number of real pairs so far, and a little of what is still missing from the whole.
std::uint32_t PairLearner::negatives_due() {
  constexpr double kPatience = 4096;  // items
  const double wanted = static_cast<double>(config_.negatives) * static_cast<double>(seen_.n_pairs);
  const double missing = wanted - static_cast<double>(seen_.n_negatives);
  const double due = wanted / static_cast<double>(reservoir_.n_seen() + 1) + missing / kPatience + seen_.part_due;
  const double whole = std::clamp(std::floor(due), 0.0, double(config_.window) * config_.negatives);
  seen_.part_due = std::clamp(due - whole, 0.0, 1.0);
  seen_.n_negatives += static_cast<std::uint64_t>(whole);
  return static_cast<std::uint32_t>(whole);
}

void PairLearner::add_example(Key key, std::int8_t label) {
  keys_.push_back(key);
  labels_.push_back(label);
}

void PairLearner::count_positives(Key last, std::string_view name) {
  seen_.pairs += static_cast<double>(ages_.size());
  for (std::size_t i = 0; i < ages_.size(); ++i) {
    const std::uint32_t hash = counts_.hash(keys_[i]);
    const std::uint32_t place = counts_.find(keys_[i], hash);
    if (place != PairCounts::kNone) {
      counts_.count(place);
      continue;
    }
    counts_.see(hash);
    if (give_place(keys_[i], hash, ages_[i], last, name))
      counts_.count(counts_.find(keys_[i], hash));
    else
      counts_.miss(hash);
  }
}

// A free place is for any pair. Of a full line the lightest gives way, if the pair is heavy enough to be active and
// heavier than that.
bool PairLearner::give_place(Key key, std::uint32_t hash, std::uint32_t age, Key last, std::string_view name) {
  const Key earlier = windows_.item(age).key;
  const bool is_free = counts_.has_free_place(hash);
  std::uint32_t lightest = PairCounts::kNone;
  if (!is_free) {
    if (learner_.slot_of(key) == kNotActive) return false;
    double least = std::abs(learner_.weight(key));
    for (std::uint32_t place = counts_.first_place(hash), end = place + PairCounts::kWays; place < end; ++place) {
      const double weight = std::abs(learner_.weight(counts_.key(place)));
      if (weight >= least) continue;
      least = weight;
      lightest = place;
    }
    if (lightest == PairCounts::kNone) return false;
  }
  if (!has_names_for(earlier, last)) {
    if (is_free) counts_.miss_names();
    return false;
  }
  names_.put(earlier, windows_.name(age), windows_.shortened(age));
  names_.put(last, name, false);
  const bool swapped = !config_.directed && name < windows_.name(age);
  const Key u = swapped ? last : earlier, v = swapped ? earlier : last;
  if (is_free) {
    counts_.take_free_place(key, hash, u, v);
  } else {
    counts_.replace(lightest, key, u, v);
    ++replaced_;
  }
  return true;
}

// Names that no counted pair needs any more are given up when there is no room for new ones, and not for every few.
bool PairLearner::has_names_for(Key u, Key v) {
  const auto has_room = [&] {
    const auto left = names_.capacity() - names_.size();
    return left >= 2 || (names_.has(u) && (names_.has(v) || left >= 1)) || (names_.has(v) && left >= 1);
  };
  if (has_room()) return true;
  if (replaced_ < 1 + names_.capacity() / 64) return false;
  sweep_names();
  return has_room();
}

void PairLearner::sweep_names() {
  replaced_ = 0;
  names_.sweep([&](auto keep) {
    counts_.each_place([&](std::uint32_t place) {
      keep(counts_.pair(place).u);
      keep(counts_.pair(place).v);
    });
  });
}

// All counts are worth half from here on.
void PairLearner::halve() {
  seen_.until_half = config_.half_life - 1;
  seen_.pairs *= 0.5;
  counts_.halve();
  std::vector<std::uint32_t> cells(items_.cells().begin(), items_.cells().end());
  for (std::uint32_t& cell : cells) cell = cell / 2 + cell % 2;
  items_.restore(cells, items_.total() / 2);
}

// How many there were of a pair of weight w, which rises by rate * exp(-w) with each: after n of them it would be at
// log(1 + rate * n), if no random ones held it back; and if they did, it is the PMI. Either way n is at least what
// these say.
double PairLearner::seen_by_weight(double weight, double chance) const {
  const double rate = step_.rate(learner_.progress().n_seen);
  return std::max(std::expm1(weight) / rate, std::exp(weight) * chance);
}

// How many real pairs there would be by chance; the Count-Min has no more than `noise` too many of an item.
PairLearner::Expected PairLearner::expected(const CountedPair& pair, double noise) const {
  Expected pairs{seen_.pairs, seen_.pairs};
  if (!config_.directed && pair.u != pair.v) pairs = {2 * pairs.most, 2 * pairs.least};  // both orders
  for (const Key item : {pair.u, pair.v}) {
    const double n = items_.estimate(item), total = static_cast<double>(std::max<std::uint64_t>(1, items_.total()));
    pairs.most *= std::max(n, 1.0) / total;
    pairs.least *= std::max(n - noise, 1.0) / total;
  }
  return pairs;
}

// At rest the steps, up by real and down by random pairs, keep a weight moving. If pairs came independently, its
// variance would be rate / 2 * (exp(-w) + 1 / negatives) / (exp(-w) + 1); they come in bunches, which about doubles it.
// Of a pair that is not active nobody knows whether its weight is at rest.
PairLearner::Row PairLearner::by_weight(Row row, double noise) const {
  const double rate = step_.rate(learner_.progress().n_seen), odds = std::exp(-row.weight);
  const double steps = rate * (odds + 1.0 / config_.negatives) / (odds + 1.0);
  const double spread = kDeviations * std::sqrt(noise * noise + steps + 1.0);
  row.low = row.weight - spread;
  row.high = row.weight < 0 ? row.weight + spread : std::numeric_limits<double>::infinity();
  return row;
}

// The range is that of the counts: of the pair, with what it may have missed and the chance in so few; of the items,
// which the Count-Min may have too high by its noise.
PairLearner::Row PairLearner::by_counts(Row row, const CountedPair& pair, double noise) const {
  const double count = std::max(0.5, double(pair.count)), most = count + pair.missed;
  const Expected chance = expected(pair, noise);
  const double before =
      pair.missed > 0 ? std::clamp(seen_by_weight(row.weight, chance.most) - count, 0.0, double(pair.missed)) : 0.0;
  row.count = pair.count;
  row.missed = pair.missed;
  row.pmi = std::log((count + before) / chance.most);
  row.low = std::log(count / chance.most) - kDeviations / std::sqrt(count);
  row.high = std::log(most / chance.least) + kDeviations / std::sqrt(most);
  return row;
}

// What the Count-Min answers for items that never came, all but a few of them.
double PairLearner::noise_of_items() const {
  constexpr std::size_t kAsked = 256, kFew = 8;
  Random random(config_.seed ^ 0x3c6ef372fe94f82bu);
  std::vector<std::uint32_t> answers;
  for (std::size_t i = 0; i < kAsked; ++i) answers.push_back(items_.estimate(static_cast<Key>(random.next())));
  std::nth_element(answers.begin(), answers.end() - kFew, answers.end());
  return answers[kAsked - kFew];
}

std::vector<PairLearner::Row> PairLearner::rows() const {
  const double noise = noise_of_items();
  std::vector<Row> rows;
  rows.reserve(counts_.n_held());
  counts_.each_place([&](std::uint32_t place) {
    const double weight = learner_.weight(counts_.key(place));
    Row row{.key = counts_.key(place), .place = place, .weight = weight};
    rows.push_back(by_counts(std::move(row), counts_.pair(place), noise));
  });
  return rows;
}

PairLearner::Row PairLearner::named(Row row) const {
  const CountedPair pair = counts_.pair(row.place);
  row.u = names_.get(pair.u);
  row.v = names_.get(pair.v);
  row.u_shortened = !names_.has(pair.u) || names_.shortened(pair.u);  // merging may have found no room for a name
  row.v_shortened = !names_.has(pair.v) || names_.shortened(pair.v);
  return row;
}

PairLearner::Row PairLearner::row(const std::string& u, const std::string& v) const {
  const Key key = key_of(key_of_name(u), key_of_name(v));
  const std::uint32_t place = counts_.find(key, counts_.hash(key));
  const double weight = learner_.weight(key);
  Row row{.key = key, .u = u, .v = v, .weight = weight, .pmi = weight};
  if (place != PairCounts::kNone) return by_counts(std::move(row), counts_.pair(place), noise_of_items());
  row = by_weight(std::move(row), learner_.deviation(key));
  row.missed = counts_.is_whole() ? 0 : counts_.most_missed(counts_.hash(key));
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
  return Model::bytes_for(store) + Windows::bytes_for(config.groups, config.window, config.window_name_bytes()) +
         Reservoir::bytes_for(config.reservoir, 0) + SpaceSaving::bytes_for(config.subsample > 0 ? kFrequent : 1) +
         std::size_t{kItemDepth} * config.item_width * sizeof(std::uint32_t) +
         Hasher::bytes_for(HashFamily::mixer, kItemDepth, Hasher::kDefaultIndependence) +
         PairCounts::bytes_for(config.lines, config.bound_width) +
         ItemNames::bytes_for(config.names, config.name_bytes) + examples_bytes(config) + sizeof(Counters);
}

// One item's examples: as many as the window allows, whatever the stream.
std::size_t PairLearner::examples_bytes(const PmiConfig& config) {
  return std::size_t{config.window} * (config.negatives + 1) * (sizeof(Key) + sizeof(std::int8_t)) +
         config.window * sizeof(std::uint32_t);
}

}  // namespace wmsketch
