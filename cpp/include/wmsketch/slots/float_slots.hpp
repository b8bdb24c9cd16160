// Arrays of float32 slots, for stores that keep each weight separately.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/sparse_row.hpp"
#include "wmsketch/data/step.hpp"
#include "wmsketch/simd/kernels.hpp"

namespace wmsketch {

struct SlotValue {
  float weight = 0, squares = 0;
};

inline void multiply_each(std::vector<float>& numbers, float factor, std::size_t from = 0, std::size_t stride = 1) {
  for (std::size_t i = from; i < numbers.size(); i += stride) numbers[i] *= factor;
}

// The file contains the length of an array that can grow.
inline void archive_numbers(Archive& archive, const std::string& name, std::vector<float>& numbers, std::size_t most) {
  if (most > 0)
    archive.growing(name, numbers, most);
  else
    archive.fixed(name, numbers.data(), numbers.size());
}

// One number per slot: the weight, for plain steps.
class FloatSlots {
 public:
  static constexpr bool kAdaptive = false;
  static constexpr std::size_t kNumbers = 1;  // per slot
  FloatSlots() = default;
  explicit FloatSlots(std::size_t n) : weights_(n, 0.0f) {}

  std::size_t size() const { return weights_.size(); }
  float weight(std::size_t i) const { return weights_[i]; }
  float squares(std::size_t) const { return 0; }
  SlotValue at(std::size_t i) const { return {weights_[i], 0}; }
  void set(std::size_t i, SlotValue slot) { weights_[i] = slot.weight; }
  void multiply(float factor) { multiply_each(weights_, factor); }
  void multiply_squares(float) {}

  static SlotValue stepped(SlotValue slot, const RowStep& step, float value) {
    return {slot.weight - step.gradient * value, 0};
  }
  // The dot product and the step of a row whose keys are the indices of slots.
  float dot_at(const SparseRow& x) const { return kernels().dot_at(weights_.data(), x.keys, x.values, x.size); }
  // The products of a group come first: fewer dependent instructions let the CPU start the next row sooner.
  void step_all(const SparseRow& x, const RowStep& step) {
    constexpr std::size_t kAtOnce = 8;
    const float amount = -step.gradient;
    float* const weights = weights_.data();
    const Key* const keys = x.keys;
    std::size_t i = 0;
    for (; i + kAtOnce <= x.size; i += kAtOnce) {
      float deltas[kAtOnce];
      for (std::size_t l = 0; l < kAtOnce; ++l) deltas[l] = amount * x.values[i + l];
      for (std::size_t l = 0; l < kAtOnce; ++l) weights[keys[i + l]] += deltas[l];
    }
    for (; i < x.size; ++i) weights[keys[i]] += amount * x.values[i];
  }

  void push_back(SlotValue slot) { weights_.push_back(slot.weight); }
  // So that `push_back` cannot fail.
  void make_room() {
    if (weights_.size() == weights_.capacity()) weights_.reserve(std::max<std::size_t>(2 * weights_.size(), 1));
  }
  std::size_t capacity_bytes() const { return weights_.capacity() * sizeof(float); }
  void archive(Archive& archive, const std::string& prefix, std::size_t most = 0) {
    archive_numbers(archive, prefix + "weights", weights_, most);
    if (!archive.loading()) return;
    for (const float weight : weights_) require_state(std::isfinite(weight), "a weight is not finite");
  }

 private:
  std::vector<float> weights_;
};

// Two numbers per slot: the weight and its sum of squared gradients, so that each weight has its own step size. They
// lie side by side, because a step needs both: one place in memory instead of two.
class FloatPairSlots {
 public:
  static constexpr bool kAdaptive = true;
  static constexpr std::size_t kNumbers = 2;
  FloatPairSlots() = default;
  explicit FloatPairSlots(std::size_t n) : pairs_(kNumbers * n, 0.0f) {}

  std::size_t size() const { return pairs_.size() / kNumbers; }
  float weight(std::size_t i) const { return pairs_[kNumbers * i]; }
  float squares(std::size_t i) const { return pairs_[kNumbers * i + 1]; }
  SlotValue at(std::size_t i) const { return {weight(i), squares(i)}; }
  void set(std::size_t i, SlotValue slot) {
    pairs_[kNumbers * i] = slot.weight;
    pairs_[kNumbers * i + 1] = slot.squares;
  }
  void multiply(float factor) { multiply_each(pairs_, factor, 0, kNumbers); }
  void multiply_squares(float factor) { multiply_each(pairs_, factor, 1, kNumbers); }

  static SlotValue stepped(SlotValue slot, const RowStep& step, float value) {
    const float gradient = step.gradient * value;
    slot.squares += step.square_of(gradient);
    slot.weight -= (step.rate_for(slot.squares) * gradient) * step.per_scale;
    return slot;
  }
  float dot_at(const SparseRow& x) const { return kernels().dot_pairs(pairs_.data(), x.keys, x.values, x.size); }
  void step_all(const SparseRow& x, const RowStep& given) {
    const RowStep step = given;  // a copy: with aliasing, the compiler would reload `given` after each store
    std::size_t i = 0;
    if (kernels().strictly_increasing(x.keys, x.size)) i = kernels().step_pairs(pairs_.data(), x, step);
    for (; i < x.size; ++i) set(x.keys[i], stepped(at(x.keys[i]), step, x.values[i]));
  }

  void push_back(SlotValue slot) {
    pairs_.push_back(slot.weight);
    pairs_.push_back(slot.squares);
  }
  void make_room() {
    if (pairs_.size() == pairs_.capacity()) pairs_.reserve(std::max<std::size_t>(2 * pairs_.size(), kNumbers));
  }
  std::size_t capacity_bytes() const { return pairs_.capacity() * sizeof(float); }
  // A file has two arrays.
  void archive(Archive& archive, const std::string& prefix, std::size_t most = 0) {
    std::vector<float> weights = column(0), squares = column(1);
    archive_numbers(archive, prefix + "weights", weights, most);
    archive_numbers(archive, prefix + "squares", squares, most);
    if (!archive.loading()) return;
    require_state(squares.size() == weights.size(), "weights and squares differ in length");
    pairs_.resize(kNumbers * weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      require_state(std::isfinite(weights[i]), "a weight is not finite");
      require_state(std::isfinite(squares[i]) && squares[i] >= 0, "a sum of squares is negative or not finite");
      set(i, {weights[i], squares[i]});
    }
  }

 private:
  std::vector<float> column(std::size_t number) const {
    std::vector<float> numbers(size());
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = pairs_[kNumbers * i + number];
    return numbers;
  }

  std::vector<float> pairs_;
};

}  // namespace wmsketch
