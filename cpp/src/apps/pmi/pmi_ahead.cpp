// Items of a long text, prepared on the calling thread and counted on another.
#include <algorithm>
#include <bit>

#include "wmsketch/apps/pmi/pmi.hpp"
#include "wmsketch/rule/loss.hpp"

namespace wmsketch {
namespace {

constexpr std::size_t kBatch = 4096;
constexpr std::size_t kPairsAhead = 48;  // whose memory is asked for
constexpr std::uint32_t kMostKnown = 1 << 15;

template <class Value>
struct Given {  // a pointer, until the end of a call
  Value*& place;
  Given(Value*& its_place, Value& value) : place(its_place) { place = &value; }
  ~Given() { place = nullptr; }
};

}  // namespace

void PairLearner::with_thread_aside(const std::function<void()>& use) {
  const bool plain = config_.negatives == 0 && !exact_ && config_.half_life == 0 && config_.subsample == 0;
  if (pass_ == Pass::items || pass_ == Pass::candidates || (pass_ == Pass::counts && plain)) return prepare(use);
  if (config_.negatives == 0) return use();
  BatchesAside<ExampleBatch> aside(
      [this](ExampleBatch& some) { learner_.learn_keys(some.keys, some.labels, nullptr); });
  const Given given(examples_aside_, aside);
  use();
  aside.finish();
}

// The window of the text belongs to `recent_` while items are prepared. In the pass `counts` the other thread has one
// too, with the names.
void PairLearner::prepare(const std::function<void()>& use) {
  struct WindowKept {
    PairLearner& self;
    ~WindowKept() {
      if (self.pass_ == Pass::counts) return;
      self.windows_.clear();
      for (std::uint32_t age = self.recent_.size(); age-- > 0;) {
        const RecentItems::Item& item = self.recent_[age];
        self.windows_.add({item.key, 0, 0, item.count, item.log_count}, {});
      }
    }
  } kept{*this};
  if (pass_ == Pass::candidates) count_candidates();  // those of the last item
  if (pass_ != Pass::items) known_items_.resize(std::min(kMostKnown, std::bit_floor(config_.item_width)));
  recent_.clear();
  for (std::uint32_t age = windows_.size(); age-- > 0;) recent_.add(known_item(windows_.item(age).key));
  BatchesAside<PairBatch> aside([this](PairBatch& some) { count_prepared(some); });
  const Given given(pairs_aside_, aside);
  const auto finish = [&] {
    prepare(aside.filling());
    aside.finish();
  };
  try {
    use();
  } catch (...) {  // the items before count
    finish();
    throw;
  }
  finish();
}

// The count of an item does not change after the pass `items`, so that of a frequent one is remembered.
const RecentItems::Item& PairLearner::known_item(Key key) {
  if (pass_ == Pass::items) return unknown_item_ = {key};
  RecentItems::Item& known = place_of_known(key);
  if (known.key == key && known.count > 0) return known;
  const Windows::Item item = counted_item(key, 0, 0);
  return known = {key, item.count, item.log_count, doubt_of(item.count)};
}

void PairLearner::add_prepared(Key key, std::string_view name) {
  PairBatch& batch = pairs_aside_->filling();
  batch.items.push_back(
      {{key, 0, 0, 0}, static_cast<std::uint32_t>(batch.names.size()), static_cast<std::uint32_t>(name.size()), 0});
  if (pass_ == Pass::counts) batch.names += name;
  if (batch.items.size() < kBatch) return;
  prepare(batch);
  pairs_aside_->hand_over();
}

// Finds the counts of the items, and their pairs.
void PairLearner::prepare(PairBatch& batch) {
  constexpr std::size_t kItemsAhead = 8;
  const auto key_at = [&](std::size_t i) { return batch.items[std::min(i, batch.items.size() - 1)].item.key; };
  for (std::size_t i = 0; i < batch.items.size(); ++i) {
    PairBatch::Item& item = batch.items[i];
    if (pass_ != Pass::items) {
      __builtin_prefetch(&place_of_known(key_at(i + 2 * kItemsAhead)));
      const Key soon = key_at(i + kItemsAhead);
      if (place_of_known(soon).key != soon) items_.prefetch(soon);
    }
    if (item.n_pairs == PairBatch::kEnd)
      recent_.clear();
    else
      find_prepared(item, batch);
  }
  score(batch);
}

void PairLearner::find_prepared(PairBatch::Item& item, PairBatch& batch) {
  const Key key = item.item.key;
  const RecentItems::Item last = known_item(key);
  item.n_pairs = recent_.size();
  item.item.count = last.count;
  item.item.log_count = last.log_count;
  if (pass_ == Pass::items) {
    batch.words.push_back(key);
    seen_.pairs += item.n_pairs;
  }
  for (std::uint32_t age = 0; age < item.n_pairs && pass_ != Pass::items; ++age) {
    const RecentItems::Item& earlier = recent_[age];
    const bool is_candidate = !(potential(earlier, last) < least_);
    if (!is_candidate && pass_ == Pass::candidates) continue;
    const auto [u, v] = in_order(earlier.key, key);
    const std::uint32_t hash = counts_.hash(u, v);
    if (pass_ == Pass::candidates)
      batch.words.push_back(hash);
    else
      batch.pairs.push_back({combine_keys(u, v), hash, age, is_candidate ? 0u : 1u, std::min(earlier.count, last.count),
                             earlier.log_count, last.log_count});
  }
  recent_.add(last);
}

void PairLearner::end_prepared() { pairs_aside_->filling().items.push_back({{}, 0, 0, PairBatch::kEnd}); }

// The scores of candidates. The bounds do not change in the pass `counts`.
void PairLearner::score(PairBatch& batch) const {
  std::size_t asked = 0;
  for (PairBatch::Pair& pair : batch.pairs) {
    if (asked + kPairsAhead < batch.pairs.size() && batch.pairs[asked + kPairsAhead].score == 0)
      counts_.prefetch_candidate(batch.pairs[asked + kPairsAhead].hash);
    ++asked;
    if (pair.score == 0) pair.score = score_of(pair.hash, pair.most, pair.log_earlier, pair.log_last);
  }
}

// On the other thread.
void PairLearner::count_prepared(const PairBatch& batch) {
  if (pass_ == Pass::items) {
    for (const Key key : batch.words) {
      items_.update(key);
      reservoir_.add(key);
    }
  } else if (pass_ == Pass::candidates) {
    for (std::size_t i = 0; i < batch.words.size(); ++i) {
      if (i + kPairsAhead < batch.words.size()) counts_.prefetch_candidate(batch.words[i + kPairsAhead]);
      counts_.add_to_bounds(batch.words[i]);
    }
  } else {
    count_prepared_pairs(batch);
  }
}

void PairLearner::count_prepared_pairs(const PairBatch& batch) {
  std::size_t first = 0, asked = 0;
  struct End {
    const PairBatch::Pair*& prepared;
    ~End() { prepared = nullptr; }
  } at_end{prepared_};
  for (const PairBatch::Item& each : batch.items) {
    if (each.n_pairs == PairBatch::kEnd) {
      windows_.clear();
      continue;
    }
    const std::size_t end = std::min(batch.pairs.size(), first + each.n_pairs + kPairsAhead);
    for (; asked < end; ++asked) {
      counts_.prefetch(batch.pairs[asked].hash);
      if (batch.pairs[asked].score > std::max(1u, floor_)) counts_.prefetch_rest(batch.pairs[asked].hash);
    }
    ++seen_.n_items;
    seen_.n_pairs += each.n_pairs;
    names_.prefetch(each.item.key);
    keys_.clear();
    ages_.clear();
    hashes_.clear();
    prepared_ = batch.pairs.data() + first;
    for (std::uint32_t i = 0; i < each.n_pairs; ++i) {
      keys_.push_back(prepared_[i].key);
      ages_.push_back(prepared_[i].age);
      hashes_.push_back(prepared_[i].hash);
    }
    count_positives(each.item, batch.name(each));
    reservoir_.add(each.item.key);
    windows_.add(each.item, batch.name(each));
    first += each.n_pairs;
  }
}

}  // namespace wmsketch
