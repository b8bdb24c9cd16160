// Merging, saving and loading what was learned of pairs.
#include <cmath>
#include <stdexcept>

#include "wmsketch/apps/pmi/pmi.hpp"
#include "wmsketch/data/saturating.hpp"

namespace wmsketch {

void PairLearner::merge(const PairLearner& other) {
  if (exact_ || other.exact_) throw std::invalid_argument("exact counts cannot be merged");
  if (config_.half_life > 0) throw std::invalid_argument("streams with a half_life cannot be merged");
  learner_.merge(other.learner_);
  counts_.merge(other.counts_);
  const auto each_item = [&](auto use) {
    counts_.each_place([&](std::uint32_t place) {
      use(counts_.pair(place).u);
      use(counts_.pair(place).v);
    });
  };
  names_.count_uses(each_item);
  each_item([&](Key item) {
    if (!names_.full() && other.names_.has(item))
      names_.take(item, other.names_.get(item), other.names_.shortened(item));
  });
  names_.count_uses(each_item);
  items_.merge(other.items_);
  frequent_.merge(other.frequent_);
  // each item of the sample comes from either stream, in proportion to their lengths
  const std::uint64_t n_both = add_saturating(reservoir_.n_seen(), other.reservoir_.n_seen());
  const double share =
      static_cast<double>(other.reservoir_.n_seen()) / static_cast<double>(std::max<std::uint64_t>(1, n_both));
  std::vector<Key> sample(reservoir_.keys().begin(), reservoir_.keys().end());
  for (std::uint32_t i = 0; i < other.reservoir_.size(); ++i) {
    if (sample.size() < reservoir_.capacity())
      sample.push_back(other.reservoir_.key(i));
    else if (random_.uniform() < share)
      sample[i] = other.reservoir_.key(i);
  }
  reservoir_.restore(sample, n_both, reservoir_.random_state());
  seen_.n_items = add_saturating(seen_.n_items, other.seen_.n_items);
  seen_.n_pairs = add_saturating(seen_.n_pairs, other.seen_.n_pairs);
  seen_.n_negatives = add_saturating(seen_.n_negatives, other.seen_.n_negatives);
  seen_.pairs += other.seen_.pairs;
  floor_ = std::max(floor_, other.floor_);
  windows_ = Windows(config_.groups, config_.window, config_.window_name_bytes());  // those of either would mix streams
}

void PairLearner::archive(Archive& archive) {
  if (exact_) throw std::invalid_argument("exact counts cannot be saved");
  learner_.archive(archive);
  counts_.archive(archive);
  names_.archive(archive);
  windows_.archive(archive);

  std::vector<std::uint32_t> cells(items_.cells().begin(), items_.cells().end());
  std::uint64_t total = items_.total();
  archive.fixed("item_cells", cells.data(), cells.size());
  archive.value("item_total", total);

  std::vector<Key> sample(reservoir_.keys().begin(), reservoir_.keys().end());
  std::uint64_t n_sampled = reservoir_.n_seen(), sample_random = reservoir_.random_state();
  archive.growing("sample", sample, reservoir_.capacity());
  archive.value("n_sampled", n_sampled);
  archive.value("sample_random", sample_random);

  std::vector<Key> frequent(frequent_.keys().begin(), frequent_.keys().end());
  std::vector<std::uint64_t> counts(frequent_.counts().begin(), frequent_.counts().end());
  std::vector<std::uint64_t> errors(frequent_.errors().begin(), frequent_.errors().end());
  std::uint64_t n_frequent = frequent_.total();
  archive.growing("frequent_keys", frequent, frequent_.capacity());
  archive.growing("frequent_counts", counts, frequent_.capacity());
  archive.growing("frequent_errors", errors, frequent_.capacity());
  archive.value("frequent_total", n_frequent);

  archive.value("random", random_.state);
  archive.value("n_items", seen_.n_items);
  archive.value("n_pairs", seen_.n_pairs);
  archive.value("n_negatives", seen_.n_negatives);
  archive.value("until_half", seen_.until_half);
  archive.value("counted_pairs", seen_.pairs);
  archive.value("part_due", seen_.part_due);
  if (config_.for_rare_pairs()) {
    archive.value("pair_floor", floor_);
    archive.value("pairs_since_floor", n_since_floor_);
  }
  if (!archive.loading()) return;
  require_state(seen_.pairs >= 0 && std::isfinite(seen_.pairs), "the number of pairs is negative or not finite");
  require_state(seen_.part_due >= 0 && seen_.part_due <= 1,
                "the fraction of the next random pair is not between 0 and 1");
  items_.restore(cells, total);
  reservoir_.restore(sample, n_sampled, sample_random);
  frequent_.restore(frequent, counts, errors, n_frequent);
}

}  // namespace wmsketch
