// AWM-Sketch: plain steps, as in the paper. Defines what awm.hpp declares.
#pragma once

#include <cmath>
#include <limits>

#include "wmsketch/stores/awm.hpp"

namespace wmsketch {

template <class Set, class Cell>
float AwmStore<Set, Cell>::dot_plain(const SparseRow& x, float threshold, Scratch& s) const
  requires(!Cell::kAdaptive)
{
  s.fit(x.size);
  hasher_.hash_all(0, x.keys, x.size, s.hash.data());
  if (sketch_.depth() > 1) return dot_of_many_rows(x, threshold, s);
  locate(x, s);
  if (threshold == 0.0f) return kernels().dot(s.raw.data(), s.signed_value.data(), x.size);
  for (std::size_t i = 0; i < x.size; ++i) s.estimate[i] = soften(s.raw[i], threshold);
  return kernels().dot(s.estimate.data(), s.signed_value.data(), x.size);
}

// Active weights step first, then candidates enter heaviest first, then the rest of the tail steps.
template <class Set, class Cell>
void AwmStore<Set, Cell>::add_plain(const SparseRow& x, float step, Scratch& s)
  requires(!Cell::kAdaptive)
{
  if constexpr (Set::kIsExact) step_active(x, step, s);
  const float* before = sketch_.depth() == 1 ? s.raw.data() : s.estimate.data();
  const std::size_t found = kernels().find_candidates(before, s.signed_value.data(), step, s.lightest.data(), x.size,
                                                      s.delta.data(), s.candidates.data());
  for (std::size_t c = 0; c < found; ++c) {
    const std::uint32_t i = s.candidates[c];
    const float stepped = before[i] + s.delta[i];
    s.entering[i] = sketch_.depth() == 1 ? sign_of(s.hash[i]) * stepped : stepped;
  }
  sort_heaviest_first(s, found, s.entering);
  if (sketch_.depth() == 1) {
    add_to_one_row(x, found, s);
  } else {
    add_to_many_rows(x, found, s);
  }
}

template <class Set, class Cell>
void AwmStore<Set, Cell>::locate(const SparseRow& x, Scratch& s) const
  requires(!Cell::kAdaptive)
{
  if constexpr (!Set::kIsExact) {
    kernels().locate({buffer_.data(), set_.lines(), sketch_.width()}, x.keys, x.values, x.size, s.located());
  } else {
    set_.find_all(x, s.line.data(), s);
    for (std::size_t i = 0; i < x.size; ++i) {
      const std::uint32_t tail = -static_cast<std::uint32_t>(s.line[i] == kNotActive);  // all ones or none: no branch
      const std::uint32_t cell = cells_at_ + bucket_of(s.hash[i], sketch_.width());
      s.word[i] = (cell & tail) | (s.line[i] & ~tail);
      s.raw[i] = buffer_[s.word[i]];
      s.signed_value[i] = sign_of(s.hash[i] & tail) * x.values[i];
    }
  }
}

// Finds the slot of feature i if it is active. Otherwise finds only the weight that it must exceed to enter.
template <class Set, class Cell>
bool AwmStore<Set, Cell>::find_active(const SparseRow& x, std::size_t i, Scratch& s) const
  requires(!Cell::kAdaptive)
{
  const std::uint32_t word = set_.find(words(), x.keys[i], s.hash[i]);
  if (word == kNotActive) {
    s.lightest[i] = std::abs(weight_at(set_.victim(words(), s.hash[i])));
    return false;
  }
  s.word[i] = word;
  s.raw[i] = weight_at(word);
  s.signed_value[i] = x.values[i];
  s.lightest[i] = std::numeric_limits<float>::infinity();
  return true;
}

// Depth above one: predict with the mean over rows, judge candidates by the median.
template <class Set, class Cell>
float AwmStore<Set, Cell>::dot_of_many_rows(const SparseRow& x, float threshold, Scratch& s) const
  requires(!Cell::kAdaptive)
{
  float values[SketchCells<Cell>::kMostDepth];
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
    s.estimate[i] = SketchCells<Cell>::median(values, sketch_.depth());
    s.signed_value[i] = x.values[i];
  }
  return kernels().dot(s.raw.data(), s.signed_value.data(), x.size);
}

// Depth 1: one pass steps active weights and cells, except candidates for the active set.
template <class Set, class Cell>
void AwmStore<Set, Cell>::add_to_one_row(const SparseRow& x, std::size_t found, Scratch& s)
  requires(!Cell::kAdaptive)
{
  for (std::size_t c = 0; c < found; ++c) {
    const std::uint32_t i = s.candidates[c];
    s.raw[i] = s.delta[i];
    s.delta[i] = 0.0f;
  }
  for (std::size_t i = 0; i < x.size; ++i) buffer_[s.word[i]] += s.delta[i];
  for (std::size_t c = 0; c < found; ++c) {
    const std::uint32_t i = s.candidates[c];
    const bool entered = try_to_enter(x, i, s, [&](Key key, float weight) {
      // writing back overwrites the cell, so this example's steps are applied to it again
      const std::uint32_t hash = hasher_.hash(0, key);
      const std::uint32_t cell = cells_at_ + bucket_of(hash, sketch_.width());
      buffer_[cell] = sign_of(hash) * weight + kernels().sum_where(s.word.data(), s.delta.data(), x.size, cell);
    });
    if (entered) continue;
    s.delta[i] = s.raw[i];
    buffer_[s.word[i]] += s.delta[i];
  }
}

template <class Set, class Cell>
void AwmStore<Set, Cell>::add_to_many_rows(const SparseRow& x, std::size_t found, Scratch& s)
  requires(!Cell::kAdaptive)
{
  for (std::size_t i = 0; i < x.size; ++i)
    if (s.word[i] < cells_at_) buffer_[s.word[i]] += s.delta[i];
  for (std::size_t c = 0; c < found; ++c) {
    const std::uint32_t i = s.candidates[c];
    const bool entered =
        try_to_enter(x, i, s, [&](Key key, float weight) { sketch_.set(cells(), hasher_, key, weight); });
    if (entered) s.delta[i] = 0.0f;
  }
  for (std::size_t i = 0; i < x.size; ++i)
    if (s.word[i] >= cells_at_) sketch_.add(cells(), hasher_, x.keys[i], s.delta[i]);
}

// The lightest key of the heap is known only after all active weights have stepped, so these step first.
template <class Set, class Cell>
void AwmStore<Set, Cell>::step_active(const SparseRow& x, float step, Scratch& s)
  requires(!Cell::kAdaptive)
{
  std::size_t n_active = 0;
  for (std::size_t i = 0; i < x.size; ++i) {
    s.placed[n_active] = static_cast<std::uint32_t>(i);
    n_active += s.word[i] < cells_at_;
  }
  for (std::size_t a = 0; a < n_active; ++a) {
    const std::uint32_t i = s.placed[a];
    buffer_[s.word[i]] += step * s.signed_value[i];
    s.signed_value[i] = 0.0f;
    set_.reorder(words(), s.word[i]);
  }
  std::fill(s.lightest.begin(), s.lightest.begin() + static_cast<std::ptrdiff_t>(x.size),
            std::abs(weight_at(set_.victim(words(), 0))));
  for (std::size_t a = 0; a < n_active; ++a) s.lightest[s.placed[a]] = std::numeric_limits<float>::infinity();
}

// Gives feature i the place of the lightest key if it is heavier; a promoted key's mass stays in the sketch.
template <class Set, class Cell>
template <class WriteBack>
bool AwmStore<Set, Cell>::try_to_enter(const SparseRow& x, std::uint32_t i, const Scratch& s, WriteBack write_back)
  requires(!Cell::kAdaptive)
{
  const std::uint32_t word = set_.victim(words(), s.hash[i]);
  if (!(std::abs(s.entering[i]) > std::abs(weight_at(word)))) return false;
  if (set_.occupied(words(), word) && eviction_ == Eviction::paper)
    write_back(set_.key(words(), word), weight_at(word));
  set_.place(words(), word, x.keys[i], Slot::nearest(s.entering[i], 0));
  remember_name(set_.number(word), x, i);
  return true;
}

}  // namespace wmsketch
