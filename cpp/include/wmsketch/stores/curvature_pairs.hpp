// The pairs of limited-memory BFGS: what the last steps changed, and how the gradient of the same row then changed.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/sparse_row.hpp"

namespace wmsketch {

// A pair has room for a fixed number of features. If a step changed more, those that it changed most are kept.
class CurvaturePairs {
 public:
  static constexpr std::uint32_t kMost = 5;
  // Added to the curvature in every direction. Without it, rows that are predicted well have almost none, and the steps
  // after them would be huge.
  static constexpr double kDamping = 0.1;

  // `places`: for the features of all pairs.
  explicit CurvaturePairs(std::uint32_t places)
      : kept_(pairs_for(places)), room_(places / kept_), keys_(places), moved_(keys_.size()), curved_(keys_.size()) {}

  static std::size_t bytes_for(std::uint32_t places) {
    return kPlace * places + (pairs_for(places) + 1) * sizeof(std::uint32_t);
  }
  std::size_t nbytes() const { return kPlace * keys_.size() + (kept_ + 1) * sizeof(std::uint32_t); }
  std::size_t paper_bytes() const { return kPlace * keys_.size(); }

  // Replaces the values x of a row by H x, where H approximates the inverse of the Hessian: the two-loop recursion,
  // restricted to the features of the row. H is positive definite, so a step along H x lowers the loss of the row.
  // `order` has the places of the row in ascending order of their keys.
  void turn(const SparseRow& x, const std::uint32_t* order, float* values) const {
    if (last_ == 0) return;
    double before = 0, after = 0;
    std::array<double, kMost> taken{}, curvature{};
    for (std::size_t i = 0; i < x.size; ++i) before += double{values[i]} * values[i];
    const std::uint32_t n = std::min(last_, kept_);
    for (std::uint32_t age = 0; age < n; ++age) {
      const std::uint32_t at = (last_ - 1 - age) % kept_;
      curvature[age] = product(at, moved_);
      taken[age] = dot(at, moved_, x, order, values) / curvature[age];
      add(at, curved_, -taken[age], x, order, values);
    }
    const auto first = static_cast<float>(curvature[0] / product((last_ - 1) % kept_, curved_));
    for (std::size_t i = 0; i < x.size; ++i) values[i] *= first;
    for (std::uint32_t age = n; age-- > 0;) {
      const std::uint32_t at = (last_ - 1 - age) % kept_;
      const double back = dot(at, curved_, x, order, values) / curvature[age];
      add(at, moved_, taken[age] - back, x, order, values);
    }
    for (std::size_t i = 0; i < x.size; ++i) after += double{values[i]} * x.values[i];
    const double most = before / kDamping;  // what damping alone would give
    if (after <= most) return;
    for (std::size_t i = 0; i < x.size; ++i) values[i] *= static_cast<float>(most / after);
  }

  // Adds the pair of a step: the change of each weight of the row, and the change of the gradient in the margin. Drops
  // the places of weights that did not change from `order`.
  void add_pair(const SparseRow& x, std::uint32_t* order, const float* change, double of_gradient) {
    std::uint32_t* const end = std::remove_if(order, order + x.size, [&](std::uint32_t i) { return change[i] == 0; });
    std::span<std::uint32_t> changed(order, end);
    if (changed.size() > room_) {
      const auto heavier = [&](std::uint32_t a, std::uint32_t b) {
        const float of_a = std::abs(change[a]), of_b = std::abs(change[b]);
        return of_a != of_b ? of_a > of_b : x.keys[a] < x.keys[b];
      };
      std::nth_element(order, order + room_, end, heavier);
      changed = changed.first(room_);
      std::sort(order, order + room_, [&](std::uint32_t a, std::uint32_t b) { return x.keys[a] < x.keys[b]; });
    }
    const auto curved = [&](std::uint32_t i) {
      return static_cast<float>(of_gradient * x.values[i] + kDamping * change[i]);
    };
    double along = 0, curvature = 0, squares = 0;
    for (const std::uint32_t i : changed) {
      along += double{x.values[i]} * change[i];
      curvature += double{change[i]} * curved(i);
      squares += double{curved(i)} * curved(i);
    }
    // where features collide, the gradient may change against the step, which no convex function does
    if (of_gradient * along < 0 || !is_usable(curvature) || !is_usable(squares)) return;
    const std::uint32_t at = last_ % kept_;
    for (std::size_t place = 0; place < changed.size(); ++place) {
      const std::uint32_t i = changed[place];
      keys_[at * room_ + place] = x.keys[i];
      moved_[at * room_ + place] = change[i];
      curved_[at * room_ + place] = curved(i);
    }
    sizes_[at] = static_cast<std::uint32_t>(changed.size());
    last_ = last_ + 1 == 2 * kept_ ? kept_ : last_ + 1;
  }

  void clear() {
    std::fill(keys_.begin(), keys_.end(), 0u);
    std::fill(moved_.begin(), moved_.end(), 0.0f);
    std::fill(curved_.begin(), curved_.end(), 0.0f);
    sizes_ = {};
    last_ = 0;
  }

  void archive(Archive& archive) {
    archive.fixed("pair_keys", keys_.data(), keys_.size());
    archive.fixed("pair_changes", moved_.data(), moved_.size());
    archive.fixed("pair_gradients", curved_.data(), curved_.size());
    archive.fixed("pair_sizes", sizes_.data(), kept_);
    archive.value("pair_last", last_);
    if (archive.loading()) check();
  }

 private:
  static constexpr std::size_t kPlace = sizeof(Key) + 2 * sizeof(float);
  static std::uint32_t pairs_for(std::uint32_t places) { return std::clamp(places, 1u, kMost); }

  // What H divides by: neither so small nor so large that a quotient would overflow.
  static bool is_usable(double sum) { return sum >= 1e-100 && sum <= 1e100; }
  double product(std::uint32_t at, const std::vector<float>& other) const {  // with `curved_`
    double sum = 0;
    for (std::size_t place = at * room_; place < at * room_ + sizes_[at]; ++place)
      sum += double{curved_[place]} * other[place];
    return sum;
  }
  // Calls visit(place in the pair, place in the row) for each feature that both have.
  template <class Visit>
  void shared(std::uint32_t at, const SparseRow& x, const std::uint32_t* order, Visit visit) const {
    std::size_t place = at * room_, i = 0;
    const std::size_t end = place + sizes_[at];
    while (place < end && i < x.size) {
      const Key mine = keys_[place], other = x.keys[order[i]];
      if (mine == other) visit(place, order[i]);
      place += mine <= other;
      i += other <= mine;
    }
  }
  double dot(std::uint32_t at, const std::vector<float>& of_pair, const SparseRow& x, const std::uint32_t* order,
             const float* values) const {
    double sum = 0;
    shared(at, x, order, [&](std::size_t place, std::uint32_t i) { sum += double{of_pair[place]} * values[i]; });
    return sum;
  }
  void add(std::uint32_t at, const std::vector<float>& of_pair, double factor, const SparseRow& x,
           const std::uint32_t* order, float* values) const {
    shared(at, x, order, [&](std::size_t place, std::uint32_t i) {
      values[i] = static_cast<float>(values[i] + factor * of_pair[place]);
    });
  }

  void check() const {
    require_state(last_ < 2 * kept_, "the number of the last pair is too large");
    for (std::uint32_t at = 0; at < std::min(last_, kept_); ++at) {
      require_state(sizes_[at] >= 1 && sizes_[at] <= room_, "a pair has no features, or too many");
      for (std::size_t place = at * room_; place < at * room_ + sizes_[at]; ++place) {
        require_state(place == at * room_ || keys_[place - 1] < keys_[place], "the keys of a pair are not in order");
        require_state(std::isfinite(moved_[place]) && std::isfinite(curved_[place]), "a pair is not finite");
      }
      require_state(is_usable(product(at, moved_)) && is_usable(product(at, curved_)),
                    "the curvature of a pair is not positive, or too small or too large");
    }
  }

  std::uint32_t kept_;
  std::size_t room_;       // for the features of one pair
  std::vector<Key> keys_;  // in ascending order within a pair
  std::vector<float> moved_, curved_;
  std::array<std::uint32_t, kMost> sizes_{};
  std::uint32_t last_ = 0;  // the number of pairs; from kept_ on, it goes round between kept_ and 2 * kept_ - 1
};

}  // namespace wmsketch
