// WM-Sketch (Algorithm 1): every weight in the sketch; a passive set follows the heaviest keys.
#pragma once

#include <cmath>
#include <vector>

#include "wmsketch/data/aligned.hpp"
#include "wmsketch/sets/active_set.hpp"
#include "wmsketch/stores/sketch_cells.hpp"
#include "wmsketch/stores/store.hpp"

namespace wmsketch {

template <class Set>
class WmStore {
 public:
  static constexpr bool kNeedsUniqueKeys = true;  // a repeated key must not try twice to enter the set

  explicit WmStore(const StoreConfig& config)
      : hasher_(config.hash_family, config.depth, config.seed, config.independence),
        set_(config.active_set_size, hasher_),
        sketch_(config.depth, config.width),
        cells_at_(Set::words_for(config.active_set_size)),
        words_(cells_at_ + sketch_.size(), 0.0f),
        corrections_(config.averaged ? sketch_.size() : 0, 0.0),
        names_(config.named_entries(), config.name_bytes) {
    set_.clear_words(words_.data());
  }

  // Cell and signed value of feature i in row r stand at r * x.size + i of the scratch.
  float dot(const SparseRow& x, float threshold, Scratch& s) const {
    s.fit(x.size * sketch_.depth());
    float sum = 0;
    for (std::uint32_t row = 0; row < sketch_.depth(); ++row) {
      const std::size_t first = row * x.size;
      hasher_.hash_all(row, x.keys, x.size, s.hash.data() + first);
      for (std::size_t i = 0, at = first; i < x.size; ++i, ++at) {
        s.word[at] = static_cast<std::uint32_t>(cells_at_ + sketch_.index(row, s.hash[at]));
        s.raw[at] = soften(words_[s.word[at]], threshold);
        s.signed_value[at] = sign_of(s.hash[at]) * x.values[i];
      }
      sum += kernels().dot(s.raw.data() + first, s.signed_value.data() + first, x.size);
    }
    return sum / static_cast<float>(sketch_.depth());
  }

  void add(const SparseRow& x, float step, Scratch& s) {
    for (std::size_t at = 0; at < x.size * sketch_.depth(); ++at) add_to_cell(s.word[at], step * s.signed_value[at]);
    for (std::size_t i = 0; i < x.size; ++i) follow(x, i, s);
  }

  void multiply(float factor) {
    settle_average();
    for (std::size_t i = cells_at_; i < words_.size(); ++i) words_[i] *= factor;
    set_.for_each(words_.data(), [&](Key, std::uint32_t word) { words_[word] *= factor; });
    count_squared_norm();
  }

  // The weight a query answers with: of the average iterate where averaging is on (Theorem 2), else of the current one.
  // Raw, so an average is divided by the scale that the learner will multiply with.
  float raw(Key key) const {
    if (corrections_.empty()) return sketch_.estimate(cells(), hasher_, key);
    float values[SketchCells::kMostDepth] = {};
    for (std::uint32_t row = 0; row < sketch_.depth(); ++row) {
      const std::uint32_t hash = hasher_.hash(row, key);
      const std::size_t cell = sketch_.index(row, hash);
      values[row] = sign_of(hash) * static_cast<float>(sum_of_iterates(cell) / (averaged_ * scale_));
    }
    return averaged_ == 0 ? 0.0f : SketchCells::median(values, sketch_.depth());
  }
  double noise() const { return sketch_.noise(cells()); }
  float largest_cell() const { return sketch_.largest(cells()); }

  // Called after each example. The sum of iterates is scale_sum * cells + corrections: cells change in few places, so
  // the sum is kept up by correcting just those (in add_to_cell) instead of adding the whole sketch every time.
  void end_example(double scale) {
    if (corrections_.empty()) return;
    if (scale > settled_scale_ || scale < settled_scale_ / 2) {
      // the two terms would cancel more and more as the scale shrinks
      settle_average();
      settled_scale_ = scale;
    }
    scale_sum_ += scale;
    averaged_ += 1;
    scale_ = scale;
  }
  bool averaged() const { return !corrections_.empty(); }
  double squared_norm() const { return squared_norm_ / sketch_.depth(); }  // of the paper's z, raw

  template <class Visit>
  void for_each_heavy(Visit visit) const {
    set_.for_each(words_.data(), [&](Key key, std::uint32_t word) { visit(HeavyKey{key, raw(key), set_.slot(word)}); });
  }
  bool is_heavy(Key key) const { return set_.find(words_.data(), key, hasher_.hash(0, key)) != kNotActive; }
  const NameArena& names() const { return names_; }
  NameArena& names() { return names_; }
  const Hasher& hasher() const { return hasher_; }

  // Cells are linear in the examples, so they average; both sides' heavy keys are then estimated from the new cells.
  void merge(std::span<const WmStore* const> stores, const MergePlan& plan) {
    for (const WmStore* store : stores) {
      require_same("active_set_size", set_.capacity(), store->set_.capacity());
      require_same("width", words_.size(), store->words_.size());
      require_same("averaged", corrections_.size(), store->corrections_.size());
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
    scale_sum_ = 0;  // all of the sum now stands in the corrections
    scale_ = settled_scale_ = 1;
    for (std::size_t w = cells_at_; w < words_.size(); ++w)
      words_[w] = plan.merged([&](std::size_t i) { return MergeReading{stores[i]->words_[w]}; }).weight;
    count_squared_norm();
    for (MergedKey& one : keys) one.weight = sketch_.estimate(cells(), hasher_, one.key);
    refill(set_, words_.data(), hasher_, keys);
    deal_names(names_, keys);
  }

  static std::size_t bytes_for(const StoreConfig& config) {
    const std::size_t cells = std::size_t{config.depth} * config.width;
    return (Set::words_for(config.active_set_size) + cells) * sizeof(float) +
           (config.averaged ? cells * sizeof(double) : 0) + Set::bytes_beside_words(config.active_set_size) +
           config.hash_bytes() + config.names_nbytes();
  }
  std::size_t nbytes() const {
    return words_.size() * sizeof(float) + corrections_.size() * sizeof(double) +
           Set::bytes_beside_words(set_.capacity()) + hasher_.nbytes() + names_.nbytes();
  }
  std::size_t paper_bytes() const { return 8 * std::size_t{set_.capacity()} + 4 * sketch_.size(); }

  void archive(Archive& archive) {
    set_.archive(archive, words_.data());
    archive.fixed("cells", words_.data() + cells_at_, sketch_.size());
    archive.fixed("average_corrections", corrections_.data(), corrections_.size());
    archive.value("average_scale_sum", scale_sum_);
    archive.value("average_count", averaged_);
    archive.value("average_last_scale", scale_);
    archive.value("average_settled_scale", settled_scale_);
    archive.value("squared_norm", squared_norm_);
    archive_names(archive, names_);
    if (archive.loading()) check();
  }

 private:
  const float* cells() const { return words_.data() + cells_at_; }

  double sum_of_iterates(std::size_t cell) const { return scale_sum_ * cells()[cell] + corrections_[cell]; }

  void add_to_cell(std::uint32_t word, float amount) {
    const double before = words_[word];
    words_[word] += amount;
    squared_norm_ += double{words_[word]} * words_[word] - before * before;
    if (!corrections_.empty()) corrections_[word - cells_at_] -= scale_sum_ * (words_[word] - before);
  }

  void settle_average() {
    for (std::size_t cell = 0; cell < corrections_.size(); ++cell) corrections_[cell] += scale_sum_ * cells()[cell];
    scale_sum_ = 0;
  }

  void count_squared_norm() {
    squared_norm_ = 0;
    for (std::size_t i = cells_at_; i < words_.size(); ++i) squared_norm_ += double{words_[i]} * words_[i];
  }

  // The set holds each key with the estimate it had when last seen.
  void follow(const SparseRow& x, std::size_t i, const Scratch& s) {
    if (set_.capacity() == 0) return;
    float values[SketchCells::kMostDepth];
    for (std::uint32_t row = 0; row < sketch_.depth(); ++row) {
      const std::size_t at = row * x.size + i;
      values[row] = sign_of(s.hash[at]) * words_[s.word[at]];
    }
    const float weight = SketchCells::median(values, sketch_.depth());
    const Key key = x.keys[i];
    const std::uint32_t hash = s.hash[i];
    std::uint32_t word = set_.find(words_.data(), key, hash);
    if (word != kNotActive) {
      words_[word] = weight;
      set_.reorder(words_.data(), word);
      return;
    }
    word = set_.victim(words_.data(), hash);
    if (set_.occupied(words_.data(), word) && !(std::abs(weight) > std::abs(words_[word]))) return;
    set_.place(words_.data(), word, key, weight);
    remember_name(names_, set_.slot(word), x, i);
  }

  void check() const {
    for (std::size_t i = cells_at_; i < words_.size(); ++i)
      require_state(std::isfinite(words_[i]), "a cell is not finite");
    require_state(std::isfinite(scale_sum_) && std::isfinite(squared_norm_), "a sum over the cells is not finite");
    for (const double number : {scale_, settled_scale_, averaged_})
      require_state(std::isfinite(number), "the average's scale or count is not finite");
    require_state(scale_ > 0 && settled_scale_ > 0 && averaged_ >= 0, "the average's scale or count is not positive");
    for (const double correction : corrections_) require_state(std::isfinite(correction), "an average is not finite");
    set_.for_each(words_.data(), [&](Key key, std::uint32_t word) {
      require_state(std::isfinite(words_[word]), "a heavy weight is not finite");
      require_state(set_.find(words_.data(), key, hasher_.hash(0, key)) == word,
                    "a heavy key stands where it cannot be found");
    });
  }

  Hasher hasher_;
  Set set_;
  SketchCells sketch_;
  std::size_t cells_at_;
  Words words_;  // the passive set's lines or weights, then the sketch's cells
  std::vector<double> corrections_;
  double scale_sum_ = 0, averaged_ = 0, scale_ = 1, settled_scale_ = 1, squared_norm_ = 0;
  NameArena names_;
};

}  // namespace wmsketch
