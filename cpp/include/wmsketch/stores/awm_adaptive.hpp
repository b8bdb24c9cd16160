// AWM-Sketch: adaptive steps, and cells that have one owner each. Defines what awm.hpp declares.
//
// A weight in a cell takes the same steps as one in a slot. After the step, heavy keys enter the active set and free
// their cells. An evicted key takes the lightest cell of its bucket. A key without a cell may take one.
#pragma once

#include <cmath>

#include "wmsketch/stores/awm.hpp"

namespace wmsketch {

// An associative set has kernels. For the heap, `line` is the word of a feature's slot, or kNotActive.
template <class Set, class Cell>
float AwmStore<Set, Cell>::dot_adaptive(const SparseRow& x, float threshold, Scratch& s) const
  requires(Cell::kAdaptive)
{
  s.fit(x.size);
  hasher_.hash_all(0, x.keys, x.size, s.hash.data());
  if constexpr (!Set::kIsExact) {
    const PackedBuffer buffer{buffer_.data(), set_.lines(), sketch_.width(), sketch_.unit()};
    kernels().locate_tagged(buffer, x.keys, x.values, x.size, s.located_packed(), s.row);
    if (threshold == 0.0f) return s.row.dot;
  } else {
    set_.find_all(x, s.line.data(), s);
    for (std::size_t i = 0; i < x.size; ++i) locate_one(i, s);
  }
  for (std::size_t i = 0; i < x.size; ++i) s.estimate[i] = soften(s.raw[i], threshold);
  return kernels().dot(s.estimate.data(), x.values, x.size);
}

template <class Set, class Cell>
void AwmStore<Set, Cell>::locate_one(std::size_t i, Scratch& s) const
  requires(Cell::kAdaptive)
{
  s.raw[i] = s.squares[i] = 0;
  if (s.line[i] != kNotActive) {
    const std::uint32_t slot = words()[s.line[i]];
    s.word[i] = 0;
    s.raw[i] = Slot::weight(slot);
    s.squares[i] = Slot::squares(slot);
  } else if (const std::uint32_t at = sketch_.find(cells(), s.hash[i]); at != TaggedCells::kNone) {
    s.word[i] = cells_at_ + at;
    s.before[i] = cells()[at];
    s.raw[i] = Cell::weight(cells()[at]);
    s.squares[i] = sketch_.squares(cells()[at]);
  } else {
    s.word[i] = no_cell_at(packed_cells()) + sketch_.has_room(cells(), s.hash[i]);
  }
}

template <class Set, class Cell>
void AwmStore<Set, Cell>::add_adaptive(const SparseRow& x, const RowStep& step, Scratch& s)
  requires(Cell::kAdaptive)
{
  TaggedStep found;
  if constexpr (!Set::kIsExact) {
    if (s.row.any_tail == 0) return kernels().step_slots(buffer_.data(), x.size, step, s.located_packed());
    sketch_.start_unit(step.unit());
    found = kernels().step_tagged(buffer_.data(), packed_cells(), x.size, step, s.located_packed());
  } else {
    sketch_.start_unit(step.unit());
    found = step_one_by_one(x, step, s);
  }
  sort_heaviest_first(s, found.candidates, s.stepped);
  if (sketch_.is_far()) prefetch_evicted(found.candidates, s);
  for (std::size_t c = 0; c < found.candidates; ++c) {
    c = enter_empty(x, step, c, found.candidates, s);
    if (c < found.candidates) try_to_own(x, s.candidates[c], step, s);
  }
  if (found.newcomers != 0) kernels().admit_tagged(buffer_.data(), packed_cells(), found.newcomers, s.located_packed());
  sketch_.follow_unit(cells(), step.unit());
}

// From candidate `from` on: candidates enter empty places, up to the first whose line is full. Returns its number.
template <class Set, class Cell>
std::size_t AwmStore<Set, Cell>::enter_empty(const SparseRow& x, const RowStep& step, std::size_t from,
                                             std::size_t n_candidates, Scratch& s)
  requires(Cell::kAdaptive)
{
  if constexpr (Set::kIsExact) {
    return from;
  } else {
    const std::size_t next = kernels().enter_empty(buffer_.data(), packed_cells(), set_.empty_keys(), x.keys, step,
                                                   from, n_candidates, s.located_packed());
    for (std::size_t c = from; c < next; ++c) remember_name(set_.number(s.line[s.candidates[c]]), x, s.candidates[c]);
    return next;
  }
}

// Asks for the cells that the keys will take whose places candidates may get.
template <class Set, class Cell>
void AwmStore<Set, Cell>::prefetch_evicted(std::size_t n_candidates, const Scratch& s) const
  requires(Cell::kAdaptive)
{
  for (std::size_t c = 0; c < n_candidates; ++c) {
    const std::uint32_t word = set_.victim(words(), s.hash[s.candidates[c]]);
    if (set_.occupied(words(), word)) sketch_.prefetch(cells(), hasher_.hash(0, set_.key(words(), word)));
  }
}

// What the kernel does, for the heap. Weights in slots step first: only then is the lightest of the heap known.
template <class Set, class Cell>
TaggedStep AwmStore<Set, Cell>::step_one_by_one(const SparseRow& x, const RowStep& step, Scratch& s)
  requires(Cell::kAdaptive)
{
  const auto n = static_cast<std::uint32_t>(x.size);
  const std::uint32_t no_cell = no_cell_at(packed_cells());
  TaggedStep found{};
  for (std::uint32_t i = 0; i < n; ++i) {
    if (s.line[i] != kNotActive) {
      step_slot(x, i, step, s);
      continue;
    }
    const float gradient = step.gradient * x.values[i], square = step.square_of(gradient), sum = s.squares[i] + square;
    const std::uint32_t random = mix(s.hash[i], {step.seed_low, step.seed_high});
    s.stepped[i] = s.raw[i] - (step.rate_for(sum) * gradient) * step.per_scale;
    const Stored after = Cell::rounded_at_random(s.stepped[i], sum * (1.0f / sketch_.unit()), random);
    s.after[i] = std::uint32_t{after} << 16;
    if (s.word[i] >= no_cell) {
      s.draw[i] = draw_of(random);
      const bool asks = s.word[i] > no_cell || s.draw[i] < kAdmission;
      if (asks && s.stepped[i] != 0) s.newcomers[found.newcomers++] = i;
      continue;
    }
    Stored& cell = buffer_[s.word[i]];
    if (cell == s.before[i])
      cell = after;
    else  // another feature of this row has its tag
      cell = Cell::rounded_at_random(Cell::weight(cell) + (s.stepped[i] - s.raw[i]),
                                     Cell::squares(cell) + square / sketch_.unit(), random);
  }
  for (std::uint32_t i = 0; i < n; ++i)
    if (s.line[i] == kNotActive && may_enter(s.stepped[i], set_.victim(words(), s.hash[i])))
      s.candidates[found.candidates++] = i;
  return found;
}

template <class Set, class Cell>
void AwmStore<Set, Cell>::step_slot(const SparseRow& x, std::uint32_t i, const RowStep& step, const Scratch& s)
  requires(Cell::kAdaptive)
{
  const float gradient = step.gradient * x.values[i], sum = s.squares[i] + step.square_of(gradient);
  const float weight = s.raw[i] - (step.rate_for(sum) * gradient) * step.per_scale;
  words().set(s.line[i], Slot::rounded_at_random(weight, sum, mix(s.hash[i], {step.seed_low, step.seed_high})));
  set_.reorder(words(), s.line[i]);
}

// Gives feature i the place of the lightest key if it is heavy enough.
template <class Set, class Cell>
void AwmStore<Set, Cell>::try_to_own(const SparseRow& x, std::uint32_t i, const RowStep& step, Scratch& s)
  requires(Cell::kAdaptive)
{
  const std::uint32_t word = set_.victim(words(), s.hash[i]);
  if (!may_enter(s.stepped[i], word)) return;
  sketch_.free(cells(), s.hash[i]);
  if (set_.occupied(words(), word) && eviction_ == Eviction::paper) {
    const std::uint32_t hash = hasher_.hash(0, set_.key(words(), word));
    const float squares = sketch_.in_units(Slot::squares(words()[word]));
    sketch_.give(cells(), hash,
                 Cell::rounded_at_random(weight_at(word), squares, mix(hash, {step.seed_low, step.seed_high})));
  }
  const float sum = s.squares[i] + step.square_of(step.gradient * x.values[i]);
  set_.place(words(), word, x.keys[i], Slot::nearest(s.stepped[i], sum));
  remember_name(set_.number(word), x, i);
  s.word[i] = 0;  // it needs no cell
}

}  // namespace wmsketch
