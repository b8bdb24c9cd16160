// Which items differ most in their rate between streams a and b? Mixes the two while they are read.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "wmsketch/apps/deltoids_methods.hpp"

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
  // per_item: rates are of all items (words of a text) and not of all rows (packets, rows of a table).
  Deltoids(std::unique_ptr<DeltoidMethod> method, bool per_item) : method_(std::move(method)), per_item_(per_item) {}

  // Takes rows of both in turn, the share `share_a` of them from a, until one side has none left. A side without a
  // block is over: the other is taken to its end. Returns how many rows of each were taken.
  std::array<std::size_t, 2> mix(DeltoidCursor& a, DeltoidCursor& b, double share_a) {
    std::array<std::size_t, 2> n_taken{};
    items_.alone = a.block == nullptr || b.block == nullptr;
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

  const DeltoidTotals& totals() const { return totals_; }
  std::vector<DeltoidRow> rows() const { return method_->rows(totals_); }
  double weight(Key key) const { return method_->weight(key, totals_); }
  std::uint64_t n_tried() const { return method_->n_tried(); }
  std::size_t nbytes() const { return method_->nbytes() + sizeof(totals_) + sizeof(due_a_); }

 private:
  static constexpr std::size_t kBatch = 256;      // small, so that counts are fresh
  static constexpr double kMostRepetitions = 32;  // of a heavy row

  void take(DeltoidCursor& cursor, int side) {
    const RowBlock& block = *cursor.block;
    const std::size_t row = cursor.row++;
    const float amount = block.weights.empty() ? 1.0f : block.weights[row];
    if (!per_item_) count(side, amount);
    for (auto i = static_cast<std::size_t>(block.starts[row]); i < static_cast<std::size_t>(block.starts[row + 1]);
         ++i) {
      if (cursor.only == block.keys[i]) continue;
      if (per_item_) count(side, amount);
      add(block.keys[i], side, amount, {&block, i});
    }
    if (items_.size() >= kBatch) flush();
  }

  void count(int side, float amount) {
    ++totals_.rows[static_cast<std::size_t>(side)];
    totals_.amounts[static_cast<std::size_t>(side)] += amount;
  }

  // Both streams weigh as much as the shorter one has rows: weights stay near 1 or below, however unequal they are.
  // A row that is much heavier than the mean is learned in several steps, because one large step would overshoot.
  void add(Key key, int side, float amount, DeltoidItems::Place place) {
    const auto s = static_cast<std::size_t>(side);
    const auto least = static_cast<double>(std::min(totals_.rows[0], totals_.rows[1]));
    const double weight = totals_.amounts[s] > 0 ? amount * least / totals_.amounts[s] : 0.0;
    const double n = std::clamp(std::ceil(weight), 1.0, kMostRepetitions);
    const auto step = static_cast<float>(std::min(weight / n, 1.0));
    for (double i = 0; i < n; ++i) items_.add(key, side, step, i == 0 ? amount : -1.0f, place);
  }

  void flush() {
    if (items_.size() > 0) method_->learn(items_, totals_);
    items_.clear();
    items_.before = totals_;
  }

  std::unique_ptr<DeltoidMethod> method_;
  bool per_item_;
  DeltoidTotals totals_;
  double due_a_ = 0;
  DeltoidItems items_;  // not learned yet
};

}  // namespace wmsketch
