// Which items differ most in their rate between streams a and b? Mixes the two while they are read.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "wmsketch/apps/diff/deltoids_methods.hpp"
#include "wmsketch/data/error.hpp"
#include "wmsketch/rule/forgetting.hpp"

namespace wmsketch {

// Rows of one stream that are still to come: those of a block from `row` on; with `only`, those that have this key,
// which is then no item itself.
struct DeltoidCursor {
  const RowBlock* block = nullptr;
  std::size_t row = 0;
  std::optional<Key> only{};

  bool find_row() {  // moves to the next row that counts; false at the end
    if (block == nullptr) return false;
    while (row < block->size() && only && !has_key(row)) ++row;
    return row < block->size();
  }

 private:
  bool has_key(std::size_t r) const {
    const auto begin = block->keys.begin();
    return std::find(begin + block->starts[r], begin + block->starts[r + 1], *only) != begin + block->starts[r + 1];
  }
};

class Deltoids {
 public:
  // per_item: rates are of all items (words of a text) and not of all rows (packets, rows of a table). half_life: in
  // rows of both streams; 0: nothing is forgotten.
  Deltoids(std::unique_ptr<DeltoidMethod> method, bool per_item, double half_life = 0, const NameSecret& secret = {})
      : method_(std::move(method)),
        per_item_(per_item),
        secret_(secret),
        growth_(1 / HalfLife{.examples = half_life}.kept_by_example()) {}

  // Takes rows of both in turn, the share `share_a` of them from a, until one side has none left. A side without a
  // block is over: the other is taken to its end. Returns how many rows of each were taken.
  std::array<std::size_t, 2> mix(DeltoidCursor& a, DeltoidCursor& b, double share_a) {
    std::array<std::size_t, 2> n_taken{};
    items_.clear();  // of blocks that may be gone, where an earlier call ran out of memory
    for (;;) {
      const bool has_a = a.find_row(), has_b = b.find_row();
      if ((!has_a && a.block != nullptr) || (!has_b && b.block != nullptr) || !(has_a || has_b)) break;
      if (has_a && has_b) due_a_ += share_a;
      const bool take_a = has_a && (!has_b || due_a_ >= 1.0);
      if (take_a && has_b) due_a_ -= 1.0;
      take(take_a ? a : b, take_a ? 0 : 1);
      ++n_taken[take_a ? 0 : 1];
    }
    flush();
    return n_taken;
  }

  const NameSecret& secret() const { return secret_; }  // that names are hashed under, those of the rows too
  const DeltoidTotals& totals() const { return totals_; }
  std::vector<DeltoidRow> rows() const { return method_->rows(totals_); }
  double weight(Key key) const { return method_->weight(key, totals_); }
  std::uint64_t n_tried() const { return method_->n_tried(); }
  std::optional<double> n_distinct() const { return method_->n_distinct(); }
  bool is_whole() const { return method_->is_whole(); }
  std::size_t nbytes() const { return method_->nbytes() + sizeof(totals_) + sizeof(growth_) + sizeof(due_a_); }

  // As if this one had also seen the other's streams.
  void merge(const Deltoids& other) {
    if (other.growth_ != growth_ || other.per_item_ != per_item_ || growth_ != 1)
      throw growth_ != 1 ? merge_error("half_life", "the streams must have no half_life")
                         : merge_error("settings", "both must have the same settings");
    DeltoidTotals both = totals_;
    for (std::size_t s = 0; s < 2; ++s) {
      both.amounts[s] += other.totals_.amounts[s];
      both.rows[s] += other.totals_.rows[s];
    }
    method_->merge(*other.method_, both);
    totals_ = both;
  }
  void archive(Archive& archive) {
    totals_.archive(archive);
    archive.value("due_a", due_a_);
    method_->archive(archive);
  }

 private:
  static constexpr std::size_t kBatch = 256;      // small, so that counts are fresh
  static constexpr double kMostRepetitions = 32;  // of a heavy row

  void take(DeltoidCursor& cursor, int side) {
    const RowBlock& block = *cursor.block;
    const std::size_t row = cursor.row++;
    if (growth_ != 1) forget();
    const auto amount = static_cast<float>((block.weights.empty() ? 1.0 : block.weights[row]) * totals_.unit);
    if (!per_item_) count(side, amount);
    for (auto i = static_cast<std::size_t>(block.starts[row]); i < static_cast<std::size_t>(block.starts[row + 1]);
         ++i) {
      if (cursor.only == block.keys[i]) continue;
      if (per_item_) count(side, amount);
      add(block.keys[i], side, amount, {&block, i});
    }
    if (items_.size() >= kBatch) flush();
  }

  // Later rows count for more; before numbers get large, all are made smaller (by a power of two: nothing is rounded).
  void forget() {
    constexpr double kLarge = 0x1p20;
    totals_.unit *= growth_;
    if (totals_.unit < kLarge) return;
    flush();
    totals_.fade(1 / kLarge);
    method_->fade(1 / kLarge);
  }

  void count(int side, float amount) {
    totals_.rows[static_cast<std::size_t>(side)] += totals_.unit;
    totals_.amounts[static_cast<std::size_t>(side)] += amount;
  }

  // Both streams weigh as much as the shorter one has rows: weights stay near 1 or below, however unequal they are.
  // A row that is much heavier than the mean is learned in several steps, because one large step would overshoot.
  void add(Key key, int side, float amount, DeltoidItems::Place place) {
    const auto s = static_cast<std::size_t>(side);
    const double least = std::min(totals_.rows[0], totals_.rows[1]) / totals_.unit;
    const double weight = totals_.amounts[s] > 0 ? amount * least / totals_.amounts[s] : 0.0;
    const double n = std::clamp(std::ceil(weight), 1.0, kMostRepetitions);
    const auto step = static_cast<float>(std::min(weight / n, 1.0));
    for (double i = 0; i < n; ++i) items_.add(key, side, step, i == 0 ? amount : -1.0f, place);
  }

  void flush() {
    if (items_.size() > 0) method_->learn(items_, totals_);
    items_.clear();
  }

  std::unique_ptr<DeltoidMethod> method_;
  bool per_item_;
  NameSecret secret_;
  DeltoidTotals totals_;
  double growth_;  // of what a row counts for, from row to row
  double due_a_ = 0;
  DeltoidItems items_;  // not learned yet
};

}  // namespace wmsketch
