// Streaming pointwise mutual information (section 7.3 of the paper): pairs that occur near each other are told from
// pairs drawn at random, and the weight of a pair is its PMI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wmsketch/apps/pmi_exact.hpp"
#include "wmsketch/apps/pmi_windows.hpp"
#include "wmsketch/count_min.hpp"
#include "wmsketch/online_linear.hpp"
#include "wmsketch/reservoir.hpp"
#include "wmsketch/space_saving.hpp"
#include "wmsketch/stores/awm.hpp"

namespace wmsketch {

struct PmiConfig {
  std::uint32_t window = 5;         // an item makes pairs with so many before it
  std::uint32_t negatives = 5;      // random pairs for each real one
  std::uint32_t reservoir = 4000;   // items that random pairs are made of
  std::size_t reservoir_names = 0;  // bytes
  std::uint32_t item_width = 4096;  // cells in each row of the Count-Min that counts items
  bool directed = true;             // (u, v) is not (v, u)
  double subsample = 0;             // items more frequent than this are thinned out; 0: none
  double window_seconds = 0;        // ... and not longer ago; 0: no limit
  std::uint32_t groups = 1;         // windows at a time
  std::uint64_t seed = 0;
  bool exact = false;  // count exactly beside it, in memory without limit
};

// A real pair (u, v) is a positive example. For each, `negatives` random pairs of an item of the stream and an item of
// a uniform sample of it are negative ones: they follow p(u) p(v). A logistic model that tells them apart has
// log(p(u, v) / (negatives p(u) p(v))) for its margin. Here a negative weighs 1 / negatives, which takes that constant
// out inside the loss: the weight tends to the PMI, 0 is independence, and decay pulls towards it.
//
// The weight says which of all pairs are worth a place. Pairs that have one are counted, and so are all items, in a
// Count-Min: once a pair is known by name its PMI is better had from counts than from a weight, which needs as many
// random pairs as it is unlikely.
class PairLearner {
 public:
  static constexpr char kBetween = '\x1f';  // stands between the two names of a pair

  PairLearner(const PmiConfig& config, const StoreConfig& store, LearnerConfig rule);

  void choose_group(Key group) { windows_.choose(group); }
  void add(std::string_view name, double seconds = 0);
  void end_sequence() { windows_.clear(); }

  struct Row {
    std::string u, v;
    bool shortened;
    double weight;        // of the classifier
    double pmi;           // by counts where the pair is counted, else the weight
    double low, high;     // the 95 % range; high is infinite while a weight is still rising
    std::uint64_t count;  // of real ones since the pair was last promoted: at least so many there were
  };
  std::vector<Row> rows() const;                              // all of the active set, heaviest first
  Row row(const std::string& u, const std::string& v) const;  // any pair; the sketch's estimate if it is not active

  std::uint64_t n_items() const { return seen_.n_items; }
  std::uint64_t n_kept() const { return reservoir_.n_seen(); }  // without those thinned out
  std::uint64_t n_pairs() const { return seen_.n_pairs; }
  std::size_t distinct_in_sample() const;  // of the items that random pairs are made of
  const ExactPairs* exact() const { return exact_ ? &*exact_ : nullptr; }
  const Learner& learner() const { return learner_; }
  std::size_t nbytes() const;  // all but the exact counts
  static std::size_t bytes_for(const PmiConfig& config, const StoreConfig& store);

 private:
  static constexpr std::uint32_t kFrequent = 1024;  // counters for thinning out
  using Model = OnlineLinear<AwmStore<AssociativeSet>>;
  static constexpr std::uint32_t kItemDepth = 3;
  struct Counted {
    Key key, u, v;
    std::uint32_t count;
    float before;  // an estimate of how many there were until the pair came to be counted
  };
  struct Draw {          // how an example was made
    std::uint32_t age;   // of the earlier item of a real pair
    std::uint32_t slot;  // in the reservoir, or Reservoir::kNone for the real pair
    bool drawn_first;
  };
  struct Counters {
    std::uint64_t n_items = 0, n_pairs = 0, n_negatives = 0;
    double part_due = 0;  // of the next random pair
  };
  class Names;

  Key key_of(Key u, Key v) const;
  bool thin_out(Key key);
  void make_examples(Key key, std::uint32_t number, double seconds);
  std::uint32_t negatives_due();
  void add_example(Key key, std::int8_t label, Draw draw);
  void count_positives(Key last);
  Row row_of(Key key, std::string u, std::string v, double noise) const;
  Row by_weight(Row row, double noise) const;
  Row by_counts(Row row, const Counted& counted, double noise) const;
  double seen_by_weight(const Counted& counted) const;
  double expected(const Counted& counted, double noise) const;
  double noise_of_items() const;
  static std::size_t examples_bytes(const PmiConfig& config);

  PmiConfig config_;
  StepRule step_;
  Model learner_;
  Windows windows_;
  Reservoir reservoir_;
  SpaceSaving frequent_;
  CountMin items_;
  Random random_;
  std::vector<Counted> counts_;  // by the slot of the pair
  std::optional<ExactPairs> exact_;
  Counters seen_;

  // One item's examples: its real pairs, then its random ones.
  std::vector<Key> keys_;
  std::vector<std::int8_t> labels_;
  std::vector<Draw> draws_;
};

}  // namespace wmsketch
