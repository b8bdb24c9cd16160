// How often an item was seen in each of two streams, for a bounded number of items: those whose weight is largest.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "wmsketch/hashing.hpp"
#include "wmsketch/saturating.hpp"

namespace wmsketch {

// All that was seen of two streams, a and b.
struct DeltoidTotals {
  std::array<double, 2> amounts{};
  std::array<std::uint64_t, 2> rows{};
};

// Of streams a and b, since the item is counted. Without weights, amounts and squares are the rows.
struct PairCount {
  std::array<std::uint32_t, 2> rows{};
  std::array<double, 2> amounts{};
  std::array<float, 2> squares{};  // sums of squared amounts
  std::array<double, 2> since{};   // the totals when counting began
};

class PairCounter {
 public:
  virtual ~PairCounter() = default;
  // `importance`: the item's |weight| now. Where there is no room, the more important item is counted.
  virtual void add(Key key, int side, float amount, float importance, const DeltoidTotals& totals) = 0;
  virtual std::optional<PairCount> find(Key key) const = 0;
  virtual std::uint64_t n_tried() const = 0;  // how often counting an item began
  virtual std::size_t nbytes() const = 0;
};

// Lines of eight items, as in the associative active set. Counting an item begins at zero when it enters: its counts
// are those since then, exactly, and know nothing of why it was let in.
class BoundedPairCounter final : public PairCounter {
 public:
  static constexpr std::uint32_t kWays = 8;

  BoundedPairCounter(std::uint32_t capacity, bool weighted)
      : items_(capacity / kWays * kWays), amounts_(weighted ? items_.size() : 0) {}

  void add(Key key, int side, float amount, float importance, const DeltoidTotals& totals) override {
    if (items_.empty()) return;
    const std::size_t line = line_of(key);
    std::size_t at = line;
    for (std::size_t i = line; i < line + kWays; ++i) {
      if (items_[i].key == key && items_[i].used()) {
        at = i;
        break;
      }
      if (items_[i].importance < items_[at].importance) at = i;
    }
    Item& item = items_[at];
    if (item.key != key || !item.used()) {
      if (!(importance > item.importance)) return;
      item = {key, importance, {}, {static_cast<float>(totals.amounts[0]), static_cast<float>(totals.amounts[1])}};
      ++n_tried_;
      if (!amounts_.empty()) amounts_[at] = {};
    }
    const auto s = static_cast<std::size_t>(side);
    item.importance = importance;
    item.rows[s] = add_saturating(item.rows[s], 1);
    if (amounts_.empty()) return;
    amounts_[at].sums[s] += amount;
    amounts_[at].squares[s] += amount * amount;
  }

  std::optional<PairCount> find(Key key) const override {
    if (items_.empty()) return std::nullopt;
    const std::size_t line = line_of(key);
    for (std::size_t i = line; i < line + kWays; ++i) {
      const Item& item = items_[i];
      if (item.key != key || !item.used()) continue;
      PairCount count{item.rows, {}, {}, {item.since[0], item.since[1]}};
      for (std::size_t s = 0; s < 2; ++s) {
        count.amounts[s] = amounts_.empty() ? item.rows[s] : amounts_[i].sums[s];
        count.squares[s] = amounts_.empty() ? static_cast<float>(item.rows[s]) : amounts_[i].squares[s];
      }
      return count;
    }
    return std::nullopt;
  }

  std::uint64_t n_tried() const override { return n_tried_; }
  std::size_t nbytes() const override {
    return bytes_for(static_cast<std::uint32_t>(items_.size()), !amounts_.empty());
  }
  static std::size_t bytes_for(std::uint32_t capacity, bool weighted) {
    return std::size_t{capacity} * (sizeof(Item) + (weighted ? sizeof(Amounts) : 0));
  }

 private:
  struct Item {
    Key key = 0;
    float importance = -1;  // below zero: the place is free
    std::array<std::uint32_t, 2> rows{};
    std::array<float, 2> since{};
    bool used() const { return importance >= 0; }
  };
  struct Amounts {
    std::array<double, 2> sums{};
    std::array<float, 2> squares{};
  };

  std::size_t line_of(Key key) const {
    const auto n_lines = static_cast<std::uint32_t>(items_.size() / kWays);
    return std::size_t{kWays} * bucket_of(mix(key, {0x5bd1e995u, 0x27d4eb2fu}), n_lines);
  }

  std::vector<Item> items_;
  std::vector<Amounts> amounts_;
  std::uint64_t n_tried_ = 0;
};

// Every item, for the reference without a limit.
class ExactPairCounter final : public PairCounter {
 public:
  void add(Key key, int side, float amount, float, const DeltoidTotals&) override {
    const auto s = static_cast<std::size_t>(side);
    PairCount& count = counts_[key];
    count.rows[s] = add_saturating(count.rows[s], 1);
    count.amounts[s] += amount;
    count.squares[s] += amount * amount;
  }
  std::optional<PairCount> find(Key key) const override {
    const auto found = counts_.find(key);
    return found == counts_.end() ? std::nullopt : std::optional(found->second);
  }
  std::uint64_t n_tried() const override { return counts_.size(); }
  std::size_t nbytes() const override {
    return counts_.size() * (sizeof(Key) + sizeof(PairCount) + sizeof(void*)) + counts_.bucket_count() * sizeof(void*);
  }

 private:
  std::unordered_map<Key, PairCount> counts_;
};

}  // namespace wmsketch
