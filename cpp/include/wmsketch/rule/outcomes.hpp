// How well predictions match labels: histograms of margins by label, from which AUC and calibration are computed.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "wmsketch/data/archive.hpp"
#include "wmsketch/data/saturating.hpp"

namespace wmsketch {

// A report of fixed size, not part of the bytes of the model. The bins are 0.25 wide and span -8 to 8. The outer bins
// also count everything beyond.
struct Outcomes {
  static constexpr std::size_t kBins = 64;
  static constexpr double kBinsPerUnit = 4;
  using Counts = std::array<std::uint32_t, kBins>;

  Counts negatives{}, positives{};
  std::uint64_t examples = 0;
  double predicted = 0;  // the sum of predicted probabilities

  void add(double margin, bool positive, double probability) {
    const double bin = std::clamp(margin * kBinsPerUnit + kBins / 2.0, 0.0, kBins - 1.0);
    std::uint32_t& count = (positive ? positives : negatives)[static_cast<unsigned>(static_cast<int>(bin))];
    if (++count == std::numeric_limits<std::uint32_t>::max()) halve();
    count_one(examples);
    predicted += probability;
  }
  void merge(const Outcomes& other, const Outcomes& base) {  // adds the other's counts since the base
    Outcomes theirs = other.since(base);
    const auto fits = [&] {
      for (std::size_t bin = 0; bin < kBins; ++bin)
        for (const auto& [a, b] :
             {std::pair(negatives[bin], theirs.negatives[bin]), std::pair(positives[bin], theirs.positives[bin])})
          if (std::uint64_t{a} + b >= std::numeric_limits<std::uint32_t>::max()) return false;
      return true;
    };
    while (!fits()) {
      halve();
      theirs.halve();
    }
    for (std::size_t bin = 0; bin < kBins; ++bin) {
      negatives[bin] += theirs.negatives[bin];
      positives[bin] += theirs.positives[bin];
    }
    examples = add_saturating(examples, theirs.examples);
    predicted = std::min(predicted + theirs.predicted, static_cast<double>(examples));
  }
  void archive(Archive& archive) {
    archive.value("outcome_examples", examples);
    if (examples == 0) return;
    archive.fixed("outcome_negatives", negatives.data(), kBins);
    archive.fixed("outcome_positives", positives.data(), kBins);
    archive.value("outcome_predicted", predicted);
  }
  void check(std::uint64_t n_seen) const {
    require_state(examples <= n_seen, "more predictions than examples");
    require_state(predicted >= 0 && predicted <= static_cast<double>(examples) * (1 + 1e-6),
                  "the sum of predicted probabilities is negative or exceeds their number");
  }

 private:
  Outcomes since(const Outcomes& base) const {
    Outcomes rest = *this;
    for (std::size_t bin = 0; bin < kBins; ++bin) {
      rest.negatives[bin] -= std::min(negatives[bin], base.negatives[bin]);
      rest.positives[bin] -= std::min(positives[bin], base.positives[bin]);
    }
    rest.examples -= std::min(examples, base.examples);
    rest.predicted = std::max(predicted - base.predicted, 0.0);
    return rest;
  }
  [[gnu::cold, gnu::noinline]] void halve() {  // prevents overflow and keeps the proportions
    for (Counts* counts : {&negatives, &positives})
      for (std::uint32_t& count : *counts) count /= 2;
  }
};

}  // namespace wmsketch
