// The WM-Sketch (Algorithm 1) and MISSION. All weights are in the sketch; a passive set tracks the heaviest keys.
#pragma once

#include <cmath>
#include <optional>
#include <type_traits>
#include <vector>

#include "wmsketch/data/aligned.hpp"
#include "wmsketch/sets/exact_set.hpp"
#include "wmsketch/sets/line_set.hpp"
#include "wmsketch/simd/sketch_kernels.hpp"
#include "wmsketch/slots/float_slot.hpp"
#include "wmsketch/stores/sketch_cells.hpp"
#include "wmsketch/stores/store.hpp"

namespace wmsketch {

// from_set is MISSION (Aghazadeh and others, ICML 2018). Gradients go into the sketch, but predictions use only the
// keys in the set, with the estimate of when each was last seen. All other weights are 0.
enum class Predicts : std::uint8_t { from_cells, from_set };

template <class Set, class Cell, Predicts kPredicts = Predicts::from_cells>
class WmStore final : public NamedStoreOf<WmStore<Set, Cell, kPredicts>> {
  static constexpr bool kFromSet = kPredicts == Predicts::from_set;
  using NamedStoreOf<WmStore>::names_;
  using NamedStoreOf<WmStore>::remember_name;
  using Slot = typename Set::Slot;
  using Stored = typename Cell::Stored;
  static constexpr bool kIsFloat = std::is_same_v<Stored, float>;

 public:
  explicit WmStore(const StoreConfig& config)
      : NamedStoreOf<WmStore>(config),
        hasher_(config.hash_family, config.depth, config.seed, config.independence),
        set_(config.active_set_size, hasher_),
        sketch_(config.depth, config.width),
        cells_at_(Set::words_for(config.active_set_size) * sizeof(std::uint32_t) / sizeof(Stored)),
        buffer_(cells_at_ + sketch_.size(), 0),
        corrections_(config.averaged ? sketch_.size() : 0, 0.0) {
    set_.clear(words());
  }

  bool needs_unique_keys() const override { return true; }  // a repeated key would enter the set twice

  // In the scratch, cell and signed value of feature i in sketch row r are at r * x.size + i.
  float dot(const SparseRow& x, float threshold, Scratch& s) const override {
    s.fit(x.size * sketch_.depth());
    float sum = 0;
    for (std::uint32_t row = 0; row < sketch_.depth(); ++row) {
      const std::size_t first = row * x.size;
      hasher_.hash_all(row, x.keys, x.size, s.hash.data() + first);
      if constexpr (kIsFloat) {
        if (kFromSet || threshold == 0) {
          const CellRow cell_row{row * sketch_.width(), sketch_.width()};
          sum += sketch_kernels().read_cells(cells(), cell_row, s.hash.data() + first, x.values, x.size,
                                             s.word.data() + first, s.signed_value.data() + first);
          continue;
        }
      }
      for (std::size_t i = 0, at = first; i < x.size; ++i, ++at) {
        s.word[at] = static_cast<std::uint32_t>(sketch_.index(row, s.hash[at]));
        s.signed_value[at] = sign_of(s.hash[at]) * x.values[i];
        if constexpr (!kFromSet) s.raw[at] = soften(Cell::weight(cells()[s.word[at]]), threshold);
      }
      // lanes beyond the end, which `medians` reads: they may hold places of another model
      std::fill_n(s.word.begin() + static_cast<std::ptrdiff_t>(first + x.size), Scratch::kBeyond, 0u);
      if constexpr (!kFromSet) sum += kernels().dot(s.raw.data() + first, s.signed_value.data() + first, x.size);
    }
    if constexpr (kFromSet) {
      for (std::size_t i = 0; i < x.size; ++i) s.raw[i] = soften(weight_in_set(x.keys[i], s.hash[i]), threshold);
      return kernels().dot(s.raw.data(), x.values, x.size);
    }
    return sum / static_cast<float>(sketch_.depth());
  }

  void add(const SparseRow& x, const RowStep& given, Scratch& s) override {
    const RowStep step = given;  // a copy: with aliasing, the compiler would reload `given` after each store
    const std::size_t n_cells = x.size * sketch_.depth();
    norm_is_stale_ = !Cell::kAdaptive && !follows_norm_;
    if (norm_is_stale_ && corrections_.empty())
      for (std::size_t at = 0; at < n_cells; ++at)
        sketch_.step(cells()[s.word[at]], step, s.signed_value[at], s.hash[at]);
    else
      for (std::size_t at = 0; at < n_cells; ++at) step_cell(s.word[at], step, s.signed_value[at], s.hash[at]);
    if (set_.capacity() == 0) return;
    estimate_all(x.size, s);
    for (std::size_t i = follow_known(x, 0, s); i < x.size; i = follow_known(x, i + 1, s))
      follow(x, i, s.estimate[i], s.hash[i]);
  }

  void multiply(float factor) override {
    settle_average();
    sketch_.multiply(cells(), factor);
    set_.for_each(words(), [&](Key, std::uint32_t word) {
      words().set(word, Slot::nearest(factor * Slot::weight(words()[word]), 0));
    });
    count_squared_norm();
  }
  void multiply_squares(float factor) override { sketch_.multiply_squares(cells(), factor); }

  // The estimate of a weight: from the average of the iterates if averaging is on (Theorem 2), else from the current
  // one. The result is raw, so an average is divided by the scale with which the learner will multiply.
  float raw(Key key) const override {
    if constexpr (kFromSet) return weight_in_set(key, hasher_.hash(0, key));
    if (corrections_.empty()) return sketch_.estimate(cells(), hasher_, key);
    float values[SketchCells<Cell>::kMostDepth] = {};
    for (std::uint32_t row = 0; row < sketch_.depth(); ++row) {
      const std::uint32_t hash = hasher_.hash(row, key);
      const std::size_t cell = sketch_.index(row, hash);
      values[row] = sign_of(hash) * average(cell);
    }
    return averaged_ == 0 ? 0.0f : SketchCells<Cell>::median(values, sketch_.depth());
  }
  // Unknown for MISSION: weights outside the set never entered a prediction.
  double noise() const override { return kFromSet ? std::nan("") : sketch_.noise(cells()); }
  std::optional<float> largest_cell() const override { return sketch_.largest(cells()); }

  // Called after each example if averaging is on. The sum of all iterates is scale_sum * cells + corrections. A step
  // changes few cells, so `step_cell` corrects only those, instead of adding the whole sketch for every example.
  void end_example(double scale) override {
    if (scale > settled_scale_ || scale < settled_scale_ / 2) {
      // as the scale shrinks, the two terms would cancel more and more
      settle_average();
      settled_scale_ = scale;
    }
    scale_sum_ += scale;
    averaged_ += 1;
    scale_ = scale;
  }
  // The squared norm of the paper's z, raw. From the first query on, each step updates it.
  double squared_norm() const override {
    if (norm_is_stale_) count_squared_norm();
    follows_norm_ = true;
    return squared_norm_ / sketch_.depth();
  }

  std::vector<HeavyKey> heavy_keys() const override {
    std::vector<HeavyKey> heavy;
    set_.for_each(words(), [&](Key key, std::uint32_t word) { heavy.push_back({key, raw(key), set_.number(word)}); });
    return heavy;
  }
  const Hasher* hasher() const override { return &hasher_; }

  // Cells are linear in the examples, so they can be averaged. The heavy keys of all sides are then estimated from the
  // merged cells.
  void merge_same(std::span<const WmStore* const> stores, const MergePlan& plan) {
    std::vector<const Stored*> all_cells;
    for (const WmStore* store : stores) {
      require_same("active_set_size", set_.capacity(), store->set_.capacity());
      require_same("width", buffer_.size(), store->buffer_.size());
      require_same("averaged", corrections_.size(), store->corrections_.size());
      all_cells.push_back(store->cells());
    }
    std::vector<MergedKey> keys = keys_of_all(stores);
    const auto sum = [&](auto of) {
      double all = plan.based ? (1.0 - static_cast<double>(plan.size())) * of(*stores.back()) : 0.0;
      for (std::size_t i = 0; i < plan.size(); ++i) all += of(*stores[i]);
      return all;
    };
    for (std::size_t c = 0; c < corrections_.size(); ++c)
      corrections_[c] = sum([&](const WmStore& store) { return store.sum_of_iterates(c); });
    averaged_ = std::max(sum([](const WmStore& store) { return store.averaged_; }), 0.0);
    scale_sum_ = 0;  // the corrections now hold the whole sum
    scale_ = settled_scale_ = 1;
    sketch_.merge(cells(), all_cells, plan);
    count_squared_norm();
    for (MergedKey& one : keys) one.weight = sketch_.estimate(cells(), hasher_, one.key);
    refill(set_, words(), hasher_, keys);
    deal_names(names_, keys);
  }

  static std::size_t bytes_for(const StoreConfig& config) {
    const std::size_t cells = std::size_t{config.depth} * config.width;
    return Set::words_for(config.active_set_size) * sizeof(std::uint32_t) + cells * sizeof(Stored) +
           (config.averaged ? cells * sizeof(double) : 0) + Set::index_bytes(config.active_set_size) +
           config.hash_bytes() + config.names_nbytes();
  }
  std::size_t nbytes() const override {
    return buffer_.size() * sizeof(Stored) + corrections_.size() * sizeof(double) + Set::index_bytes(set_.capacity()) +
           hasher_.nbytes() + names_.nbytes();
  }
  std::size_t paper_bytes() const override {
    return 8 * std::size_t{set_.capacity()} + (Cell::kAdaptive ? 8 : 4) * sketch_.size();
  }

  void archive(Archive& archive) override {
    set_.archive(archive, words());
    sketch_.archive(archive, cells());
    if constexpr (!Cell::kAdaptive) {
      archive.fixed("average_corrections", corrections_.data(), corrections_.size());
      archive.value("average_scale_sum", scale_sum_);
      archive.value("average_count", averaged_);
      archive.value("average_last_scale", scale_);
      archive.value("average_settled_scale", settled_scale_);
      double norm = norm_is_stale_ ? counted_squared_norm() : squared_norm_;  // saving changes nothing
      archive.value("squared_norm", norm);
      if (archive.loading()) squared_norm_ = norm;
    }
    archive_names(archive, names_);
    if (archive.loading()) norm_is_stale_ = false;
    if (archive.loading()) check();
  }

 private:
  ConstWordBuffer words() const { return ConstWordBuffer(buffer_.data()); }
  WordBuffer words() { return WordBuffer(buffer_.data()); }
  const Stored* cells() const { return buffer_.data() + cells_at_; }
  Stored* cells() { return buffer_.data() + cells_at_; }

  float weight_in_set(Key key, std::uint32_t hash) const {
    const std::uint32_t word = set_.find(words(), key, hash);
    return word == kNotActive ? 0.0f : Slot::weight(words()[word]);
  }

  double sum_of_iterates(std::size_t cell) const {
    return scale_sum_ * Cell::weight(cells()[cell]) + corrections_[cell];
  }
  float average(std::size_t cell) const { return static_cast<float>(sum_of_iterates(cell) / (averaged_ * scale_)); }

  void step_cell(std::uint32_t at, const RowStep& step, float signed_value, std::uint32_t hash) {
    Stored& cell = cells()[at];
    const double before = Cell::weight(cell);
    sketch_.step(cell, step, signed_value, hash);
    if constexpr (Cell::kAdaptive) return;  // adaptive steps have neither averaging nor projection
    const double after = Cell::weight(cell);
    squared_norm_ += after * after - before * before;
    if (!corrections_.empty()) corrections_[at] -= scale_sum_ * (after - before);
  }

  void settle_average() {
    for (std::size_t cell = 0; cell < corrections_.size(); ++cell)
      corrections_[cell] += scale_sum_ * Cell::weight(cells()[cell]);
    scale_sum_ = 0;
  }

  double counted_squared_norm() const {
    double norm = 0;
    for (std::size_t i = 0; i < sketch_.size(); ++i)
      norm += double{Cell::weight(cells()[i])} * Cell::weight(cells()[i]);
    return norm;
  }
  void count_squared_norm() const {
    norm_is_stale_ = false;
    squared_norm_ = counted_squared_norm();
  }

  // The estimates of a row's features, whose cells have just been stepped.
  void estimate_all(std::size_t n, Scratch& s) const {
    if constexpr (kIsFloat) {
      sketch_kernels().medians(cells(), s.word.data(), s.hash.data(), n, sketch_.depth(), s.estimate.data());
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        float values[SketchCells<Cell>::kMostDepth] = {};
        for (std::uint32_t row = 0; row < sketch_.depth(); ++row)
          values[row] = sign_of(s.hash[row * n + i]) * Cell::weight(cells()[s.word[row * n + i]]);
        s.estimate[i] = SketchCells<Cell>::median(values, sketch_.depth());
      }
    }
  }

  // Follows features from `first` on for as long as none enters the set, and returns the next one.
  std::size_t follow_known(const SparseRow& x, std::size_t first, const Scratch& s) {
    if constexpr (!std::is_same_v<Set, LineSet<FloatSlot>> || !kIsFloat)
      return first;
    else
      return sketch_kernels().follow(buffer_.data(), set_.lines(), x.keys, s.hash.data(), s.estimate.data(), first,
                                     x.size);
  }

  // Updates the set, which holds each key with its estimate of when it was last seen.
  void follow(const SparseRow& x, std::size_t i, float weight, std::uint32_t hash) {
    const Key key = x.keys[i];
    std::uint32_t word = set_.find(words(), key, hash);
    if (word != kNotActive) {
      words().set(word, Slot::nearest(weight, 0));
      set_.reorder(words(), word);
      return;
    }
    word = set_.victim(words(), hash);
    if (set_.occupied(words(), word) && !(std::abs(weight) > std::abs(Slot::weight(words()[word])))) return;
    set_.place(words(), word, key, Slot::nearest(weight, 0));
    remember_name(set_.number(word), x, i);
  }

  void check() const {
    require_state(std::isfinite(scale_sum_) && std::isfinite(squared_norm_), "a sum over the cells is not finite");
    for (const double number : {scale_, settled_scale_, averaged_})
      require_state(std::isfinite(number), "the average's scale or count is not finite");
    require_state(scale_ > 0 && settled_scale_ > 0 && averaged_ >= 0, "the average's scale or count is not positive");
    for (std::size_t cell = 0; cell < corrections_.size(); ++cell)
      require_state(std::isfinite(corrections_[cell]) && (averaged_ == 0 || std::isfinite(average(cell))),
                    "an average is not finite");
    set_.for_each(words(), [&](Key key, std::uint32_t word) {
      require_state(set_.find(words(), key, hasher_.hash(0, key)) == word,
                    "a heavy key is in a place where lookups cannot find it");
    });
  }

  Hasher hasher_;
  Set set_;
  SketchCells<Cell> sketch_;
  std::size_t cells_at_;
  TableVector<Stored> buffer_;  // lines or weights of the passive set, then the cells
  std::vector<double> corrections_;
  double scale_sum_ = 0, averaged_ = 0, scale_ = 1, settled_scale_ = 1;
  mutable double squared_norm_ = 0;
  mutable bool follows_norm_ = false, norm_is_stale_ = false;  // whether steps update the norm; whether it is outdated
};

}  // namespace wmsketch
