// AWM-Sketch: adaptive steps. The end of awm.hpp.
//
// A slot is a weight and its sum of squared gradients where a 32-bit weight stands for plain steps, and a cell the same
// in 16 bits. All weights step. Then those of the tail that have become heavy enough enter the active set, heaviest
// first. A key that enters takes both numbers along: the sketch then answers 0 for it.
#pragma once

#include <cmath>

#include "wmsketch/stores/awm.hpp"

namespace wmsketch {

// An associative set with one row of cells has kernels. For other shapes, what stands in the cells of feature i is kept
// at row * x.size + i of the scratch, and `line` is the word of its slot, or kNotActive.
template <class Set, class Cell>
float AwmStore<Set, Cell>::dot_adaptive(const SparseRow& x, float threshold, Scratch& s) const
  requires(Cell::kAdaptive && !Cell::kTagged)
{
  s.fit(x.size * sketch_.depth());
  if (has_kernels()) {
    hasher_.hash_all(0, x.keys, x.size, s.hash.data());
    if constexpr (!Set::kIsExact) {
      const PackedBuffer buffer{buffer_.data(), set_.lines(), sketch_.width(), sketch_.unit()};
      kernels().locate_packed(buffer, x.keys, x.values, x.size, s.located_packed(), s.row);
    }
    if (threshold == 0.0f) return s.row.dot;
    for (std::size_t i = 0; i < x.size; ++i) s.estimate[i] = soften(s.raw[i], threshold);
    return kernels().dot(s.estimate.data(), s.signed_value.data(), x.size);
  }
  for (std::uint32_t row = 0; row < sketch_.depth(); ++row)
    hasher_.hash_all(row, x.keys, x.size, s.hash.data() + row * x.size);
  for (std::size_t i = 0; i < x.size; ++i) {
    s.line[i] = set_.find(words(), x.keys[i], s.hash[i]);
    if (s.line[i] == kNotActive) {
      locate_cells(x, i, s);
      float sum = 0;
      for (std::size_t row = 0, at = i; row < sketch_.depth(); ++row, at += x.size)
        sum += soften(sign_of(s.hash[at]) * s.raw[at], threshold);
      s.estimate[i] = sum / static_cast<float>(sketch_.depth());
    } else {
      const std::uint32_t slot = words()[s.line[i]];
      s.raw[i] = Slot::weight(slot);
      s.squares[i] = Slot::squares(slot);
      s.estimate[i] = soften(s.raw[i], threshold);
    }
  }
  return kernels().dot(s.estimate.data(), x.values, x.size);
}

template <class Set, class Cell>
void AwmStore<Set, Cell>::locate_cells(const SparseRow& x, std::size_t i, Scratch& s) const
  requires(Cell::kAdaptive && !Cell::kTagged)
{
  std::size_t at = i;
  for (std::uint32_t row = 0; row < sketch_.depth(); ++row, at += x.size) {
    s.word[at] = static_cast<std::uint32_t>(sketch_.index(row, s.hash[at]));
    s.before[at] = cells()[s.word[at]];
    s.raw[at] = Cell::weight(cells()[s.word[at]]);
    s.squares[at] = sketch_.squares(cells()[s.word[at]]);
  }
}

template <class Set, class Cell>
void AwmStore<Set, Cell>::add_adaptive(const SparseRow& x, const RowStep& step, Scratch& s)
  requires(Cell::kAdaptive && !Cell::kTagged)
{
  std::size_t found = 0;
  if (has_kernels()) {
    if (s.row.any_tail == 0) return kernels().step_slots(buffer_.data(), x.size, step, s.located_packed());
    sketch_.start_unit(step.unit());
    found = kernels().step_packed(buffer_.data(), packed_cells(), x.size, step, s.located_packed());
    for (std::size_t c = 0; c < found; ++c) {
      const std::uint32_t i = s.candidates[c];
      const float gradient = step.gradient * s.signed_value[i];
      s.entering[i] = sign_of(s.hash[i]) * s.stepped[i];
      s.delta[i] = s.squares[i] + step.square_of(gradient);
    }
  } else {
    sketch_.start_unit(step.unit());
    found = step_one_by_one(x, step, s);
  }
  sort_heaviest_first(s, found, s.entering);
  for (std::size_t c = 0; c < found; ++c) try_to_take_along(x, s.candidates[c], step, s);
  sketch_.follow_unit(cells(), step.unit());
}

// What the kernels do, for all shapes: `entering` becomes a feature's weight after the step, `delta` its sum of
// squares.
template <class Set, class Cell>
std::size_t AwmStore<Set, Cell>::step_one_by_one(const SparseRow& x, const RowStep& step, Scratch& s)
  requires(Cell::kAdaptive && !Cell::kTagged)
{
  const auto n = static_cast<std::uint32_t>(x.size);
  for (std::uint32_t i = 0; i < n; ++i) {  // the lightest of a line is noted before its weights step
    if constexpr (!Set::kIsExact)
      if (s.line[i] == kNotActive) s.lightest[i] = std::abs(weight_at(set_.victim(words(), s.hash[i])));
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    if (s.line[i] == kNotActive)
      step_cells(x, i, step, s);
    else
      step_slot(x, i, step, s);
  }
  std::size_t found = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    if (s.line[i] != kNotActive) continue;
    if constexpr (Set::kIsExact) s.lightest[i] = std::abs(weight_at(set_.victim(words(), s.hash[i])));
    if (std::abs(s.entering[i]) > s.lightest[i]) s.candidates[found++] = i;
  }
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

template <class Set, class Cell>
void AwmStore<Set, Cell>::step_cells(const SparseRow& x, std::uint32_t i, const RowStep& step, Scratch& s)
  requires(Cell::kAdaptive && !Cell::kTagged)
{
  float weights[SketchCells<Cell>::kMostDepth], least = 0;
  std::size_t at = i;
  for (std::uint32_t row = 0; row < sketch_.depth(); ++row, at += x.size) {
    const std::uint32_t hash = s.hash[at], random = mix(hash, {step.seed_low, step.seed_high});
    const float gradient = step.gradient * (sign_of(hash) * x.values[i]), square = step.square_of(gradient);
    const float sum = s.squares[at] + square;
    const float stepped = s.raw[at] - (step.tail_rate_for(sum) * gradient) * step.per_scale;
    Stored& cell = cells()[s.word[at]];
    if (cell == s.before[at]) {
      cell = Cell::rounded_at_random(stepped, sum * (1.0f / sketch_.unit()), random);
    } else {  // another feature of this row has stepped it
      cell = Cell::rounded_at_random(Cell::weight(cell) + (stepped - s.raw[at]),
                                     Cell::squares(cell) + square / sketch_.unit(), random);
    }
    weights[row] = sign_of(hash) * stepped;
    least = row == 0 ? sum : std::min(least, sum);
  }
  s.entering[i] = SketchCells<Cell>::median(weights, sketch_.depth());
  s.delta[i] = least;
}

template <class Set, class Cell>
float AwmStore<Set, Cell>::estimate_before(const SparseRow& x, std::uint32_t i, const Scratch& s) const
  requires(Cell::kAdaptive && !Cell::kTagged)
{
  float weights[SketchCells<Cell>::kMostDepth];
  std::size_t at = i;
  for (std::uint32_t row = 0; row < sketch_.depth(); ++row, at += x.size)
    weights[row] = sign_of(s.hash[at]) * s.raw[at];
  return SketchCells<Cell>::median(weights, sketch_.depth());
}

template <class Set, class Cell>
void AwmStore<Set, Cell>::try_to_take_along(const SparseRow& x, std::uint32_t i, const RowStep& step, const Scratch& s)
  requires(Cell::kAdaptive && !Cell::kTagged)
{
  const std::uint32_t word = set_.victim(words(), s.hash[i]);
  if (!(std::abs(s.entering[i]) > std::abs(weight_at(word)))) return;
  const auto rounded = [&](float weight, float sum, std::uint32_t hash) {
    return Cell::rounded_at_random(weight, sum, mix(hash, {step.seed_low, step.seed_high}));
  };
  const float sum = s.delta[i];
  float weight = s.entering[i];
  sketch_.clear(cells(), hasher_, x.keys[i], rounded);
  if (!set_.occupied(words(), word))  // by the step of a heavy key: while all find room, this is the unlimited learner
    weight = estimate_before(x, i, s) - (step.rate_for(sum) * (step.gradient * x.values[i])) * step.per_scale;
  else if (eviction_ == Eviction::paper)
    sketch_.set(cells(), hasher_, set_.key(words(), word), weight_at(word), Slot::squares(words()[word]), rounded);
  set_.place(words(), word, x.keys[i], Slot::nearest(weight, sum));
  remember_name(set_.number(word), x, i);
}

}  // namespace wmsketch
