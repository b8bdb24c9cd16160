// The classes of a stream in a bounded number of bytes: label, key and count of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/hashing.hpp"
#include "wmsketch/data/sparse_row.hpp"

namespace wmsketch {

// Classes are numbered in order of first appearance. A label is a text that starts with one character for its type
// ('s', 'i' or 'b'), which messages leave out.
class ClassTable {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  static constexpr std::size_t kLabelBytes = 12;  // reserved for each label; long labels borrow from short ones
  static constexpr std::uint32_t kMostClasses = 1u << 21;

  explicit ClassTable(std::uint32_t max_classes, const NameSecret& secret = {});

  std::uint32_t size() const { return size_; }
  std::uint32_t max_classes() const { return max_classes_; }
  std::string_view label(std::uint32_t c) const;
  Key key(std::uint32_t c) const { return keys_[c]; }
  std::uint64_t count(std::uint32_t c) const { return sum_below(c + 1) - sum_below(c); }
  std::uint64_t total() const { return total_; }

  std::uint32_t find(std::string_view label) const;  // kNone: unknown
  // Throws std::invalid_argument if these labels cannot all be added.
  void require_room(std::span<const std::string> labels) const;
  std::uint32_t add(std::string_view label);                      // requires that `require_room` passed
  void see(std::uint32_t c, std::uint64_t times, double weight);  // weight: total of all `times` examples
  void fade(double kept);                                         // multiplies the weights by `kept`; counts stay
  double weight(std::uint32_t c) const { return scale_ * weights_[c]; }
  double total_weight() const { return total_weight_; }

  // The class of the n-th example if all examples were sorted by class. Requires n < total(). Used to draw classes by
  // frequency.
  std::uint32_t class_of_nth(std::uint64_t n) const;

  std::size_t nbytes() const { return bytes_for(max_classes_); }
  static std::size_t bytes_for(std::uint32_t max_classes) {
    return sizeof(total_) + sizeof(total_weight_) + sizeof(scale_) + sizeof(size_) + sizeof(std::uint64_t) +
           std::size_t{max_classes} *
               (sizeof(double) + sizeof(std::uint64_t) + 3 * sizeof(std::uint32_t) + kLabelBytes);
  }
  void archive(Archive& archive);

 private:
  std::uint64_t sum_below(std::uint32_t end) const;
  // by_key_ has sorted runs, whose lengths are the binary digits of the number of classes: 5 * kRun + 7 classes are
  // runs of 4 * kRun, kRun and 7. A class is inserted into the last run; runs of equal length are merged. Inserting
  // each class into one sorted list would take quadratic time.
  static constexpr std::uint32_t kRun = 1024;
  std::uint32_t place_among(std::uint32_t first, std::uint32_t last, Key key) const;  // index into by_key_
  std::uint32_t class_of_key(Key key) const;                                          // kNone: unknown

  std::uint32_t max_classes_, size_ = 0;
  NameSecret secret_;  // seeds the hash of the labels
  std::uint64_t total_ = 0;
  double total_weight_ = 0;
  double scale_ = 1;  // weights are scale * raw, so that one multiplication fades all
  // Full length from the start:
  std::vector<char> texts_;
  std::vector<std::uint32_t> ends_;    // end of each label in texts_
  std::vector<Key> keys_;              // hashes of the labels
  std::vector<std::uint32_t> by_key_;  // classes sorted by key, in runs
  std::vector<double> weights_;        // raw sums of example weights
  std::vector<std::uint64_t> sums_;    // counts as a Fenwick tree: prefix sums and draws in O(log classes)
};

}  // namespace wmsketch
