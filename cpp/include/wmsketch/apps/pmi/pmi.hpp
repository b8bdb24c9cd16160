// Streaming pointwise mutual information (section 8.3 of the paper). A classifier separates pairs that occur near each
// other from randomly drawn pairs. The weight of a pair is its PMI.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wmsketch/apps/pmi/pmi_batches.hpp"
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
  std::uint32_t window = 5;          // an item forms pairs with this many earlier items
  std::uint32_t negatives = 5;       // random pairs per real pair; 0: no classifier
  std::uint32_t reservoir = 4000;    // sample of items for random pairs
  std::uint32_t item_width = 4096;   // row width of the Count-Min sketch of items
  std::uint32_t lines = 128;         // of eight places each, for counted pairs
  std::uint32_t bound_width = 1024;  // row width of the bounds on pairs without a place
  std::uint32_t names = 512;         // items whose names are kept
  std::size_t name_bytes = 16384;    // total size of the names
  std::uint64_t half_life = 0;       // in items; 0: no forgetting
  std::uint32_t at_least = 0;        // the least count of the pairs that are asked for; 0: any
  bool directed = true;              // (u, v) is not (v, u)
  double subsample = 0;              // items more frequent than this are subsampled; 0: none
  double window_seconds = 0;         // longest time between the items of a pair; 0: no limit
  std::uint32_t groups = 1;          // number of groups with a window
  std::uint64_t seed = 0;
  bool exact = false;   // also count exactly, without a memory limit
  NameSecret secret{};  // seeds the hash of names

  // Whether places go to pairs of about the count that is asked for, not to all that exceed chance.
  bool for_rare_pairs() const { return at_least > 0 && half_life == 0; }
  // Bytes for the name of an item in a window: twice the average, because names are complete there.
  std::size_t window_name_bytes() const { return names > 0 ? 2 * name_bytes / names : 0; }
};

// How an answer is sorted: by weight, by a number, or by how much the items avoid each other.
enum class PairOrder : std::uint8_t { weight, pmi, low, count, avoiding };

// A real pair (u, v) is a positive example. For each one, `negatives` random pairs are negative examples. They combine
// an item of the stream with an item of a uniform sample of it, so they follow p(u) p(v). The margin of a logistic
// model that separates them is log(p(u, v) / (negatives p(u) p(v))). Here a negative has weight 1 / negatives, which
// removes that constant from the loss. So the weight converges to the PMI, 0 means independence, and decay pulls
// towards 0.
//
// Pairs are also counted: all of them while there are places, later those that occur more often than by chance. A
// Count-Min sketch counts all items. For a counted pair, the PMI from counts is more accurate than the weight, which
// needs many random pairs for a pair that is rare by chance.
class PairLearner {
 public:
  PairLearner(const PmiConfig& config, const StoreConfig& store, LearnerConfig rule);

  // If not all pairs fit, items that can be read again are read three times. `items` counts the items. `candidates`
  // counts, in the bounds, the pairs whose score can be high. `counts` gives places to those with the highest scores.
  // `all` ends this, and is how items are learned otherwise.
  enum class Pass : std::uint8_t { all, items, candidates, counts };
  void begin(Pass pass);

  void choose_group(Key group) { windows_.choose(group); }
  void add(std::string_view name, double seconds = 0);
  void end_sequence() { pairs_aside_ ? end_prepared() : windows_.clear(); }
  // Calls `use`, which adds many items of one text. Meanwhile another thread learns the classifier, or counts in passes
  // over the same items, until this returns.
  void with_thread_aside(const std::function<void()>& use);

  Key key_of(std::string_view name) const { return key_of_name(name, config_.secret); }

  struct Numbers {  // numbers of a pair
    Key key = 0;
    Key u_key = 0, v_key = 0;
    double weight = 0;                    // weight in the classifier, if there is one
    double pmi = 0;                       // from counts if the pair is counted, else the weight
    double low = 0, high = 0;             // 95 % interval, including what was missed
    std::uint64_t count = 0, missed = 0;  // occurrences since the pair has a place; bound on those before
    double about = 0;                     // estimated count, including what was missed
  };
  struct Row : Numbers {
    std::string u{}, v{};
    bool u_shortened = false, v_shortened = false;
  };
  // The first k counted pairs with an estimated count of at least min_count.
  std::vector<Row> top(std::size_t k, double min_count, PairOrder order) const;
  std::uint64_t n_exact() const;                              // counted pairs whose count covers the whole stream
  Row row(const std::string& u, const std::string& v) const;  // any pair; the sketch's estimate if it is not counted

  std::uint64_t n_items() const { return seen_.n_items; }
  std::uint64_t n_kept() const { return reservoir_.n_seen(); }  // without items dropped by subsampling
  std::uint64_t n_pairs() const { return seen_.n_pairs; }
  const PairCounts& counts() const { return counts_; }
  const ItemNames& names() const { return names_; }
  std::size_t distinct_in_sample() const;  // distinct items in the reservoir
  const ExactPairs* exact() const { return exact_ ? &*exact_ : nullptr; }
  const Learner& learner() const { return learner_; }
  std::size_t nbytes() const;  // everything except the exact counts
  static std::size_t bytes_for(const PmiConfig& config, const StoreConfig& store);

  void merge(const PairLearner& other);  // requires the same settings; keeps its own windows
  void archive(Archive& archive);        // without exact counts, and only the current window

 private:
  static constexpr std::uint32_t kFrequent = 1024;  // counters for subsampling
  static constexpr std::uint32_t kItemDepth = 3;
  struct Counters {
    std::uint64_t n_items = 0, n_pairs = 0, n_negatives = 0;
    std::uint64_t until_half = 0;  // items until the counts are halved
    double pairs = 0;              // number of pairs, halved with the counts
    double part_due = 0;           // fraction of the next random pair
  };

  // The keys of a pair. If pairs are undirected, the smaller key comes first.
  std::pair<Key, Key> in_order(Key u, Key v) const {
    return config_.directed || u < v ? std::pair{u, v} : std::pair{v, u};
  }
  bool drop_by_subsampling(Key key);
  void survey(Key key, double seconds);
  void count_candidates();
  Windows::Item counted_item(Key key, std::uint32_t number, double seconds) const;
  // The highest value that a pair can have: few pairs occur more often than the rarer of their items.
  double potential(const RecentItems::Item& u, const RecentItems::Item& v) const {
    const bool u_is_rarer = u.count < v.count;
    return -log_chance_ - (u_is_rarer ? v.log_count : u.log_count) - (u_is_rarer ? u.doubt : v.doubt);
  }
  static double doubt_of(double count);
  static RecentItems::Item recent(const Windows::Item& item) {
    return {item.key, item.count, item.log_count, doubt_of(item.count)};
  }
  void prepare(const std::function<void()>& use);
  const RecentItems::Item& known_item(Key key);
  RecentItems::Item& place_of_known(Key key) {
    return known_items_[bucket_of(key * 0x9e3779b1u, static_cast<std::uint32_t>(known_items_.size()))];
  }
  void prepare(PairBatch& batch);
  void find_prepared(PairBatch::Item& item, PairBatch& batch);
  void add_prepared(Key key, std::string_view name);
  void end_prepared();
  void score(PairBatch& batch) const;
  void count_prepared(const PairBatch& batch);
  void count_prepared_pairs(const PairBatch& batch);
  double least_potential() const;
  std::uint32_t score_of(std::size_t i, const Windows::Item& last) const;  // in the pass `counts`
  std::uint32_t score_of(std::uint32_t hash, float most, float log_earlier, float log_last) const;  // of a candidate
  void make_room();
  // Calls use(age, item) for each item that forms a pair with an item of this time.
  template <class Use>
  void each_earlier(double seconds, Use use) const {
    for (std::uint32_t age = 0; age < windows_.size(); ++age) {
      const Windows::Item& earlier = windows_.item(age);
      if (config_.window_seconds > 0 && std::abs(seconds - earlier.seconds) > config_.window_seconds) continue;
      use(age, earlier);
    }
  }
  float chance_of_one(float count) const;
  bool is_hopeless(const Windows::Item& u, const Windows::Item& v);
  void find_pairs(Key key, std::uint32_t number, double seconds);
  void learn_examples(Key key);
  std::uint32_t negatives_due();
  void draw_negatives(Key key);
  void count_positives(const Windows::Item& last, std::string_view name);
  std::uint32_t give_place(std::size_t i, float by_chance, const Windows::Item& last, std::string_view name);
  bool take_names(std::size_t i, Key last, std::string_view name);
  void halve();
  double weight_of(Key key) const;  // not a number without a classifier
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
  double missed_by(const CountedPair& pair, const ItemCounts& items) const;  // upper bound
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
  Pass pass_ = Pass::all;
  BatchesAside<ExampleBatch>* examples_aside_ = nullptr;  // where the classifier learns now, if not here
  BatchesAside<PairBatch>* pairs_aside_ = nullptr;        // where pairs are counted now, if not here
  RecentItems recent_;                                    // the window of the text that is prepared for that
  std::vector<RecentItems::Item> known_items_;            // by key: counts that were asked for before
  RecentItems::Item unknown_item_;
  const PairBatch::Pair* prepared_ = nullptr;  // the pairs of the item that is counted, if they were prepared
  // In the passes `candidates` and `counts`: the logarithm of the pairs expected by chance of two items that occur
  // once, and the least potential of a candidate.
  double log_chance_ = 0, least_ = 0;
  std::uint32_t floor_ = 0;          // in the pass `counts`, and for rare pairs: up to this score there is no place
  std::uint64_t n_since_floor_ = 0;  // pairs that looked for a place since the floor was raised

  // The examples of one item: its real pairs, then its random pairs.
  std::vector<Key> keys_;
  std::vector<std::int8_t> labels_;
  std::vector<std::uint32_t> ages_, hashes_,
      places_;  // for each real pair: age of the earlier item, hash and place of the pair
};

}  // namespace wmsketch
