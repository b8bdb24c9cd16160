// Which items differ most in their rate between streams a and b (section 8.2). Interleaves the two streams as they are
// read.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "wmsketch/apps/diff/diff_methods.hpp"
#include "wmsketch/data/error.hpp"
#include "wmsketch/rule/forgetting.hpp"

namespace wmsketch {

// The remaining rows of one stream: those of a block from `row` on. With `only`, just the rows that contain this key,
// which is then not an item itself.
struct DiffCursor {
  const RowBlock* block = nullptr;
  std::size_t row = 0;
  std::optional<Key> only{};

  bool find_row() {  // moves to the next matching row; false at the end
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

class Diff {
 public:
  // per_item: rates are relative to all items (words of a text), not to all rows (packets, rows of a table). half_life:
  // in rows of both streams; 0: no forgetting.
  Diff(std::unique_ptr<DiffMethod> method, bool per_item, double half_life = 0, const NameSecret& secret = {})
      : method_(std::move(method)),
        per_item_(per_item),
        secret_(secret),
        growth_(1 / HalfLife{.examples = half_life}.kept_by_example()) {}

  // Interleaves rows of both streams, a fraction `share_a` of them from a, until one block is used up. A null block
  // means that the stream has ended; then the other is read to its end. Returns the number of rows read from each.
  std::array<std::size_t, 2> mix(DiffCursor& a, DiffCursor& b, double share_a) {
    std::array<std::size_t, 2> n_taken{};
    items_.clear();  // an earlier call that ran out of memory may have left items of freed blocks
    ones_.items.clear();
    counts_ones_ = counts_ones(a) && counts_ones(b);
    if (counts_ones_) {
      ones_.start(0, a.block);
      ones_.start(1, b.block);
    }
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

  const NameSecret& secret() const { return secret_; }  // seeds the hash of names, also in the rows
  const DiffTotals& totals() const { return totals_; }
  std::vector<DiffRow> rows() const {
    std::vector<DiffRow> rows;
    each_row([&](DiffRow&& row) { rows.push_back(std::move(row)); });
    return rows;
  }
  void each_row(const DiffMethod::UseRow& use) const { method_->each_row(totals_, use); }
  std::size_t n_rows() const { return method_->n_rows(); }  // 0: not known
  double weight(Key key) const { return method_->weight(key, totals_); }
  std::uint64_t n_tried() const { return method_->n_tried(); }
  std::optional<double> n_distinct() const { return method_->n_distinct(); }
  bool is_whole() const { return method_->is_whole(); }
  std::size_t nbytes() const { return method_->nbytes() + sizeof(totals_) + sizeof(growth_) + sizeof(due_a_); }

  void reserve(std::span<const Key> keys) { method_->reserve(keys); }
  void open() { method_->open(); }

  // Adds what the other has seen.
  void merge(const Diff& other) {
    if (other.growth_ != growth_ || other.per_item_ != per_item_ || growth_ != 1)
      throw growth_ != 1 ? merge_error("half_life", "streams with a half_life cannot be merged")
                         : merge_error("settings", "both must have the same settings");
    DiffTotals both = totals_;
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
  static constexpr std::size_t kBatch = 256;      // small, so that counts stay current
  static constexpr std::size_t kLongBlock = 64;   // rows of a block whose slots are worth remembering
  static constexpr double kMostRepetitions = 32;  // of a row with a large weight

  void take(DiffCursor& cursor, int side) {
    const RowBlock& block = *cursor.block;
    const std::size_t row = cursor.row++;
    if (growth_ != 1) forget();
    const auto amount = static_cast<float>((block.weights.empty() ? 1.0 : block.weights[row]) * totals_.unit);
    if (!per_item_) count(side, amount);
    for (auto i = static_cast<std::size_t>(block.starts[row]); i < static_cast<std::size_t>(block.starts[row + 1]);
         ++i) {
      if (cursor.only == block.keys[i]) continue;
      if (per_item_) count(side, amount);
      if (counts_ones_)
        ones_.items.push_back({static_cast<std::uint32_t>(side), static_cast<std::uint32_t>(i)});
      else
        add(block.keys[i], side, amount, {&block, i});
    }
    if (items_.size() + ones_.items.size() >= kBatch) flush();
  }

  // Forgetting: instead of fading all counts, later rows count more. When the unit becomes large, everything is divided
  // by a power of two, which rounds nothing.
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

  // Weights are scaled so that each stream has a total weight of the number of rows in the shorter one. So they stay
  // near 1 or below, however unequal the streams are. A row that is much heavier than average is learned in several
  // steps, because one large step would overshoot.
  void add(Key key, int side, float amount, DiffItems::Place place) {
    const auto s = static_cast<std::size_t>(side);
    const double least = std::min(totals_.rows[0], totals_.rows[1]) / totals_.unit;
    const double weight = totals_.amounts[s] > 0 ? amount * least / totals_.amounts[s] : 0.0;
    const double n = std::clamp(std::ceil(weight), 1.0, kMostRepetitions);
    const auto step = static_cast<float>(std::min(weight / n, 1.0));
    for (double i = 0; i < n; ++i) items_.add(key, side, step, i == 0 ? amount : -1.0f, place);
  }

  void flush() {
    if (items_.size() > 0) method_->learn(items_, totals_);
    if (!ones_.items.empty()) method_->learn_ones(ones_, totals_);
    items_.clear();
    ones_.items.clear();
  }

  // Whether the rows count 1 each, as all did before: then no row is learned in several steps.
  bool counts_ones(const DiffCursor& cursor) const {
    const bool all_1 = growth_ == 1 && totals_.unit == 1 && totals_.amounts == totals_.rows && method_->takes_ones();
    return all_1 && (!cursor.block || (cursor.block->weights.empty() && cursor.block->size() >= kLongBlock &&
                                       !cursor.block->numbered_names().of_features.empty()));
  }

  std::unique_ptr<DiffMethod> method_;
  bool per_item_;
  NameSecret secret_;
  DiffTotals totals_;
  double growth_;  // growth factor of the unit, per row
  double due_a_ = 0;
  DiffItems items_;  // not learned yet
  DiffOnes ones_;    // the same, of rows that count 1 each
  bool counts_ones_ = false;
};

}  // namespace wmsketch
