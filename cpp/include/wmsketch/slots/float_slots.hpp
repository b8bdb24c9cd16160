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

// The common part of both slot arrays. A derived class defines how many numbers a slot has and how it steps.
class WeightArray {
 public:
  WeightArray() = default;
  explicit WeightArray(std::size_t n) : weights_(n, 0.0f) {}

  std::size_t size() const { return weights_.size(); }
  float weight(std::size_t i) const { return weights_[i]; }
  const float* weights() const { return weights_.data(); }
  void multiply(float factor) { multiply(weights_, factor); }

 protected:
  static void multiply(std::vector<float>& numbers, float factor) {
    for (float& number : numbers) number *= factor;
  }
  static void make_room(std::vector<float>& numbers) {
    if (numbers.size() == numbers.capacity()) numbers.reserve(std::max<std::size_t>(2 * numbers.size(), 1));
  }
  // The file contains the length of an array that can grow.
  static void archive_numbers(Archive& archive, const std::string& name, std::vector<float>& numbers,
                              std::size_t most) {
    if (most > 0)
      archive.growing(name, numbers, most);
    else
      archive.fixed(name, numbers.data(), numbers.size());
  }
  void require_finite() const {
    for (const float weight : weights_) require_state(std::isfinite(weight), "a weight is not finite");
  }

  std::vector<float> weights_;
};

// One number per slot: the weight, for plain steps.
class FloatSlots : public WeightArray {
 public:
  static constexpr bool kAdaptive = false;
  static constexpr std::size_t kNumbers = 1;  // per slot
  using WeightArray::WeightArray;

  static SlotValue stepped(SlotValue slot, const RowStep& step, float value) {
    return {slot.weight - step.gradient * value, 0};
  }
  // Steps the weights of a row, indexed by its keys. The products of a group come first: fewer dependent instructions
  // let the CPU start the next row sooner.
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
  SlotValue at(std::size_t i) const { return {weights_[i], 0}; }
  void set(std::size_t i, SlotValue slot) { weights_[i] = slot.weight; }
  float squares(std::size_t) const { return 0; }
  void multiply_squares(float) {}

  void make_room() { WeightArray::make_room(weights_); }
  void push_back(SlotValue slot) { weights_.push_back(slot.weight); }
  std::size_t capacity_bytes() const { return weights_.capacity() * sizeof(float); }
  void archive(Archive& archive, const std::string& prefix, std::size_t most = 0) {
    archive_numbers(archive, prefix + "weights", weights_, most);
    if (archive.loading()) require_finite();
  }
};

// Two numbers per slot: the weight and its sum of squared gradients, so that each weight has its own step size.
class FloatPairSlots : public WeightArray {
 public:
  static constexpr bool kAdaptive = true;
  static constexpr std::size_t kNumbers = 2;
  FloatPairSlots() = default;
  explicit FloatPairSlots(std::size_t n) : WeightArray(n), squares_(n, 0.0f) {}

  static SlotValue stepped(SlotValue slot, const RowStep& step, float value) {
    const float gradient = step.gradient * value;
    slot.squares += step.square_of(gradient);
    slot.weight -= (step.rate_for(slot.squares) * gradient) * step.per_scale;
    return slot;
  }
  void step_all(const SparseRow& x, const RowStep& given) {
    const RowStep step = given;  // a copy: with aliasing, the compiler would reload `given` after each store
    float *const weights = weights_.data(), *const squares = squares_.data();
    std::size_t i = 0;
    if (kernels().strictly_increasing(x.keys, x.size)) i = kernels().step_pairs({weights, squares}, x, step);
    for (; i < x.size; ++i) {
      const Key key = x.keys[i];
      const SlotValue after = stepped({weights[key], squares[key]}, step, x.values[i]);
      weights[key] = after.weight;
      squares[key] = after.squares;
    }
  }
  SlotValue at(std::size_t i) const { return {weights_[i], squares_[i]}; }
  void set(std::size_t i, SlotValue slot) {
    weights_[i] = slot.weight;
    squares_[i] = slot.squares;
  }
  float squares(std::size_t i) const { return squares_[i]; }
  void multiply_squares(float factor) { WeightArray::multiply(squares_, factor); }

  void make_room() {
    WeightArray::make_room(weights_);
    WeightArray::make_room(squares_);
  }
  void push_back(SlotValue slot) {
    weights_.push_back(slot.weight);
    squares_.push_back(slot.squares);
  }
  std::size_t capacity_bytes() const { return (weights_.capacity() + squares_.capacity()) * sizeof(float); }
  void archive(Archive& archive, const std::string& prefix, std::size_t most = 0) {
    archive_numbers(archive, prefix + "weights", weights_, most);
    archive_numbers(archive, prefix + "squares", squares_, most);
    if (!archive.loading()) return;
    require_finite();
    require_state(squares_.size() == weights_.size(), "weights and squares differ in length");
    for (const float sum : squares_)
      require_state(std::isfinite(sum) && sum >= 0, "a sum of squares is negative or not finite");
  }

 private:
  std::vector<float> squares_;
};

}  // namespace wmsketch
