#include "wmsketch/apps/pmi.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "wmsketch/saturating.hpp"

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

// The names of the pairs just made: asked for when one is promoted.
class PairLearner::Names final : public NameSource {
 public:
  Names(const PairLearner& owner, std::string_view name) : owner_(owner), name_(name) {}

  std::string name(std::size_t i) const override {
    const Draw& draw = owner_.draws_[i];
    std::string u = draw.slot == Reservoir::kNone ? owner_.windows_.name(draw.age)
                                                  : shown_name(owner_.reservoir_.names(), draw.slot);
    std::string v(name_);
    if (draw.slot != Reservoir::kNone && !draw.drawn_first) std::swap(u, v);
    if (!owner_.config_.directed && v < u) std::swap(u, v);
    return u + kBetween + v;
  }

 private:
  const PairLearner& owner_;
  std::string_view name_;
};

PairLearner::PairLearner(const PmiConfig& config, const StoreConfig& store, LearnerConfig rule)
    : config_(config),
      step_(rule.step),
      learner_(store, without_offset(rule, config.negatives)),
      windows_(config.groups, config.window),
      reservoir_(config.reservoir, config.seed, config.reservoir_names),
      frequent_(config.subsample > 0 ? kFrequent : 1),
      items_(kItemDepth, config.item_width, config.seed, HashFamily::mixer, true),
      random_(config.seed ^ 0x6a09e667f3bcc908u),
      counts_(store.active_set_size) {
  const std::size_t examples = std::size_t{config.window} * (config.negatives + 1);
  keys_.reserve(examples);
  labels_.reserve(examples);
  draws_.reserve(examples);

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
  if (config_.subsample > 0 && thin_out(key)) return;
  items_.update(key);
  const std::uint32_t number = exact_ ? exact_->add_item(name) : 0;
  make_examples(key, number, seconds);
  const Names names(*this, name);
  learner_.learn_keys(keys_, labels_, &names);
  count_positives(key);
  reservoir_.add(key, name);
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
  draws_.clear();
  for (std::uint32_t age = 0; age < windows_.size(); ++age) {
    const Windows::Item& earlier = windows_.item(age);
    if (config_.window_seconds > 0 && std::abs(seconds - earlier.seconds) > config_.window_seconds) continue;
    ++seen_.n_pairs;
    if (exact_) exact_->add_pair(earlier.number, number);
    add_example(key_of(earlier.key, key), +1, {age, Reservoir::kNone, false});
  }
  if (reservoir_.size() == 0) return;
  for (std::uint32_t i = negatives_due(); i > 0; --i) {
    const std::uint64_t bits = random_.next();
    const auto slot = static_cast<std::uint32_t>(((bits >> 32) * reservoir_.size()) >> 32);
    const Key drawn = reservoir_.key(slot);
    const bool drawn_first = bits & 1u;
    add_example(drawn_first ? key_of(drawn, key) : key_of(key, drawn), -1, {0, slot, drawn_first});
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

void PairLearner::add_example(Key key, std::int8_t label, Draw draw) {
  keys_.push_back(key);
  labels_.push_back(label);
  draws_.push_back(draw);
}

void PairLearner::count_positives(Key last) {
  for (std::size_t i = 0; i < keys_.size() && labels_[i] > 0; ++i) {
    const std::uint32_t slot = learner_.slot_of(keys_[i]);
    if (slot == kNotActive) continue;
    Counted& counted = counts_[slot];
    if (counted.key != keys_[i] || counted.count == 0) {
      counted = {keys_[i], windows_.item(draws_[i].age).key, last, 0, 0};
      counted.before = static_cast<float>(std::max(0.0, seen_by_weight(counted) - 1.0));
    }
    counted.count = add_saturating(counted.count, 1);
  }
}

// How many there were of a pair when it came in with its weight w, which rises by rate * exp(-w) with each: after n of
// them it would be at log(1 + rate * n), if no random ones held it back; and if they did, it is the PMI. Either way n
// is at least what these say.
double PairLearner::seen_by_weight(const Counted& counted) const {
  const double weight = learner_.weight(counted.key), rate = step_.rate(learner_.progress().n_seen);
  return std::max(std::expm1(weight) / rate, std::exp(weight) * expected(counted, 0));
}

// How many real pairs there would be by chance; the Count-Min has no more than `noise` too many of an item.
double PairLearner::expected(const Counted& counted, double noise) const {
  double pairs = static_cast<double>(seen_.n_pairs);
  if (!config_.directed && counted.u != counted.v) pairs *= 2;  // both orders
  for (const Key item : {counted.u, counted.v}) {
    const double n = items_.estimate(item);
    pairs *= std::max(n - noise, 1.0) / static_cast<double>(items_.total());
  }
  return pairs;
}

PairLearner::Row PairLearner::row_of(Key key, std::string u, std::string v, double noise) const {
  const std::uint32_t slot = learner_.slot_of(key);
  const double weight = learner_.weight(key);
  Row row{std::move(u), std::move(v), false, weight, weight, weight, weight, 0};
  const bool counted = slot != kNotActive && counts_[slot].key == key && counts_[slot].count > 0;
  return counted ? by_counts(std::move(row), counts_[slot], noise_of_items()) : by_weight(std::move(row), noise);
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

// The range is that of the counts: of the pair, with what came before it was counted (none, or twice as much as it
// seems) and the chance in so few; of the items, which the Count-Min may have too high by its noise.
PairLearner::Row PairLearner::by_counts(Row row, const Counted& counted, double noise) const {
  const double count = counted.count, spread = kDeviations / std::sqrt(count), chance = expected(counted, 0);
  row.count = counted.count;
  row.pmi = std::log((count + counted.before) / chance);
  row.low = std::log(count / chance) - spread;
  row.high = std::log((count + 2 * counted.before) / expected(counted, noise)) + spread;
  return row;
}

// What the Count-Min answers for an item that never came.
double PairLearner::noise_of_items() const {
  constexpr int kAsked = 64;
  Random random(config_.seed ^ 0x3c6ef372fe94f82bu);
  double sum = 0;
  for (int i = 0; i < kAsked; ++i) sum += items_.estimate(static_cast<Key>(random.next()));
  return sum / kAsked;
}

std::vector<PairLearner::Row> PairLearner::rows() const {
  const double noise = learner_.deviation(0);
  std::vector<Row> rows;
  for (const HeavyFeature& heavy : learner_.top(counts_.size())) {
    const std::size_t between = heavy.name.find(kBetween);
    const std::string v = between == std::string::npos ? std::string() : heavy.name.substr(between + 1);
    rows.push_back(row_of(heavy.key, heavy.name.substr(0, between), v, noise));
    rows.back().shortened = heavy.shortened;
  }
  return rows;
}

PairLearner::Row PairLearner::row(const std::string& u, const std::string& v) const {
  const Key key = key_of(key_of_name(u), key_of_name(v));
  return row_of(key, u, v, learner_.deviation(key));
}

std::size_t PairLearner::distinct_in_sample() const {
  std::vector<Key> keys(reservoir_.keys().begin(), reservoir_.keys().end());
  std::sort(keys.begin(), keys.end());
  return static_cast<std::size_t>(std::unique(keys.begin(), keys.end()) - keys.begin());
}

std::size_t PairLearner::nbytes() const {
  return learner_.nbytes() + windows_.nbytes() + reservoir_.nbytes() + frequent_.nbytes() + items_.nbytes() +
         counts_.size() * sizeof(Counted) + examples_bytes(config_) + sizeof(Counters);
}

std::size_t PairLearner::bytes_for(const PmiConfig& config, const StoreConfig& store) {
  return Model::bytes_for(store) + Windows::bytes_for(config.groups, config.window) +
         Reservoir::bytes_for(config.reservoir, config.reservoir_names) +
         SpaceSaving::bytes_for(config.subsample > 0 ? kFrequent : 1) +
         std::size_t{kItemDepth} * config.item_width * sizeof(std::uint32_t) +
         Hasher::bytes_for(HashFamily::mixer, kItemDepth, Hasher::kDefaultIndependence) +
         std::size_t{store.active_set_size} * sizeof(Counted) + examples_bytes(config) + sizeof(Counters);
}

// One item's examples: as many as the window allows, whatever the stream.
std::size_t PairLearner::examples_bytes(const PmiConfig& config) {
  return std::size_t{config.window} * (config.negatives + 1) * (sizeof(Key) + sizeof(std::int8_t) + sizeof(Draw));
}

}  // namespace wmsketch
