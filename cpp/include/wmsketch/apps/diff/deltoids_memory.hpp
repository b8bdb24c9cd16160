// A set of keys in a fixed number of bits that forgets old keys: a Bloom filter in which new keys clear random bits.
#pragma once

#include <cstdint>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/hashing.hpp"
#include "wmsketch/data/random.hpp"

namespace wmsketch {

// It has false positives, and false negatives for older keys.
class FadingSet {
 public:
  FadingSet(std::uint32_t words, MixerSeeds seeds) : words_(words), seeds_(seeds) {}

  bool has(Key key) const {
    const std::uint32_t hash = mix(key, seeds_);
    return bit(place(hash)) && bit(place(second_hash(hash)));
  }
  void add(Key key, Random& random) {  // clears as many bits as it sets, so that about half stay set
    const std::uint32_t hash = mix(key, seeds_);
    for (int i = 0; i < 2; ++i) {
      const std::uint32_t at = random.below(size());
      words_[at / 64] &= ~(std::uint64_t{1} << at % 64);
    }
    for (const std::uint32_t at : {place(hash), place(second_hash(hash))})
      words_[at / 64] |= std::uint64_t{1} << at % 64;
  }
  void merge(const FadingSet& other) {  // requires the same size and seeds
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  void archive(Archive& archive) { archive.fixed("known", words_.data(), words_.size()); }
  static std::size_t bytes_for(std::uint32_t words) { return words * sizeof(std::uint64_t) + sizeof(MixerSeeds); }

 private:
  std::uint32_t size() const { return static_cast<std::uint32_t>(64 * words_.size()); }
  std::uint32_t place(std::uint32_t hash) const { return bucket_of(hash, size()); }
  bool bit(std::uint32_t at) const { return (words_[at / 64] >> at % 64 & 1u) != 0; }

  std::vector<std::uint64_t> words_;
  MixerSeeds seeds_;
};

}  // namespace wmsketch
