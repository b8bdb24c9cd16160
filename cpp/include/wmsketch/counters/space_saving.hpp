// Space Saving (Metwally, Agrawal and El Abbadi, 2005): the most frequent keys of a stream, each with an upper bound on
// the error of its count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/sets/keyed_heap.hpp"

namespace wmsketch {

// Guarantees after a total count of n. A monitored key has count - error <= true count <= count. Any other key was seen
// at most `least_count()` times, which is at most n / capacity.
//
// Counts are 64-bit integers. A 32-bit count overflows after hours of packets, and a double stops counting single
// events at 2^53.
class SpaceSaving {
 public:
  SpaceSaving() = default;
  explicit SpaceSaving(std::uint32_t capacity);

  struct Touched {
    std::uint32_t slot;  // of the key; KeyedHeap::kNone if the amount is 0 and the key is not monitored
    bool entered;        // the key is new in this slot: the owner sets its name
    bool replaced;       // another key was evicted from the slot
  };
  Touched update(Key key, std::uint64_t amount = 1);

  struct Estimate {
    std::uint64_t count, error;
    bool monitored;
  };
  struct Bounds {
    std::uint64_t count, low, high;
  };
  Bounds bounds(Key key) const {  // exact limits, not probabilistic
    const Estimate found = estimate(key);
    return {found.count, found.count - found.error, found.count};
  }
  Estimate estimate(Key key) const;  // for an unmonitored key, count = error = least_count()
  std::uint64_t least_count() const { return heap_.full() ? counts_[heap_.least()] : 0; }

  std::uint32_t size() const { return heap_.size(); }
  std::uint32_t capacity() const { return heap_.capacity(); }
  bool full() const { return heap_.full(); }
  std::uint32_t find(Key key) const { return heap_.find(key); }  // its slot, or KeyedHeap::kNone
  Key key(std::uint32_t slot) const { return heap_.key(slot); }
  std::uint64_t count(std::uint32_t slot) const { return counts_[slot]; }
  std::uint64_t error(std::uint32_t slot) const { return errors_[slot]; }
  std::uint64_t total() const { return total_; }      // the sum of all amounts
  std::vector<std::uint32_t> heaviest_slots() const;  // largest (count, key) first

  // Adds the counts of the other stream. The guarantees then hold for both streams together. Slots are reassigned,
  // heaviest first.
  void merge(const SpaceSaving& other);

  std::span<const Key> keys() const { return heap_.keys(); }  // by slot, like counts() and errors()
  std::span<const std::uint64_t> counts() const { return {counts_.data(), size()}; }
  std::span<const std::uint64_t> errors() const { return {errors_.data(), size()}; }
  void restore(std::span<const Key> keys, std::span<const std::uint64_t> counts, std::span<const std::uint64_t> errors,
               std::uint64_t total);
  void archive(Archive& archive);

  std::size_t nbytes() const { return bytes_for(capacity()); }
  static std::size_t bytes_for(std::uint32_t capacity) {
    return KeyedHeap::bytes_for(capacity) + std::size_t{capacity} * 2 * sizeof(std::uint64_t);
  }

 private:
  auto by_count() const {
    return [this](std::uint32_t slot) { return counts_[slot]; };
  }

  KeyedHeap heap_;
  std::vector<std::uint64_t> counts_, errors_;  // by slot
  std::uint64_t total_ = 0;
};

}  // namespace wmsketch
