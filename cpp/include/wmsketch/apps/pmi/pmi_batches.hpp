// What one thread prepares for another that counts or learns: items with their pairs, and examples of the classifier.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wmsketch/apps/pmi/batches_aside.hpp"
#include "wmsketch/apps/pmi/pmi_windows.hpp"

namespace wmsketch {

struct ExampleBatch {
  std::vector<Key> keys;
  std::vector<std::int8_t> labels;
  bool empty() const { return keys.empty(); }
  void clear() {
    keys.clear();
    labels.clear();
  }
};

// Items of a pass. In the pass `items` only their keys, in the pass `candidates` only the hashes of candidates.
struct PairBatch {
  static constexpr std::uint32_t kEnd = 0xffffffffu;  // n_pairs of the end of a sequence
  struct Item {
    Windows::Item item;
    std::uint32_t name_begin, name_size, n_pairs;
  };
  struct Pair {
    Key key;
    std::uint32_t hash, age;
    std::uint32_t score;          // 0: not known yet
    float most;                   // the count of the rarer item
    float log_earlier, log_last;  // the logarithms of the counts
  };
  std::vector<Item> items;
  std::vector<Pair> pairs;
  std::string names;
  std::vector<std::uint32_t> words;  // keys or hashes

  std::string_view name(const Item& item) const {
    return std::string_view(names).substr(item.name_begin, item.name_size);
  }
  bool empty() const { return items.empty(); }
  void clear() {
    items.clear();
    pairs.clear();
    names.clear();
    words.clear();
  }
};

// The last items of a sequence, and what is known of their counts.
class RecentItems {
 public:
  struct Item {
    Key key = 0;
    float count = 0, log_count = 0;
    double doubt = 0;  // standard deviations of a count like this, as a logarithm
  };
  explicit RecentItems(std::uint32_t window) : window_(window) {}
  void clear() { items_.clear(); }
  std::uint32_t size() const { return std::min(window_, static_cast<std::uint32_t>(items_.size())); }
  const Item& operator[](std::uint32_t age) const { return items_[items_.size() - 1 - age]; }  // age 0: the latest
  void add(const Item& item) {
    if (items_.size() >= 2 * std::size_t{window_} + 64) items_.erase(items_.begin(), items_.end() - window_);
    items_.push_back(item);
  }

 private:
  std::uint32_t window_;
  std::vector<Item> items_;
};

}  // namespace wmsketch
