// AWM-Sketch (Algorithm 2): heavy keys exactly in an active set, the tail in a sketch.
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "wmsketch/data/aligned.hpp"
#include "wmsketch/sets/active_set.hpp"
#include "wmsketch/stores/sketch_cells.hpp"
#include "wmsketch/stores/store.hpp"

namespace wmsketch {

namespace inlined {  // the kernels once more, for keys that come one at a time
#include "wmsketch/simd/kernels.inl"
}  // namespace inlined

template <class Set>
class AwmStore {
 public:
  static constexpr bool kNeedsUniqueKeys = true;

  explicit AwmStore(const StoreConfig& config)
      : eviction_(config.eviction),
        hasher_(config.hash_family, config.depth, config.seed, config.independence),
        set_(config.active_set_size, hasher_),
        sketch_(config.depth, config.width),
        cells_at_(static_cast<std::uint32_t>(Set::words_for(config.active_set_size))),
        words_(cells_at_ + sketch_.size(), 0.0f),
        names_(config.named_entries(), config.name_bytes) {
    set_.clear_words(words_.data());
  }

  // Finds where every feature lives, reads all weights before any is written, and sums them up.
  float dot(const SparseRow& x, float threshold, Scratch& s) const {
    s.fit(x.size);
    hasher_.hash_all(0, x.keys, x.size, s.hash.data());
    if (sketch_.depth() == 1) {
      locate(x, s);
      if (threshold == 0.0f) return kernels().dot(s.raw.data(), s.signed_value.data(), x.size);
      for (std::size_t i = 0; i < x.size; ++i) s.estimate[i] = soften(s.raw[i], threshold);
      return kernels().dot(s.estimate.data(), s.signed_value.data(), x.size);
    }
    return dot_of_many_rows(x, threshold, s);
  }

  // Active weights step first, then candidates enter heaviest first, then the rest of the tail steps.
  void add(const SparseRow& x, float step, Scratch& s) {
    if constexpr (Set::kNeedsReordering) step_active(x, step, s);
    const float* before = sketch_.depth() == 1 ? s.raw.data() : s.estimate.data();
    const std::size_t found = kernels().find_candidates(before, s.signed_value.data(), step, s.lightest.data(), x.size,
                                                        s.delta.data(), s.candidates.data());
    for (std::size_t c = 0; c < found; ++c) {
      const std::uint32_t i = s.candidates[c];
      const float stepped = before[i] + s.delta[i];
      s.entering[i] = sketch_.depth() == 1 ? sign_of(s.hash[i]) * stepped : stepped;
    }
    if (found > 1) sort_heaviest_first(s, found);
    if (sketch_.depth() == 1) {
      add_to_one_row(x, found, s);
    } else {
      add_to_many_rows(x, found, s);
    }
  }

  // For rows of one feature of value 1 (OnlineLinear::learn_keys): `locate` of one feature, without a call. First where
  // keys may live, for many at once; it stays so, and memory is asked for it. Then where one does live, and its sign.
  template <std::size_t kMost>
  struct Homes {
    std::array<Key, kMost> key;
    std::array<std::uint32_t, kMost> hash, line, cell;
  };
  struct Place {
    std::uint32_t word, line, active;  // all ones or none
    float raw, sign;
  };
  static constexpr bool kHasPlaces = !Set::kNeedsReordering;
  bool has_places() const { return kHasPlaces && sketch_.depth() == 1; }
  template <std::size_t kMost>
  void find_homes(const Key* keys, std::size_t n, Homes<kMost>& homes) const {
    std::fill(std::copy_n(keys, n, homes.key.begin()), homes.key.end(), 0);
    hasher_.hash_all(0, homes.key.data(), kMost, homes.hash.data());
    const std::uint32_t lines = set_.lines(), width = sketch_.width();
    for (std::size_t i = 0; i < kMost; ++i) {
      homes.line[i] = bucket_of(second_hash(homes.hash[i]), lines) * kLineWords;
      homes.cell[i] = cells_at_ + bucket_of(homes.hash[i], width);
    }
    for (std::size_t i = 0; i < n; ++i) {
      __builtin_prefetch(words_.data() + homes.line[i]);
      __builtin_prefetch(words_.data() + homes.cell[i], 1);
    }
  }
  template <std::size_t kMost>
  Place place_of(const Homes<kMost>& homes, std::size_t i) const {
    const std::uint32_t line = homes.line[i], hit = inlined::matches(words_.data() + line, homes.key[i]);
    const std::uint32_t active = -static_cast<std::uint32_t>(hit != 0);
    const std::uint32_t weight = line + kWays + static_cast<std::uint32_t>(__builtin_ctz(hit | 0x100u));
    const std::uint32_t word = (weight & active) | (homes.cell[i] & ~active);
    return {word, line, active, words_[word], inlined::float_of(0x3f800000u ^ (sign_bit_of(homes.hash[i]) & ~active))};
  }
  // Whether the weight at places[i] is that of a place before it.
  static bool meets_earlier(const Place* places, std::size_t i) {
    bool meets = false;
    for (std::size_t j = 0; j < i; ++j) meets |= places[j].word == places[i].word;
    return meets;
  }
  // False: the key wants to enter the active set, which takes `dot` and `add`.
  bool step(const Place& place, float step) {
    const float delta = step * place.sign;
    const std::uint32_t lightest = inlined::bits_of(inlined::lightest_of(words_.data() + place.line + kWays));
    if (std::abs(place.raw + delta) > inlined::float_of((lightest & ~place.active) | (0x7f800000u & place.active)))
      return false;
    words_[place.word] = place.raw + delta;
    return true;
  }
  std::uint32_t slot_of(Key key) const {  // of its name, or kNotActive
    const std::uint32_t word = word_of(key);
    return word == kNotActive ? kNotActive : set_.slot(word);
  }

  void multiply(float factor) {
    for_each_heavy([&](const HeavyKey& heavy) { words_[word_of(heavy.key)] *= factor; });
    for (std::size_t i = cells_at_; i < words_.size(); ++i) words_[i] *= factor;
  }

  float raw(Key key) const {
    const std::uint32_t word = word_of(key);
    return word != kNotActive ? words_[word] : sketch_.estimate(cells(), hasher_, key);
  }
  double noise() const { return sketch_.noise(cells()); }
  // An active weight inherits its cell's noise at promotion; it was let in for beating the lightest, and may have done
  // so by noise up to that weight. The factor is measured (experiments/error_bars.py).
  double deviation(Key key, double noise) const {
    if (!is_heavy(key)) return noise;
    return std::max(noise, 0.6 * std::abs(words_[set_.victim(words_.data(), hasher_.hash(0, key))]));
  }
  float largest_cell() const { return sketch_.largest(cells()); }

  template <class Visit>
  void for_each_heavy(Visit visit) const {
    set_.for_each(words_.data(),
                  [&](Key key, std::uint32_t word) { visit(HeavyKey{key, words_[word], set_.slot(word)}); });
  }
  bool is_heavy(Key key) const { return word_of(key) != kNotActive; }
  const NameArena& names() const { return names_; }
  NameArena& names() { return names_; }
  const Hasher& hasher() const { return hasher_; }

  // Of a key that is active on any side, those answer where it is active. The heaviest of these keys become the new
  // active set. No mass counts twice: an active key is never read from the cells, so what it left there on the sides
  // where it was in the tail is noise to others, as after any promotion; and a key that finds no place is written back
  // by the paper's rule, which *sets* the sketch's answer (lightest first, so that of two in one cell the heavier is
  // right).
  void merge(std::span<const AwmStore* const> stores, const MergePlan& plan) {
    for (const AwmStore* store : stores) {
      require_same("active_set_size", set_.capacity(), store->set_.capacity());
      require_same("width", words_.size(), store->words_.size());
    }
    std::vector<MergedKey> keys = keys_of_all(stores.first(plan.size()));
    for (MergedKey& one : keys)
      one.weight = plan.merged([&](std::size_t i) {
                         return MergeReading{stores[i]->raw(one.key), 0, stores[i]->is_heavy(one.key)};
                       })
                       .weight;
    for (std::size_t w = cells_at_; w < words_.size(); ++w)
      words_[w] = plan.merged([&](std::size_t i) { return MergeReading{stores[i]->words_[w]}; }).weight;
    refill(set_, words_.data(), hasher_, keys);
    for (auto one = keys.rbegin(); one != keys.rend() && eviction_ == Eviction::paper; ++one)
      if (one->slot == kNoSlot) sketch_.set(cells(), hasher_, one->key, one->weight);
    deal_names(names_, keys);
  }

  bool rescale(Key key, float factor) {  // false: the key is not active
    const std::uint32_t word = word_of(key);
    if (word == kNotActive) return false;
    words_[word] *= factor;
    set_.reorder(words_.data(), word);
    return true;
  }
  void shift(Key key, float amount) {  // of an active key
    const std::uint32_t word = word_of(key);
    if (word == kNotActive) return;
    words_[word] += amount;
    set_.reorder(words_.data(), word);
  }

  static std::size_t bytes_for(const StoreConfig& config) {
    const std::size_t cells = std::size_t{config.depth} * config.width;
    return (Set::words_for(config.active_set_size) + cells) * sizeof(float) +
           Set::bytes_beside_words(config.active_set_size) + config.hash_bytes() + config.names_nbytes();
  }
  std::size_t nbytes() const {
    return words_.size() * sizeof(float) + Set::bytes_beside_words(set_.capacity()) + hasher_.nbytes() +
           names_.nbytes();
  }
  std::size_t paper_bytes() const { return 8 * std::size_t{set_.capacity()} + 4 * sketch_.size(); }

  void archive(Archive& archive) {
    set_.archive(archive, words_.data());
    archive.fixed("cells", words_.data() + cells_at_, sketch_.size());
    archive_names(archive, names_);
    if (archive.loading()) check();
  }

 private:
  const float* cells() const { return words_.data() + cells_at_; }
  float* cells() { return words_.data() + cells_at_; }
  std::uint32_t word_of(Key key) const { return set_.find(words_.data(), key, hasher_.hash(0, key)); }

  void locate(const SparseRow& x, Scratch& s) const {
    if constexpr (!Set::kNeedsReordering) {
      kernels().locate({words_.data(), set_.lines(), sketch_.width()}, x.keys, x.values, x.size, s.located());
    } else {
      for (std::size_t i = 0; i < x.size; ++i) {
        const bool active = find_active(x, i, s);
        if (active) continue;
        s.word[i] = cells_at_ + bucket_of(s.hash[i], sketch_.width());
        s.raw[i] = words_[s.word[i]];
        s.signed_value[i] = sign_of(s.hash[i]) * x.values[i];
      }
    }
  }

  // Fills feature i's place if it is active; for the tail, only what its line or heap could give up.
  bool find_active(const SparseRow& x, std::size_t i, Scratch& s) const {
    const std::uint32_t word = set_.find(words_.data(), x.keys[i], s.hash[i]);
    if (word == kNotActive) {
      s.lightest[i] = std::abs(words_[set_.victim(words_.data(), s.hash[i])]);
      return false;
    }
    s.word[i] = word;
    s.raw[i] = words_[word];
    s.signed_value[i] = x.values[i];
    s.lightest[i] = std::numeric_limits<float>::infinity();
    return true;
  }

  // Depth above one: predict with the mean over rows, judge candidates by the median.
  float dot_of_many_rows(const SparseRow& x, float threshold, Scratch& s) const {
    float values[SketchCells::kMostDepth];
    for (std::size_t i = 0; i < x.size; ++i) {
      if (find_active(x, i, s)) {
        s.estimate[i] = s.raw[i];
        s.raw[i] = soften(s.raw[i], threshold);
        continue;
      }
      float sum = 0;
      for (std::uint32_t row = 0; row < sketch_.depth(); ++row) {
        const std::uint32_t hash = row == 0 ? s.hash[i] : hasher_.hash(row, x.keys[i]);
        values[row] = sign_of(hash) * cells()[sketch_.index(row, hash)];
        sum += soften(values[row], threshold);
      }
      s.word[i] = cells_at_;
      s.raw[i] = sum / static_cast<float>(sketch_.depth());
      s.estimate[i] = SketchCells::median(values, sketch_.depth());
      s.signed_value[i] = x.values[i];
    }
    return kernels().dot(s.raw.data(), s.signed_value.data(), x.size);
  }

  static void sort_heaviest_first(Scratch& s, std::size_t found) {
    std::sort(s.candidates.begin(), s.candidates.begin() + static_cast<std::ptrdiff_t>(found),
              [&](std::uint32_t a, std::uint32_t b) {
                const float left = std::abs(s.entering[a]), right = std::abs(s.entering[b]);
                return left > right || (left == right && a < b);
              });
  }

  // Depth 1: one pass over one buffer does for active weights and cells alike. Candidates are held back from it.
  void add_to_one_row(const SparseRow& x, std::size_t found, Scratch& s) {
    for (std::size_t c = 0; c < found; ++c) {
      const std::uint32_t i = s.candidates[c];
      s.raw[i] = s.delta[i];
      s.delta[i] = 0.0f;
    }
    for (std::size_t i = 0; i < x.size; ++i) words_[s.word[i]] += s.delta[i];
    for (std::size_t c = 0; c < found; ++c) {
      const std::uint32_t i = s.candidates[c];
      const std::uint32_t word = try_to_enter(x, i, s, [&](Key key, float weight) {
        if (eviction_ == Eviction::drop) return;
        // writing back overwrites the cell: put this example's steps on it again
        const std::uint32_t hash = hasher_.hash(0, key);
        const std::uint32_t cell = cells_at_ + bucket_of(hash, sketch_.width());
        words_[cell] = sign_of(hash) * weight + kernels().sum_where(s.word.data(), s.delta.data(), x.size, cell);
      });
      if (word != kNotActive) continue;
      s.delta[i] = s.raw[i];
      words_[s.word[i]] += s.delta[i];
    }
  }

  void add_to_many_rows(const SparseRow& x, std::size_t found, Scratch& s) {
    for (std::size_t i = 0; i < x.size; ++i)
      if (s.word[i] < cells_at_) words_[s.word[i]] += s.delta[i];
    for (std::size_t c = 0; c < found; ++c) {
      const std::uint32_t i = s.candidates[c];
      const std::uint32_t word = try_to_enter(x, i, s, [&](Key key, float weight) {
        if (eviction_ == Eviction::drop) return;
        sketch_.add(cells(), hasher_, key, weight - sketch_.estimate(cells(), hasher_, key));
      });
      if (word != kNotActive) s.delta[i] = 0.0f;
    }
    for (std::size_t i = 0; i < x.size; ++i)
      if (s.word[i] >= cells_at_) sketch_.add(cells(), hasher_, x.keys[i], s.delta[i]);
  }

  // The heap's lightest is known only after the active weights have stepped; they have no step left after this.
  void step_active(const SparseRow& x, float step, Scratch& s) {
    for (std::size_t i = 0; i < x.size; ++i) {
      if (s.word[i] >= cells_at_) continue;
      words_[s.word[i]] += step * s.signed_value[i];
      s.signed_value[i] = 0.0f;
      set_.reorder(words_.data(), s.word[i]);
    }
    const float lightest = std::abs(words_[set_.victim(words_.data(), 0)]);
    for (std::size_t i = 0; i < x.size; ++i)
      if (s.word[i] >= cells_at_) s.lightest[i] = lightest;
  }

  // Gives feature i the place of the lightest key if it is heavier; a promoted key's mass stays in the sketch.
  template <class WriteBack>
  std::uint32_t try_to_enter(const SparseRow& x, std::uint32_t i, const Scratch& s, WriteBack write_back) {
    const std::uint32_t word = set_.victim(words_.data(), s.hash[i]);
    if (!(std::abs(s.entering[i]) > std::abs(words_[word]))) return kNotActive;
    if (set_.occupied(words_.data(), word)) write_back(set_.key(words_.data(), word), words_[word]);
    set_.place(words_.data(), word, x.keys[i], s.entering[i]);
    remember_name(names_, set_.slot(word), x, i);
    return word;
  }

  void check() const {
    for (std::size_t i = cells_at_; i < words_.size(); ++i)
      require_state(std::isfinite(words_[i]), "a cell is not finite");
    set_.for_each(words_.data(), [&](Key key, std::uint32_t word) {
      require_state(std::isfinite(words_[word]), "an active weight is not finite");
      require_state(word_of(key) == word, "an active key stands where it cannot be found");
    });
  }

  Eviction eviction_;
  Hasher hasher_;
  Set set_;
  SketchCells sketch_;
  std::uint32_t cells_at_;
  Words words_;  // the active set's lines or weights, then the sketch's cells
  NameArena names_;
};

}  // namespace wmsketch
