// Entering the active set, and finding places in buffers beyond the caches: the same as the plain definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "wmsketch/data/aligned.hpp"
#include "wmsketch/data/random.hpp"
#include "wmsketch/sets/line_set.hpp"
#include "wmsketch/simd/kernels.hpp"
#include "wmsketch/simd/scratch.hpp"
#include "wmsketch/slots/packed_cell.hpp"
#include "wmsketch/slots/packed_slot.hpp"
#include "wmsketch/stores/tagged_cells.hpp"

namespace wmsketch {
namespace {

TEST(SortHeaviestFirst, SortsAsAStableSortDoes) {
  Random random{5};
  for (std::size_t n = 0; n <= kMostSorted; ++n) {
    std::vector<float> weight(2 * n + 1);
    for (float& one : weight) one = (static_cast<float>(random.below(7)) - 3.0f) / 8.0f;  // most are as heavy as others
    std::vector<std::uint32_t> indices(n);
    for (std::uint32_t i = 0; i < n; ++i) indices[i] = 2 * i + random.below(2);
    std::vector<std::uint32_t> wanted = indices;
    std::stable_sort(wanted.begin(), wanted.end(),
                     [&](auto a, auto b) { return std::abs(weight[a]) > std::abs(weight[b]); });
    for (const Kernels* table : all_kernels()) {
      std::vector<std::uint32_t> sorted = indices;
      table->sort_heaviest_first(weight.data(), n, sorted.data());
      EXPECT_EQ(sorted, wanted) << table->name << " " << n;
    }
  }
}

using Set = LineSet<PackedSlot>;

// A set and tagged cells in one buffer, of which keys below `n_keys` take about half.
struct Places {
  Places(std::uint32_t capacity, std::uint32_t width, std::uint32_t n_keys, Random& random)
      : hasher(HashFamily::mixer, 1, 7),
        set(capacity, hasher),
        tagged(1, width),
        first(static_cast<std::uint32_t>(Set::words_for(capacity) * 2)),
        half_words(first + TaggedCells::stored_for(width), 0) {
    const WordBuffer words(half_words.data());
    set.clear(words);
    for (Key key = 0; key < n_keys; ++key) {
      const auto weight = static_cast<float>(random.uniform() - 0.5);
      const std::uint32_t hash = hasher.hash(0, key), word = set.victim(words, hash);
      if (random.below(2) == 0 && !set.occupied(words, word))
        set.place(words, word, key, PackedSlot::nearest(weight, 1));
      else if (random.below(2) == 0 && tagged.has_room(cells(), hash))
        tagged.give(cells(), hash, PackedCell::nearest(weight, 1));
    }
  }
  std::uint16_t* cells() { return half_words.data() + first; }
  PackedBuffer buffer() const { return {half_words.data(), set.lines(), tagged.width(), 1}; }
  void locate(const Kernels& table, const std::vector<Key>& keys, std::size_t from, std::size_t n, Scratch& s) const {
    const std::vector<float> ones(n, 1.0f);
    s.fit(n);
    hasher.hash_all(0, keys.data() + from, n, s.hash.data());
    table.locate_tagged(buffer(), keys.data() + from, ones.data(), n, s.located_packed(), s.row);
  }

  Hasher hasher;
  Set set;
  TaggedCells tagged;
  std::uint32_t first;
  TableVector<std::uint16_t> half_words;
};

std::vector<Key> different_keys(std::size_t n, std::uint32_t below, Random& random) {
  std::vector<Key> keys(below);
  std::iota(keys.begin(), keys.end(), 0);
  for (std::size_t i = 0; i < n; ++i) std::swap(keys[i], keys[i + random.below(below - static_cast<std::uint32_t>(i))]);
  keys.resize(n);
  return keys;
}

TEST(FarBuffers, HaveThePlacesThatShortRowsFind) {
  Random random{11};
  const Places places(8 * 2048, 8 * 20'000, 40'000, random);
  for (const std::size_t n : {9u, 31u, 40u, 64u, 333u}) {
    const std::vector<Key> keys = different_keys(n, 50'000, random);
    for (const Kernels* table : all_kernels()) {
      Scratch whole, part;
      places.locate(*table, keys, 0, n, whole);
      for (std::size_t from = 0; from < n; from += 8) {
        const std::size_t some = std::min<std::size_t>(8, n - from);
        places.locate(*table, keys, from, some, part);
        for (std::size_t i = 0; i < some; ++i) {
          EXPECT_EQ(whole.word[from + i], part.word[i]) << table->name << " " << n << " " << from + i;
          EXPECT_EQ(whole.line[from + i], part.line[i]);
          EXPECT_EQ(whole.raw[from + i], part.raw[i]);
        }
      }
    }
  }
}

TEST(EnterEmpty, PlacesCandidatesUpToTheFirstWhoseLineIsFull) {
  Random random{13};
  const RowStep step{.gradient = 0.5f};
  std::size_t entered = 0, stopped = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Places places(8 * 16, 8 * 16, 60 + random.below(120), random);
    const std::vector<Key> keys = different_keys(20, 400, random);
    for (const Kernels* table : all_kernels()) {
      Places by_kernel = places, by_hand = places;
      Scratch s;
      places.locate(*table, keys, 0, keys.size(), s);
      std::size_t n = 0;
      for (std::uint32_t i = 0; i < keys.size(); ++i) {
        s.stepped[i] = 0.25f + 0.5f * static_cast<float>(i) / 64;
        if (s.word[i] >= places.first) s.candidates[n++] = i;
      }
      const std::vector<std::uint32_t> lines = s.line;
      const std::size_t next = table->enter_empty(by_kernel.half_words.data(), {places.first, places.tagged.width(), 1},
                                                  places.set.empty_keys(), keys.data(), step, 0, n, s.located_packed());
      const WordBuffer words(by_hand.half_words.data());
      std::size_t wanted = 0;
      for (; wanted < n; ++wanted) {
        const std::uint32_t i = s.candidates[wanted], word = by_hand.set.victim(words, s.hash[i]);
        if (by_hand.set.occupied(words, word)) break;
        by_hand.tagged.free(by_hand.cells(), s.hash[i]);
        by_hand.set.place(words, word, keys[i], PackedSlot::nearest(s.stepped[i], s.squares[i] + 0.25f));
        EXPECT_EQ(s.line[i], word);
        EXPECT_EQ(s.word[i], 0u);
      }
      EXPECT_EQ(next, wanted);
      EXPECT_EQ(by_kernel.half_words, by_hand.half_words);
      for (std::size_t c = next; c < n; ++c) EXPECT_EQ(s.line[s.candidates[c]], lines[s.candidates[c]]);
      entered += next;
      stopped += next < n;
    }
  }
  EXPECT_GT(entered, 1000u);
  EXPECT_GT(stopped, 100u);
}

}  // namespace
}  // namespace wmsketch
