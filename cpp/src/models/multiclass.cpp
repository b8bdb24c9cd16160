#include "wmsketch/models/multiclass.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "wmsketch/data/hashing.hpp"
#include "wmsketch/data/random.hpp"

namespace wmsketch {
namespace {

// A name in the learner starts with the number of the class, in a fixed number of characters.
constexpr std::uint32_t kClassBits = 7;
std::size_t class_digits(std::uint32_t max_classes) {
  return max_classes <= 1u << kClassBits ? 1 : max_classes <= 1u << 2 * kClassBits ? 2 : 3;
}
std::string class_prefix(std::uint32_t c, std::size_t digits) {
  std::string prefix;
  for (std::size_t i = 0; i < digits; ++i) prefix += static_cast<char>(c >> (kClassBits * i) & 127u);
  return prefix;
}
std::uint32_t class_in(std::string_view name, std::size_t digits) {
  std::uint32_t c = 0;
  for (std::size_t i = 0; i < digits; ++i) c |= std::uint32_t(static_cast<unsigned char>(name[i])) << (kClassBits * i);
  return c;
}

}  // namespace

// One example, prepared to be read as a row of any class. Each thread reuses one.
struct Multiclass::Row final : NameSource {
  SparseRow given;
  std::vector<Key> keys, combined;
  std::vector<float> values;
  std::vector<std::uint32_t> origin;  // index of feature i in `given`; given.size for the constant
  std::string prefix;
  std::array<std::int64_t, 2> starts{};

  static Row& of_thread() {
    thread_local Row row;
    return row;
  }

  // Sorts by key and sums repeats, once for all classes, so that nothing depends on the order of the features.
  // `constant` is the constant feature, whose weight is the intercept of a class.
  void set(const SparseRow& row, std::optional<Key> constant) {
    given = row;
    const auto key = [&](std::uint32_t i) { return i < row.size ? row.keys[i] : *constant; };
    origin.resize(row.size + constant.has_value());
    std::iota(origin.begin(), origin.end(), 0u);
    std::ranges::sort(origin, {}, [&](std::uint32_t i) { return std::pair(key(i), i); });
    keys.clear();
    values.clear();
    for (const std::uint32_t i : origin) {
      const float value = i < row.size ? row.values[i] : 1.0f;
      if (value == 0.0f) continue;  // the same as absent
      if (!keys.empty() && keys.back() == key(i)) {
        values.back() += value;
        continue;
      }
      origin[keys.size()] = i;
      keys.push_back(key(i));
      values.push_back(value);
    }
    combined.resize(keys.size());
    starts = {0, static_cast<std::int64_t>(keys.size())};
  }

  // The row of one class, valid until the next call.
  RowBatch of(Key class_key) {
    const MixerSeeds seeds = seeds_of(class_key);
    for (std::size_t i = 0; i < keys.size(); ++i) combined[i] = mix(keys[i], seeds);
    RowBatch batch{starts, combined, values, {}, {}, this};
    batch.distinct = true;
    return batch;
  }

  std::string name(std::size_t i) const override {
    return origin[i] < given.size ? prefix + given.name(origin[i]) : prefix;
  }
};

// The scores of some classes and their probabilities.
struct Multiclass::Softmax {
  std::vector<std::uint32_t> classes;
  std::vector<double> scores, offsets;  // offset: the part of a score besides the sum of weights
  std::vector<double> powers;           // exp(score - best score)
  std::size_t best = 0;
  double rest = 0;  // sum of all powers except the best

  static Softmax& of_thread() {
    thread_local Softmax softmax;
    return softmax;
  }

  std::size_t size() const { return classes.size(); }
  void clear() {
    classes.clear();
    scores.clear();
    offsets.clear();
  }
  void add(std::uint32_t c, double margin, double offset) {
    classes.push_back(c);
    scores.push_back(margin + offset);
    offsets.push_back(offset);
  }
  void normalise() {
    best = static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
    powers.resize(size());
    for (std::size_t i = 0; i < size(); ++i) powers[i] = exp_same_everywhere(scores[i] - scores[best]);
    rest = 0;
    for (std::size_t i = 0; i < size(); ++i) rest += i == best ? 0.0 : powers[i];
  }
  double probability(std::size_t i) const { return powers[i] / (1.0 + rest); }
  // The log-sum-exp of all other scores. There must be at least two classes.
  double others(std::size_t i) const {
    return scores[best] + log_same_everywhere(i == best ? rest : rest - powers[i] + 1.0);
  }
};

Multiclass::Multiclass(std::unique_ptr<Learner> weights, const MulticlassConfig& config)
    : config_(config), classes_(config.max_classes, config.secret), weights_(std::move(weights)) {}

Multiclass::Multiclass(const Multiclass& other)
    : config_(other.config_), classes_(other.classes_), weights_(other.weights_->copy()), progress_(other.progress_) {}

Key Multiclass::combine(std::uint32_t c, Key feature) const { return combine_keys(classes_.key(c), feature); }

void Multiclass::add_classes(std::span<const std::string> labels) {
  classes_.require_room(labels);
  for (const std::string& label : labels)
    if (classes_.find(label) == ClassTable::kNone) classes_.add(label);
}

void Multiclass::check(const RowBatch& batch, bool for_learning) const {
  if (for_learning) check_times(batch.times, config_.half_life, batch.size());
  if (for_learning && config_.fit_intercept)
    for (std::size_t r = 0; r < batch.size(); ++r) {
      const SparseRow row = batch.row(r);
      if (std::find(row.keys, row.keys + row.size, key_of_name("", config_.secret)) != row.keys + row.size)
        throw BadRow(r,
                     "the empty name is reserved for the intercept: name the feature, or learn without an intercept");
    }
  RowBatch timeless = batch;
  timeless.times = {};
  weights_->check(timeless, for_learning);
}

void Multiclass::learn(const RowBatch& batch, std::span<const std::string> labels) {
  std::vector<std::uint32_t> known(labels.size(), ClassTable::kNone);
  Row& row = Row::of_thread();
  for (std::size_t r = 0; r < batch.size(); ++r) {
    const double weight = batch.weights.empty() ? 1.0 : batch.weights[r];
    if (weight == 0.0) continue;  // the same as leaving out the row
    std::uint32_t& c = known[batch.classes[r]];
    if (c == ClassTable::kNone) c = classes_.find(labels[batch.classes[r]]);
    if (c == ClassTable::kNone) c = classes_.add(labels[batch.classes[r]]);
    if (!batch.times.empty()) fade_after(progress_.clock.pass(batch.times[r], config_.half_life.seconds));
    row.set(batch.row(r), constant());
    try {
      learn_one(row, c, weight);
    } catch (const BadRow& bad) {
      throw BadRow(r, bad.what());
    }
  }
}

void Multiclass::fade(double kept, double squares_kept) {
  weights_->fade(kept, squares_kept);
  classes_.fade(kept);
  progress_.recent *= kept;
}

void Multiclass::fade_after(double seconds) {
  if (seconds == 0) return;
  const double kept = config_.half_life.kept_after(seconds);
  fade(kept, kept);
}

double Multiclass::prior(std::uint32_t c) const {
  if (config_.balanced) return -log_same_everywhere(classes_.size());
  constexpr double kHalf = 0.5;  // half an example added to each class, so that none has probability 0
  return log_same_everywhere((classes_.weight(c) + kHalf) / (classes_.total_weight() + kHalf * classes_.size()));
}

double Multiclass::margin(Row& row, std::uint32_t c) const {
  double margin = 0;
  weights_->margins(row.of(classes_.key(c)), std::span(&margin, 1));
  return margin;
}

void Multiclass::fill_with_all(Row& row, Softmax& softmax) const {
  softmax.clear();
  for (std::uint32_t c = 0; c < classes_.size(); ++c) softmax.add(c, margin(row, c), prior(c));
  softmax.normalise();
}

// Half of the draws follow the class frequencies. The other half is uniform, so that rare classes are drawn as well.
void Multiclass::fill_with_drawn(Row& row, std::uint32_t label, Softmax& softmax) const {
  Random random(progress_.n_seen ^ (config_.seed << 32));
  softmax.clear();
  for (std::uint32_t draw = 0; draw <= config_.negatives; ++draw) {
    const bool by_count = (random.next() >> 63) != 0 && classes_.total() > 0;
    const auto n = static_cast<std::uint64_t>(random.uniform() * static_cast<double>(classes_.total()));
    const std::uint32_t drawn =
        by_count ? classes_.class_of_nth(std::min(n, classes_.total() - 1)) : random.below(classes_.size());
    const std::uint32_t c = draw == 0 ? label : drawn;
    if (std::ranges::find(softmax.classes, c) != softmax.classes.end()) continue;
    softmax.add(c, margin(row, c), prior(c) - log_same_everywhere(chance_to_be_drawn(c)));
  }
  softmax.normalise();
}

double Multiclass::chance_to_be_drawn(std::uint32_t c) const {
  const auto count = static_cast<double>(classes_.count(c));
  const double even = 1.0 / classes_.size();
  const double share = classes_.total() == 0 ? even : count / static_cast<double>(classes_.total());
  double never = 1;
  for (std::uint32_t draw = 0; draw < config_.negatives; ++draw) never *= 1.0 - 0.5 * (share + even);
  return 1.0 - never;
}

// Scores a sample of the examples, chosen so that it takes about as long as learning.
bool Multiclass::scores_this(const Softmax& softmax) const {
  Random random(~progress_.n_seen ^ (config_.seed << 32));
  return random.below(static_cast<std::uint32_t>(classes_.size() / softmax.size())) == 0;
}

double Multiclass::balance(std::uint32_t label) const {
  return std::min((classes_.total_weight() + 1) / (classes_.size() * (classes_.weight(label) + 1)), kMostBalance);
}

void Multiclass::learn_one(Row& row, std::uint32_t label, double weight) {
  constexpr double kNegligible = 1e-3;  // classes with less probability are skipped, unless the example is heavy
  Softmax& softmax = Softmax::of_thread();
  const bool sampled = config_.negatives > 0 && config_.negatives + 1 < classes_.size();
  if (sampled) fill_with_drawn(row, label, softmax);
  if (!sampled || scores_this(softmax)) {
    fill_with_all(row, softmax);
    count_one(progress_.n_scored);
    count_one(progress_.mistakes, softmax.classes[softmax.best] != label);
    if (softmax.size() > 1) {
      const double tau = softmax.scores[label] - softmax.others(label);
      progress_.log_loss.add(tau, exp_same_everywhere(-std::abs(tau)));
    }
    if (sampled) fill_with_drawn(row, label, softmax);
  }
  const LargerExample part{progress_.recent, 1.0 / static_cast<double>(softmax.size())};
  const double kept = config_.half_life.kept_by_example(), squares_kept = config_.half_life.squares_kept_by_example();
  if (squares_kept != 1) fade(kept, squares_kept);  // once for all rows of the example
  const auto weight32 = static_cast<float>(config_.balanced ? weight * balance(label) : weight);
  const std::size_t digits = class_digits(config_.max_classes);
  for (std::size_t i = 0; i < softmax.size() && softmax.size() > 1; ++i) {
    const std::uint32_t c = softmax.classes[i];
    if (c != label && softmax.probability(i) * std::max(weight32, 1.0f) < kNegligible) continue;
    const std::int8_t sign = c == label ? 1 : -1;
    const double faded =
        (1.0 - kept) * (softmax.scores[i] - softmax.offsets[i]);  // so that gradients use the weights before fading
    const double fixed = softmax.offsets[i] - softmax.others(i) + faded;
    RowBatch batch = row.of(classes_.key(c));
    row.prefix = class_prefix(c, digits);
    batch.labels = std::span(&sign, 1);
    batch.weights = std::span(&weight32, 1);
    batch.offsets = std::span(&fixed, 1);
    batch.example = &part;
    weights_->learn(batch);
  }
  count_one(progress_.n_seen);
  progress_.recent += 1;
  progress_.features_seen = add_saturating(progress_.features_seen, row.given.size);
  classes_.see(label, 1, config_.balanced ? 1.0 : double{weight32});
}

void Multiclass::margins(const RowBatch& batch, std::span<double> out) const {
  Row& row = Row::of_thread();
  for (std::size_t r = 0; r < batch.size(); ++r) {
    row.set(batch.row(r), constant());
    for (std::uint32_t c = 0; c < classes_.size(); ++c) out[r * classes_.size() + c] = margin(row, c) + prior(c);
  }
}

double Multiclass::intercept(std::uint32_t c) const {
  const std::optional<Key> key = constant();
  return (key ? weight(c, *key) : 0.0) + prior(c);
}

std::vector<ClassFeature> Multiclass::top(std::size_t k, std::uint32_t of) const {
  const std::size_t digits = class_digits(config_.max_classes);
  std::vector<ClassFeature> rows;
  for (HeavyFeature& heavy : weights_->top(ClassTable::kNone)) {
    if (rows.size() >= k) break;
    const std::uint32_t c = heavy.name.size() < digits ? ClassTable::kNone : class_in(heavy.name, digits);
    if (c >= classes_.size() || (of != ClassTable::kNone && c != of)) continue;
    heavy.key = right_of_combined(heavy.key, classes_.key(c));
    if (heavy.key == constant()) continue;
    heavy.name.erase(0, digits);
    rows.push_back({c, std::move(heavy)});
  }
  return rows;
}

// Adopts the classes of a table that contains all classes of this model. Keys stay, but the class numbers in names
// change.
void Multiclass::take_order_of(const ClassTable& order) {
  const std::size_t digits = class_digits(config_.max_classes);
  weights_->edit_names([&](std::span<char> name) {
    if (name.size() < digits) return;
    const std::uint32_t c = class_in({name.data(), name.size()}, digits);
    if (c < classes_.size()) std::ranges::copy(class_prefix(order.find(classes_.label(c)), digits), name.begin());
  });
  ClassTable ordered = order;
  for (std::uint32_t c = 0; c < classes_.size(); ++c)
    ordered.see(order.find(classes_.label(c)), classes_.count(c), classes_.weight(c));
  classes_ = std::move(ordered);
}

void Multiclass::archive(Archive& archive) {
  archive.value("examples_seen", progress_.n_seen);
  archive.value("examples_recent", progress_.recent);
  progress_.clock.archive(archive, "example_time");
  archive.value("example_features_seen", progress_.features_seen);
  archive.value("examples_scored", progress_.n_scored);
  archive.value("example_mistakes", progress_.mistakes);
  progress_.log_loss.archive(archive, "example_log_loss");
  classes_.archive(archive);
  weights_->archive(archive);
  if (!archive.loading()) return;
  require_state(progress_.mistakes <= progress_.n_scored && progress_.n_scored <= progress_.n_seen,
                "more mistakes than examples");
  require_state(progress_.recent >= 0 && progress_.recent <= static_cast<double>(progress_.n_seen),
                "more recent examples than examples");
  progress_.clock.check();
  require_state(progress_.n_seen == classes_.total(), "the counts of the classes do not sum to the number of examples");
  require_state(std::isfinite(progress_.log_loss.value()), "the sum of log losses is not finite");
}

std::unique_ptr<Multiclass> make_multiclass(StoreKind kind, bool exact_set, const StoreConfig& store,
                                            LearnerConfig rule, MulticlassConfig classes) {
  classes.seed = store.seed;
  classes.half_life = std::exchange(rule.half_life, {});  // the rows of the learner are not examples
  return std::make_unique<Multiclass>(make_learner(kind, exact_set, store, rule), classes);
}

}  // namespace wmsketch
