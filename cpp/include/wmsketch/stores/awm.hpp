// AWM-Sketch (Algorithm 2): heavy keys exactly in an active set, the tail in a sketch.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "wmsketch/data/aligned.hpp"
#include "wmsketch/sets/exact_set.hpp"
#include "wmsketch/sets/line_set.hpp"
#include "wmsketch/slots/float_slot.hpp"
#include "wmsketch/slots/packed_slot.hpp"
#include "wmsketch/stores/folded_cells.hpp"
#include "wmsketch/stores/sketch_cells.hpp"
#include "wmsketch/stores/store.hpp"
#include "wmsketch/stores/tagged_cells.hpp"

namespace wmsketch {

// Slots of the set and cells of the sketch are in one buffer, so one index finds a weight in either.
//
// There are two bodies. Plain steps (awm_plain.hpp) are the paper's: keys share the cells of the sketch, and a weight
// that enters the active set stays in the sketch too. Adaptive steps (awm_adaptive.hpp) are the default: each cell has
// one owner, and a weight with its sum of squared gradients is either in the active set or in a cell.
template <class Set, class Cell>
class AwmStore final : public NamedStoreOf<AwmStore<Set, Cell>> {
  using NamedStoreOf<AwmStore>::names_;
  using NamedStoreOf<AwmStore>::remember_name;
  using Slot = typename Set::Slot;
  using Stored = typename Cell::Stored;
  static constexpr bool kAdaptive = Slot::kAdaptive;
  using Tail = std::conditional_t<kAdaptive, TaggedCells, SketchCells<Cell>>;
  static_assert(Slot::kAdaptive == Cell::kAdaptive, "slots and cells take the same steps");

 public:
  explicit AwmStore(const StoreConfig& config)
      : NamedStoreOf<AwmStore>(config),
        eviction_(config.eviction),
        hasher_(config.hash_family, config.depth, config.seed, config.independence),
        set_(config.active_set_size, hasher_),
        sketch_(config.depth, config.width),
        cells_at_(static_cast<std::uint32_t>(Set::words_for(config.active_set_size) * kPerWord)),
        buffer_(cells_at_ + Tail::stored_for(sketch_.size()), 0) {
    set_.clear(words());
  }

  bool needs_unique_keys() const override { return true; }

  // Finds where every feature lives, reads all weights before any is written, and sums them up.
  float dot(const SparseRow& x, float threshold, Scratch& s) const override {
    if constexpr (kAdaptive)
      return dot_adaptive(x, threshold, s);
    else
      return dot_plain(x, threshold, s);
  }
  void add(const SparseRow& x, const RowStep& step, Scratch& s) override {
    if constexpr (kAdaptive)
      add_adaptive(x, step, s);
    else
      add_plain(x, -step.gradient, s);
  }
  Energy energy_of(const SparseRow& x, const Scratch& s) const override {
    return kAdaptive && !Set::kIsExact ? s.row.energy : kernels().energy_of(x.values, x.size);
  }

  // Rows of one feature, in awm.cpp: for plain steps, one row of cells and an associative set.
  bool find_rows(const Key* keys, std::size_t n, KeyRows& rows) const override;
  void read_rows(KeyRows& rows, std::size_t first) const override;
  std::size_t step_rows(const KeyRows& rows, std::size_t first, std::size_t most, bool& enters) override;

  void multiply(float factor) override {
    set_.for_each(words(), [&](Key, std::uint32_t word) {
      words().set(word, Slot::nearest(factor * weight_at(word), Slot::squares(words()[word])));
    });
    sketch_.multiply(cells(), factor);
  }
  void multiply_squares(float factor) override {
    set_.for_each(words(), [&](Key, std::uint32_t word) {
      words().set(word, Slot::nearest(weight_at(word), factor * Slot::squares(words()[word])));
    });
    sketch_.multiply_squares(cells(), factor);
  }

  float raw(Key key) const override {
    const std::uint32_t word = word_of(key);
    return word != kNotActive ? weight_at(word) : sketch_.estimate(cells(), hasher_, key);
  }
  double noise() const override { return sketch_.noise(cells()); }
  float own_squares(Key key) const override {
    const std::uint32_t word = word_of(key);
    return word == kNotActive ? 0.0f : Slot::squares(words()[word]);
  }

  // The factors are measured (experiments/error_bars.py). Plain steps: an active weight starts as an estimate, with the
  // noise of its cell. A key enters if it seems heavier than the lightest key of its line; noise up to that weight may
  // have caused this. Adaptive steps: a cell has no noise from other keys, but what a key learned before it had a cell
  // is lost. The loss grows with the weights in the cells, and shrinks with their number.
  double deviation(Key key, double noise, const StepsTaken& steps) const override {
    const std::uint32_t word = word_of(key);
    if constexpr (!kAdaptive) {
      const double lightest = std::abs(weight_at(set_.victim(words(), hasher_.hash(0, key))));
      return word == kNotActive ? noise : std::max(noise, 0.6 * lightest);
    } else {
      if (word == kNotActive) return std::hypot((owns(key) ? 1.0 : 0.65) * noise, 0.25 * steps.first / steps.scale);
      const double of_few_cells = noise / std::sqrt(std::sqrt(sketch_.width()));
      return std::hypot(0.5 * noise, 6.6 * of_few_cells, 0.02 * weight_at(word));
    }
  }
  std::optional<float> largest_cell() const override { return sketch_.largest(cells()); }
  std::size_t owned_cells() const override {
    if constexpr (kAdaptive) return sketch_.owned(cells());
    return 0;
  }

  std::vector<HeavyKey> heavy_keys() const override {
    std::vector<HeavyKey> heavy;
    set_.for_each(words(),
                  [&](Key key, std::uint32_t word) { heavy.push_back({key, weight_at(word), set_.number(word)}); });
    return heavy;
  }
  const Hasher* hasher() const override { return &hasher_; }
  bool is_active(Key key) const override { return word_of(key) != kNotActive; }

  // A key that is active on some sides gets its weight from these sides only. The heaviest of these keys form the new
  // active set. Nothing counts twice: an active key is never read from the cells. What plain steps left of it in the
  // cells of other sides is noise, as after any promotion. A key that finds no slot is written to the cells. With plain
  // steps this is the paper's rule, which *sets* the estimate of the sketch, lightest key first: the heavier of two
  // keys in one cell is then right.
  void merge_same(std::span<const AwmStore* const> stores, const MergePlan& plan) {
    std::vector<const Tail*> sketches;
    std::vector<const Stored*> all_cells;
    for (const AwmStore* store : stores) {
      require_same("active_set_size", set_.capacity(), store->set_.capacity());
      require_same("width", buffer_.size(), store->buffer_.size());
      sketches.push_back(&store->sketch_);
      all_cells.push_back(store->cells());
    }
    std::vector<MergedKey> keys = keys_of_all(stores.first(plan.size()));
    for (MergedKey& one : keys) {
      const auto read = [&](std::size_t i) {
        return MergeReading{stores[i]->raw(one.key), stores[i]->squares_of(one.key), stores[i]->owns(one.key)};
      };
      const MergeReading merged = plan.merged(read, Slot::kResolution);
      one.weight = merged.weight;
      one.squares = merged.squares;
    }
    refill(set_, words(), hasher_, keys);
    if constexpr (kAdaptive) {
      sketch_.merge(cells(), sketches, all_cells, plan, kept_keys(keys));
    } else {
      sketch_.merge(cells(), all_cells, plan);
      for (auto one = keys.rbegin(); one != keys.rend() && eviction_ == Eviction::paper; ++one)
        if (one->slot == kNoSlot) sketch_.set(cells(), hasher_, one->key, one->weight);
    }
    deal_names(names_, keys);
  }

  // The heaviest keys keep slots of their own. All others move into the cells.
  void take(const WeightStore& given) override {
    const auto* const other = dynamic_cast<const AwmStore*>(&given);
    if (other == nullptr || other->sketch_.depth() != sketch_.depth())
      throw std::invalid_argument("cannot change the size: the weights are kept in different kinds of stores");
    std::vector<MergedKey> keys = keys_of_all(std::span(&other, 1));
    for (MergedKey& one : keys) {
      one.weight = other->raw(one.key);
      one.squares = other->squares_of(one.key);
    }
    refill(set_, words(), hasher_, keys);
    if constexpr (kAdaptive) {
      sketch_.take(cells(), other->sketch_, other->cells(), kept_keys(keys));
    } else {
      FoldedCells folded(other->sketch_, other->cells(), sketch_);
      for (const MergedKey& one : keys)
        if (one.slot == kNoSlot && eviction_ == Eviction::paper) folded.add(hasher_, one.key, one.weight);
      folded.write(cells());
    }
    deal_names(names_, keys);
  }

  bool rescale(Key key, float factor) override {
    const std::uint32_t word = word_of(key);
    if (word == kNotActive) return rescale_cell(key, factor);
    set_slot(word, factor * weight_at(word), Slot::squares(words()[word]) / (factor * factor));
    return true;
  }
  void shift(Key key, float amount) override {
    const std::uint32_t word = word_of(key);
    if (word != kNotActive) set_slot(word, weight_at(word) + amount, Slot::squares(words()[word]));
  }

  static std::size_t bytes_for(const StoreConfig& config) {
    return Set::words_for(config.active_set_size) * sizeof(std::uint32_t) +
           Tail::stored_for(std::size_t{config.depth} * config.width) * sizeof(Stored) + Tail::kUnitBytes +
           Set::index_bytes(config.active_set_size) + config.hash_bytes() + config.names_nbytes();
  }
  std::size_t nbytes() const override {
    return buffer_.size() * sizeof(Stored) + Tail::kUnitBytes + Set::index_bytes(set_.capacity()) + hasher_.nbytes() +
           names_.nbytes();
  }
  std::size_t paper_bytes() const override {
    return (kAdaptive ? 12 : 8) * std::size_t{set_.capacity()} + (kAdaptive ? 8 : 4) * sketch_.size();
  }

  void archive(Archive& archive) override {
    set_.archive(archive, words());
    sketch_.archive(archive, cells());
    archive_names(archive, names_);
    if (!archive.loading()) return;
    set_.for_each(words(), [&](Key key, std::uint32_t word) {
      require_state(word_of(key) == word, "an active key stands where it cannot be found");
    });
  }

 private:
  static constexpr std::size_t kPerWord = sizeof(std::uint32_t) / sizeof(Stored);

  ConstWordBuffer words() const { return ConstWordBuffer(buffer_.data()); }
  WordBuffer words() { return WordBuffer(buffer_.data()); }
  const Stored* cells() const { return buffer_.data() + cells_at_; }
  Stored* cells() { return buffer_.data() + cells_at_; }
  std::uint32_t word_of(Key key) const { return set_.find(words(), key, hasher_.hash(0, key)); }
  float weight_at(std::uint32_t word) const { return Slot::weight(words()[word]); }
  float squares_of(Key key) const {
    if constexpr (!kAdaptive)
      return 0;
    else if (const std::uint32_t word = word_of(key); word != kNotActive)
      return Slot::squares(words()[word]);
    else
      return sketch_.estimate_squares(cells(), hasher_, key);
  }
  void set_slot(std::uint32_t word, float weight, float squares) {
    words().set(word, Slot::nearest(weight, squares));
    set_.reorder(words(), word);
  }
  PackedCells packed_cells() const
    requires(kAdaptive)
  {
    return {cells_at_, sketch_.width(), sketch_.unit()};
  }
  // Whether a key has a slot or a cell of its own.
  bool owns(Key key) const {
    if constexpr (kAdaptive)
      if (sketch_.find(cells(), hasher_.hash(0, key)) != TaggedCells::kNone) return true;
    return is_active(key);
  }
  std::vector<TaggedCells::KeptKey> kept_keys(const std::vector<MergedKey>& keys) const {
    std::vector<TaggedCells::KeptKey> kept;
    for (const MergedKey& one : keys) {
      const bool homeless = one.slot == kNoSlot && eviction_ == Eviction::paper;
      kept.push_back({hasher_.hash(0, one.key), one.weight, one.squares, homeless});
    }
    return kept;
  }
  bool rescale_cell(Key key, float factor) {
    if constexpr (kAdaptive) {
      if (const std::uint32_t at = sketch_.find(cells(), hasher_.hash(0, key)); at != TaggedCells::kNone) {
        Stored& cell = cells()[at];
        cell = Cell::nearest(factor * Cell::weight(cell), Cell::squares(cell) / (factor * factor));
        return true;
      }
    }
    return false;
  }
  bool may_enter(float weight, std::uint32_t victim) const {  // from a cell
    return std::abs(weight) > kHeavierToEnter * std::abs(weight_at(victim));
  }

  static void sort_heaviest_first(Scratch& s, std::size_t found, const std::vector<float>& weight) {
    if (found < 2) return;
    if (found <= kMostSorted) return kernels().sort_heaviest_first(weight.data(), found, s.candidates.data());
    std::sort(s.candidates.begin(), s.candidates.begin() + static_cast<std::ptrdiff_t>(found),
              [&](std::uint32_t a, std::uint32_t b) {
                const float left = std::abs(weight[a]), right = std::abs(weight[b]);
                return left > right || (left == right && a < b);
              });
  }

  float dot_plain(const SparseRow& x, float threshold, Scratch& s) const
    requires(!Cell::kAdaptive);
  void add_plain(const SparseRow& x, float step, Scratch& s)
    requires(!Cell::kAdaptive);
  void locate(const SparseRow& x, Scratch& s) const
    requires(!Cell::kAdaptive);
  bool find_active(const SparseRow& x, std::size_t i, Scratch& s) const
    requires(!Cell::kAdaptive);
  float dot_of_many_rows(const SparseRow& x, float threshold, Scratch& s) const
    requires(!Cell::kAdaptive);
  void add_to_one_row(const SparseRow& x, std::size_t found, Scratch& s)
    requires(!Cell::kAdaptive);
  void add_to_many_rows(const SparseRow& x, std::size_t found, Scratch& s)
    requires(!Cell::kAdaptive);
  void step_active(const SparseRow& x, float step, Scratch& s)
    requires(!Cell::kAdaptive);
  template <class WriteBack>
  bool try_to_enter(const SparseRow& x, std::uint32_t i, const Scratch& s, WriteBack write_back)
    requires(!Cell::kAdaptive);

  float dot_adaptive(const SparseRow& x, float threshold, Scratch& s) const
    requires(Cell::kAdaptive);
  void add_adaptive(const SparseRow& x, const RowStep& step, Scratch& s)
    requires(Cell::kAdaptive);
  void locate_one(std::size_t i, Scratch& s) const
    requires(Cell::kAdaptive);
  std::size_t enter_empty(const SparseRow& x, const RowStep& step, std::size_t from, std::size_t n_candidates,
                          Scratch& s)
    requires(Cell::kAdaptive);
  void prefetch_evicted(std::size_t n_candidates, const Scratch& s) const
    requires(Cell::kAdaptive);
  TaggedStep step_one_by_one(const SparseRow& x, const RowStep& step, Scratch& s)
    requires(Cell::kAdaptive);
  void step_slot(const SparseRow& x, std::uint32_t i, const RowStep& step, const Scratch& s)
    requires(Cell::kAdaptive);
  void try_to_own(const SparseRow& x, std::uint32_t i, const RowStep& step, Scratch& s)
    requires(Cell::kAdaptive);

  Eviction eviction_;
  Hasher hasher_;
  Set set_;
  Tail sketch_;
  std::uint32_t cells_at_;
  TableVector<Stored> buffer_;  // the active set's lines or slots, then the sketch's cells
};

}  // namespace wmsketch
