// The classes of a stream in a bounded number of bytes: what each is called, its key, and how often it was seen.
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

// Classes are numbered in the order of their first appearance. A label is a text behind one character that tells its
// kind ('s', 'i' or 'b'), which messages leave out.
class ClassTable {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  static constexpr std::size_t kLabelBytes = 12;  // set aside for each label; long ones borrow from short ones
  static constexpr std::uint32_t kMostClasses = 1u << 21;

  explicit ClassTable(std::uint32_t max_classes, const NameSecret& secret = {});

  std::uint32_t size() const { return size_; }
  std::uint32_t max_classes() const { return max_classes_; }
  std::string_view label(std::uint32_t c) const;
  Key key(std::uint32_t c) const { return keys_[c]; }
  std::uint64_t count(std::uint32_t c) const { return sum_below(c + 1) - sum_below(c); }
  std::uint64_t total() const { return total_; }

  std::uint32_t find(std::string_view label) const;  // kNone: not known
  // Throws std::invalid_argument if these labels cannot all be added.
  void require_room(std::span<const std::string> labels) const;
  std::uint32_t add(std::string_view label);                      // which `require_room` has let pass
  void see(std::uint32_t c, std::uint64_t times, double weight);  // weight: of all of them together
  void fade(double kept);                                         // so much is left of the weights; counts stay
  double weight(std::uint32_t c) const { return scale_ * weights_[c]; }
  double total_weight() const { return total_weight_; }

  // The class of the n-th example seen, if they lay sorted by class; n is below `total`.
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
  // The classes stand in sorted runs as long as the binary digits of their number say: 5 * kYoung + 7 classes are runs
  // of 4 * kYoung, kYoung and 7. A class is inserted into the last run; runs that become equally long are merged. To
  // insert each class among all would take a time quadratic in their number.
  static constexpr std::uint32_t kYoung = 1024;
  std::uint32_t place_among(std::uint32_t first, std::uint32_t last, Key key) const;  // in by_key_
  std::uint32_t class_of_key(Key key) const;                                          // kNone: not known

  std::uint32_t max_classes_, size_ = 0;
  NameSecret secret_;  // that labels are hashed under
  std::uint64_t total_ = 0;
  double total_weight_ = 0;
  double scale_ = 1;  // weights are scale * raw, so that all fade at once
  // of their full length from the start
  std::vector<char> texts_;
  std::vector<std::uint32_t> ends_;    // of the labels in texts_
  std::vector<Key> keys_;              // hashes of the labels
  std::vector<std::uint32_t> by_key_;  // the classes sorted by key, in runs
  std::vector<double> weights_;        // raw sums of the examples' weights
  std::vector<std::uint64_t> sums_;    // counts as a Fenwick tree: sums and draws in log(classes) steps
};

}  // namespace wmsketch
