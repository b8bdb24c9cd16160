// Streaming pointwise mutual information (section 7.3 of the paper): pairs that occur near each other are told from
// pairs drawn at random, and the weight of a pair is its PMI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wmsketch/apps/pmi/pmi_counts.hpp"
#include "wmsketch/apps/pmi/pmi_exact.hpp"
#include "wmsketch/apps/pmi/pmi_names.hpp"
#include "wmsketch/apps/pmi/pmi_windows.hpp"
#include "wmsketch/counters/count_min.hpp"
#include "wmsketch/counters/reservoir.hpp"
#include "wmsketch/counters/space_saving.hpp"
#include "wmsketch/rule/online_linear.hpp"

namespace wmsketch {

struct PmiConfig {
  std::uint32_t window = 5;          // an item makes pairs with so many before it
  std::uint32_t negatives = 5;       // random pairs for each real one
  std::uint32_t reservoir = 4000;    // items that random pairs are made of
  std::uint32_t item_width = 4096;   // cells in each row of the Count-Min that counts items
  std::uint32_t lines = 128;         // of eight places each, for pairs that are counted
  std::uint32_t bound_width = 1024;  // cells in each row of the Count-Min of pairs without a place
  std::uint32_t names = 512;         // items whose names are kept
  std::size_t name_bytes = 16384;    // of all of them
  std::uint64_t half_life = 0;       // after so many items counts are worth half; 0: never
  bool directed = true;              // (u, v) is not (v, u)
  double subsample = 0;              // items more frequent than this are thinned out; 0: none
  double window_seconds = 0;         // ... and not longer ago; 0: no limit
  std::uint32_t groups = 1;          // windows at a time
  std::uint64_t seed = 0;
  bool exact = false;   // count exactly beside it, in memory without limit
  NameSecret secret{};  // that names are hashed under

  // Of an item in a window, where names are whole that will be cut later: twice what they have on average.
  std::size_t window_name_bytes() const { return names > 0 ? 2 * name_bytes / names : 0; }
};

// What comes first in an answer: the heaviest, the highest of a number, or those that avoid each other most.
enum class PairOrder : std::uint8_t { weight, pmi, low, count, avoiding };

// A real pair (u, v) is a positive example. For each, `negatives` random pairs of an item of the stream and an item of
// a uniform sample of it are negative ones: they follow p(u) p(v). A logistic model that tells them apart has
// log(p(u, v) / (negatives p(u) p(v))) for its margin. Here a negative weighs 1 / negatives, which takes that constant
// out inside the loss: the weight tends to the PMI, 0 is independence, and decay pulls towards it.
//
// Pairs are counted while there are places, after that those that come more often than chance would have it, and so are
// all items, in a Count-Min: the PMI of a pair with a place is better had from counts than from a weight, which needs
// as many random pairs as it is unlikely.
class PairLearner {
 public:
  PairLearner(const PmiConfig& config, const StoreConfig& store, LearnerConfig rule);

  void choose_group(Key group) { windows_.choose(group); }
  void add(std::string_view name, double seconds = 0);
  void end_sequence() { windows_.clear(); }

  Key key_of(std::string_view name) const { return key_of_name(name, config_.secret); }

  struct Numbers {  // of a pair
    Key key = 0;
    Key u_key = 0, v_key = 0;
    double weight = 0;                    // of the classifier
    double pmi = 0;                       // by counts where the pair is counted, else the weight
    double low = 0, high = 0;             // the 95 % range, with room for what was missed
    std::uint64_t count = 0, missed = 0;  // real ones since the pair has a place, and at most so many before
    double about = 0;                     // the count with those that were missed, as far as can be told
  };
  struct Row : Numbers {
    std::string u{}, v{};
    bool u_shortened = false, v_shortened = false;
  };
  // The first k of the pairs that have a place and came at least so often, as far as can be told.
  std::vector<Row> top(std::size_t k, double min_count, PairOrder order) const;
  std::uint64_t n_exact() const;                              // of them, those whose count is of the whole stream
  Row row(const std::string& u, const std::string& v) const;  // any pair; the sketch's estimate if it has no place

  std::uint64_t n_items() const { return seen_.n_items; }
  std::uint64_t n_kept() const { return reservoir_.n_seen(); }  // without those thinned out
  std::uint64_t n_pairs() const { return seen_.n_pairs; }
  const PairCounts& counts() const { return counts_; }
  const ItemNames& names() const { return names_; }
  std::size_t distinct_in_sample() const;  // of the items that random pairs are made of
  const ExactPairs* exact() const { return exact_ ? &*exact_ : nullptr; }
  const Learner& learner() const { return learner_; }
  std::size_t nbytes() const;  // all but the exact counts
  static std::size_t bytes_for(const PmiConfig& config, const StoreConfig& store);

  void merge(const PairLearner& other);  // of the same settings; windows stay this one's
  void archive(Archive& archive);        // without exact counts, and of windows only the current one

 private:
  static constexpr std::uint32_t kFrequent = 1024;  // counters for thinning out
  static constexpr std::uint32_t kItemDepth = 3;
  struct Counters {
    std::uint64_t n_items = 0, n_pairs = 0, n_negatives = 0;
    std::uint64_t until_half = 0;  // items until counts are halved
    double pairs = 0;              // as the counts have them: halved with them
    double part_due = 0;           // of the next random pair
  };

  // The smaller key first, where the order of a pair does not matter.
  std::pair<Key, Key> in_order(Key u, Key v) const {
    return config_.directed || u < v ? std::pair{u, v} : std::pair{v, u};
  }
  bool thin_out(Key key);
  void make_examples(Key key, std::uint32_t number, double seconds);
  std::uint32_t negatives_due();
  void draw_negatives(Key key);
  void count_positives(const Windows::Item& last, std::string_view name);
  std::uint32_t give_place(std::size_t i, float by_chance, Key last, std::string_view name);
  void halve();
  Numbers by_weight(Numbers row, double noise) const;
  struct Noise {
    double items, pairs;
  };
  Numbers by_counts(Numbers row, const CountedPair& pair, const Noise& noise) const;
  Row named(const Numbers& pair) const;
  struct Expected {
    double most, least;
  };
  struct ItemCounts {
    double u, v;
  };
  Expected expected(const CountedPair& pair, const ItemCounts& items, double noise) const;
  ItemCounts items_of(const CountedPair& pair) const {
    return {double(items_.estimate(pair.u)), double(items_.estimate(pair.v))};
  }
  double missed_by(const CountedPair& pair, const ItemCounts& items) const;  // at most
  double noise_of_items() const;
  static std::size_t examples_bytes(const PmiConfig& config);

  PmiConfig config_;
  StepRule step_;
  OnlineLinear learner_;
  Windows windows_;
  Reservoir reservoir_;
  SpaceSaving frequent_;
  CountMin items_;
  Random random_;
  PairCounts counts_;
  ItemNames names_;
  std::optional<ExactPairs> exact_;
  Counters seen_;

  // One item's examples: its real pairs, then its random ones.
  std::vector<Key> keys_;
  std::vector<std::int8_t> labels_;
  std::vector<std::uint32_t> ages_, hashes_, places_;  // of the earlier item, and of the pair, for the real pairs
};

}  // namespace wmsketch
