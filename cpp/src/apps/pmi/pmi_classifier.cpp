// The classifier: its examples, and the weight of a pair.
#include <algorithm>
#include <cmath>
#include <limits>

#include "wmsketch/apps/pmi/pmi.hpp"
#include "wmsketch/data/normal.hpp"

namespace wmsketch {

void PairLearner::learn_examples(Key key) {
  const std::size_t n_positives = keys_.size();
  if (reservoir_.size() > 0) draw_negatives(key);
  labels_.resize(keys_.size());
  std::fill_n(labels_.begin(), n_positives, std::int8_t{1});
  std::fill(labels_.begin() + static_cast<std::ptrdiff_t>(n_positives), labels_.end(), std::int8_t{-1});
  if (!examples_aside_) return learner_.learn_keys(keys_, labels_, nullptr);
  constexpr std::size_t kBatch = 8192;
  ExampleBatch& batch = examples_aside_->filling();
  batch.keys.insert(batch.keys.end(), keys_.begin(), keys_.end());
  batch.labels.insert(batch.labels.end(), labels_.begin(), labels_.end());
  if (batch.keys.size() >= kBatch) examples_aside_->hand_over();
}

// The random order of the two items is chosen without a branch, which would be mispredicted half of the time.
void PairLearner::draw_negatives(Key key) {
  const std::size_t first = keys_.size();
  const std::span<const Key> sample = reservoir_.keys();
  keys_.resize(first + negatives_due());
  for (std::size_t i = first; i < keys_.size(); ++i) {
    const std::uint64_t bits = random_.next();
    const Key drawn = sample[((bits >> 32) * sample.size()) >> 32];
    const Key swap = (drawn ^ key) & (0u - static_cast<Key>(bits & 1u));
    const Key u = key ^ swap, v = drawn ^ swap;
    keys_[i] = config_.directed ? combine_keys(u, v) : combine_keys(std::min(u, v), std::max(u, v));
  }
}

// Every item gets the same number of random pairs, however many real pairs it has. So items follow their frequency in
// random pairs. The number is the mean number of real pairs so far, plus a small part of the deficit.
std::uint32_t PairLearner::negatives_due() {
  constexpr double kPatience = 4096;  // in items
  const double wanted = static_cast<double>(config_.negatives) * static_cast<double>(seen_.n_pairs);
  const double missing = wanted - static_cast<double>(seen_.n_negatives);
  const double due = wanted / (static_cast<double>(reservoir_.n_seen()) + 1) + missing / kPatience + seen_.part_due;
  const double whole = std::clamp(std::floor(due), 0.0, double(config_.window) * config_.negatives);
  seen_.part_due = std::clamp(due - whole, 0.0, 1.0);
  seen_.n_negatives += static_cast<std::uint64_t>(whole);
  return static_cast<std::uint32_t>(whole);
}

double PairLearner::weight_of(Key key) const {
  return config_.negatives > 0 ? learner_.weight(key) : std::numeric_limits<double>::quiet_NaN();
}

// At equilibrium, the steps up by real pairs and down by random pairs keep a weight moving. If pairs were independent,
// its variance would be rate / 2 * (exp(-w) + 1 / negatives) / (exp(-w) + 1). Pairs come in bursts, which about doubles
// it. For a pair without a slot, it is unknown whether the weight has reached equilibrium.
PairLearner::Numbers PairLearner::by_weight(Numbers row, double noise) const {
  const double rate = step_.rate(learner_.progress().n_seen), odds = std::exp(-row.weight);
  const double steps = rate * (odds + 1.0 / config_.negatives) / (odds + 1.0);
  const double spread = kDeviations95 * std::sqrt(noise * noise + steps + 1.0);
  row.low = row.weight - spread;
  row.high = row.weight < 0 ? row.weight + spread : std::numeric_limits<double>::infinity();
  return row;
}

}  // namespace wmsketch
