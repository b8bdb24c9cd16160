// Exact counts of items and pairs, to verify the sketch. The memory grows with the stream.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "wmsketch/data/table_hash.hpp"

namespace wmsketch {

class ExactPairs {
 public:
  explicit ExactPairs(bool directed) : directed_(directed) {}

  std::uint32_t add_item(std::string_view name);  // returns the number of the item
  void add_pair(std::uint32_t u, std::uint32_t v) { ++find(key_of(u, v)); }

  struct Count {
    std::string u, v;
    std::uint64_t count, u_count, v_count;
    double pmi;  // -infinity if the pair never occurred, NaN if one of its items never did
  };
  Count count(std::string_view u, std::string_view v) const;
  std::vector<Count> most_common(std::size_t k) const;

  std::uint64_t n_items() const { return n_items_; }
  std::uint64_t n_pairs() const { return n_pairs_; }
  std::size_t distinct_items() const { return names_.size(); }
  std::size_t distinct_pairs() const { return n_keys_; }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};

  std::uint64_t key_of(std::uint32_t u, std::uint32_t v) const {
    if (!directed_ && v < u) std::swap(u, v);
    return std::uint64_t{u} << 32 | v;
  }
  std::uint64_t& find(std::uint64_t key);  // inserts the key if it is new
  std::size_t place(std::uint64_t key) const;
  void grow();
  Count describe(std::uint32_t u, std::uint32_t v, std::uint64_t pair_count) const;

  bool directed_;
  std::uint64_t n_items_ = 0, n_pairs_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t, SeededHash> numbers_;  // by the hash of the name
  std::vector<std::string> names_;
  std::vector<std::uint64_t> item_counts_;
  std::vector<std::uint64_t> keys_, counts_;  // open addressing
  std::size_t n_keys_ = 0;
};

}  // namespace wmsketch
