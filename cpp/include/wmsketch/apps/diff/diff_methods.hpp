// Methods to find the items whose rate differs most between two streams.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "wmsketch/apps/diff/diff_counts.hpp"
#include "wmsketch/counters/heavy_keys.hpp"
#include "wmsketch/counters/paired_count_min.hpp"
#include "wmsketch/data/normal.hpp"
#include "wmsketch/data/row_block.hpp"
#include "wmsketch/rule/learner.hpp"

namespace wmsketch {

// A batch of items from both streams, in the order in which they are learned.
class DiffItems final : public NameSource {
 public:
  struct Place {
    const RowBlock* block;
    std::size_t at;
  };
  std::vector<Key> keys;
  std::vector<std::int8_t> labels;  // +1: from a, -1: from b
  std::vector<float> weights;       // balance the two streams
  std::vector<float> amounts;       // amounts to count; negative: a repetition that is not counted
  std::vector<Place> places;
  bool named = false;

  std::size_t size() const { return keys.size(); }
  std::string name(std::size_t i) const override { return places[i].block->name(places[i].at); }
  void add(Key key, int side, float weight, float amount, Place place) {
    keys.push_back(key);
    labels.push_back(side == 0 ? 1 : -1);
    weights.push_back(weight);
    amounts.push_back(amount);
    places.push_back(place);
    named = place.block->named;
  }
  void clear() {
    keys.clear();
    labels.clear();
    weights.clear();
    amounts.clear();
    places.clear();
  }
};

// A batch of items of rows that count 1 each, in the order in which they are learned: features of one block of each
// stream. Both blocks number their names.
struct DiffOnes {
  static constexpr std::uint32_t kUnknown = 0xffffffffu;
  struct Item {
    std::uint32_t side, feature;
  };
  struct Side {
    const RowBlock* block = nullptr;
    const std::uint32_t* numbers = nullptr;  // of the names of the features
    std::vector<std::uint32_t> slots{};      // by number: where the item was found before; it may have left
  };
  std::array<Side, 2> sides;
  std::vector<Item> items;

  void start(std::size_t side, const RowBlock* block) {
    const RowBlock::NumberedNames names = block ? block->numbered_names() : RowBlock::NumberedNames{};
    sides[side].numbers = names.of_features.data();
    if (std::exchange(sides[side].block, block) != block || sides[side].slots.size() != names.size)
      sides[side].slots.assign(names.size, kUnknown);
  }
  Key key(Item item) const { return sides[item.side].block->keys[item.feature]; }
  std::uint32_t& slot(Item item) {
    Side& side = sides[item.side];
    return side.slots[side.numbers[item.feature]];
  }
};

// An item in the answer. `weight` estimates log(rate in a / rate in b).
struct DiffRow {
  Key key;
  std::string name;
  bool shortened;
  double weight, low, high;  // low to high: 95 % interval
  std::optional<PairCount> count;
  bool nameless = false;  // the item has a name that is not kept
};

class DiffMethod {
 public:
  virtual ~DiffMethod() = default;
  virtual void learn(DiffItems& items, const DiffTotals& totals) = 0;
  virtual bool takes_ones() const { return false; }  // by `learn_ones`, as well as by `learn`
  virtual void learn_ones(DiffOnes&, const DiffTotals&) {}
  using UseRow = std::function<void(DiffRow&&)>;
  virtual void each_row(const DiffTotals& totals, const UseRow& use) const = 0;
  virtual std::size_t n_rows() const { return 0; }  // 0: not known
  virtual double weight(Key key, const DiffTotals& totals) const = 0;
  virtual std::uint64_t n_tried() const = 0;  // number of items tested, to correct for multiple comparisons
  virtual std::optional<double> n_distinct() const { return std::nullopt; }  // nullopt: unknown
  virtual bool is_whole() const { return true; }                             // whether every item is held
  virtual std::size_t nbytes() const = 0;
  virtual void fade(double) { refuse("half_life"); }  // multiplies all counts by this factor
  virtual void merge(const DiffMethod&, const DiffTotals&) { refuse("merge"); }
  virtual void archive(Archive&) { refuse("saving"); }
  // Gives these items a place, and no others until `open`: a second pass counts the candidates of a first.
  virtual void reserve(std::span<const Key>) { refuse("a second pass"); }
  virtual void open() { refuse("a second pass"); }

 private:
  [[noreturn]] static void refuse(const char* what) {
    throw std::invalid_argument(std::string(what) + " needs the method count-table");
  }
};

// A linear classifier of a against b over examples of one item, without intercept. Its weights converge to the log
// ratios. Works with any learner. With `counted`, every item is also counted, and the counts set the step sizes.
class LinearDiff final : public DiffMethod {
 public:
  LinearDiff(std::unique_ptr<Learner> learner, StepRule step, bool counted)
      : learner_(std::move(learner)), step_(step), counted_(counted) {}

  void learn(DiffItems& items, const DiffTotals& totals) override {
    starts_.resize(items.size() + 1);
    for (std::size_t i = 0; i < starts_.size(); ++i) starts_[i] = static_cast<std::int64_t>(i);
    ones_.assign(items.size(), 1.0f);
    if (!counted_) return learn_some(items, 0, items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {  // one at a time: in a burst, each count reduces the next step
      shorten_step(items, i, totals);
      learn_some(items, i, 1);
      if (items.amounts[i] >= 0) counter_.add(items.keys[i], items.labels[i] > 0 ? 0 : 1, items.amounts[i]);
    }
  }

  void each_row(const DiffTotals& totals, const UseRow& use) const override {
    for (HeavyFeature& heavy : learner_->top(std::size_t{0xffffffffu})) {
      const auto count = counter_.find(heavy.key);
      const double of_collisions = heavy.high - heavy.weight, rate = step_.rate(learner_->progress().n_seen);
      // at equilibrium, steps of size `rate` give a weight the variance rate / 2
      const double of_sample = count ? count->variance(totals) : 0.5 * rate;
      const double spread = std::sqrt(of_collisions * of_collisions + kDeviations95 * kDeviations95 * of_sample);
      use({heavy.key, std::move(heavy.name), heavy.shortened, heavy.weight, heavy.weight - spread,
           heavy.weight + spread, count});
    }
  }

  double weight(Key key, const DiffTotals&) const override { return learner_->weight(key); }
  std::uint64_t n_tried() const override { return counter_.size(); }
  std::optional<double> n_distinct() const override { return static_cast<double>(counter_.size()); }
  std::size_t nbytes() const override { return learner_->nbytes() + (counted_ ? counter_.nbytes() : 0); }

 private:
  void learn_some(DiffItems& items, std::size_t first, std::size_t n) {
    learner_->learn({std::span(starts_).subspan(first, n + 1), items.keys, ones_,
                     std::span(items.labels).subspan(first, n), std::span(items.weights).subspan(first, n),
                     items.named ? &items : nullptr});
  }

  // The variance of an item's log ratio is about 1/a + 1/b for the counts a and b. A step of that size is optimal for a
  // weight that is not shared. With the learner's own step size, the weight would keep fluctuating.
  void shorten_step(DiffItems& items, std::size_t i, const DiffTotals& totals) const {
    const double rate = step_.rate(learner_->progress().n_seen);
    if (const auto count = counter_.find(items.keys[i]))
      items.weights[i] *= static_cast<float>(std::min(1.0, count->variance(totals) / rate));
  }

  std::unique_ptr<Learner> learner_;
  StepRule step_;
  bool counted_;
  ExactPairCounter counter_;
  std::vector<std::int64_t> starts_;
  std::vector<float> ones_;
};

// The paper's baseline: a pair of Count-Min sketches, and the keys whose ratio was largest when last seen.
class CountMinDiff final : public DiffMethod {
 public:
  CountMinDiff(PairedCountMin pair, HeavyKeys heavy) : pair_(std::move(pair)), heavy_(std::move(heavy)) {}

  void learn(DiffItems& items, const DiffTotals& totals) override {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items.amounts[i] < 0) continue;
      const Key key = items.keys[i];
      const auto amount = static_cast<std::uint64_t>(std::llround(items.amounts[i]));
      const bool of_a = items.labels[i] > 0;
      const double ratio = std::abs(pair_.update(key, of_a ? amount : 0, of_a ? 0 : amount) - offset(totals));
      const bool is_new = heavy_.find(key) == KeyedHeap::kNone;
      heavy_.offer(key, ratio, items.named && is_new ? items.name(i) : std::string());
    }
  }

  void each_row(const DiffTotals& totals, const UseRow& use) const override {
    for (std::uint32_t slot = 0; slot < heavy_.size(); ++slot) {
      const Key key = heavy_.key(slot);
      const PairedCountMin::Bounds bounds = pair_.bounds(key, kFailure);
      const std::uint32_t a = pair_.a().estimate(key), b = pair_.b().estimate(key);
      const PairCount count{{a, b}, {double(a), double(b)}, {double(a), double(b)}, {}, {}};
      const double spread = kDeviations95 * std::sqrt(1 / (0.5 + a) + 1 / (0.5 + b)),
                   weight = this->weight(key, totals);
      use({key, heavy_.names().get(slot), heavy_.names().shortened(slot), weight, bounds.low - offset(totals) - spread,
           bounds.high - offset(totals) + spread, count});
    }
  }

  double weight(Key key, const DiffTotals& totals) const override { return pair_.estimate(key) - offset(totals); }
  std::uint64_t n_tried() const override { return pair_.a().total() + pair_.b().total(); }
  bool is_whole() const override { return false; }
  std::size_t nbytes() const override { return pair_.nbytes() + heavy_.nbytes(); }

 private:
  double offset(const DiffTotals& totals) const { return pair_.log_ratio(totals.amounts[0], totals.amounts[1]); }

  PairedCountMin pair_;
  HeavyKeys heavy_;
};

}  // namespace wmsketch
