#include "wmsketch/apps/explain/metric.hpp"

#include <algorithm>

#include "wmsketch/data/archive_names.hpp"
#include "wmsketch/data/utf8.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch {

void Metric::set(std::size_t i, std::string_view word, std::optional<double> number, bool learning) {
  if (const std::optional<bool> truth = boolean_in(word); !number && truth) number = *truth ? 1 : 0;
  if (number && std::abs(*number) <= kLargest) {
    row_[i] = number;
    return;
  }
  const bool again = i == 1 && terms_[0].of != MetricTerm::Of::rows && terms_[0].column == terms_[1].column;
  if (!learning || again || n_odd_++ > 0) return;
  word = word.substr(0, kLongestWord);
  const char* const cut = find_invalid_utf8(word.data(), word.data() + word.size());  // in the middle of a character
  first_odd_ = cut == nullptr ? word : word.substr(0, static_cast<std::size_t>(cut - word.data()));
}

void Metric::finish_row(bool side) {
  std::array<double, 2> values{};
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const std::optional<double>& number = row_[i];
    n_numbers_ += number ? 1 : 0;
    switch (terms_[i].of) {
      case MetricTerm::Of::sum:
        values[i] = number.value_or(0.0);
        break;
      case MetricTerm::Of::rows:
        values[i] = 1;
        break;
      case MetricTerm::Of::present:
        values[i] = number ? 1 : 0;
        break;
      case MetricTerm::Of::above:
        values[i] = number && *number > terms_[i].threshold ? 1 : 0;
    }
  }
  if (terms_.empty()) return;
  const auto [u, v] = values;
  moments_ = terms_.size() == 1 ? Moments{u, u * u} : Moments{u, v, u * u, u * v, v * v};
  for (std::size_t i = 0; i < kMostMoments; ++i) totals_[side][i] += moments_[i];
  for (const std::size_t i : {0u, 1u}) {
    extremes_[2 * i] = std::min(extremes_[2 * i], values[i]);
    extremes_[2 * i + 1] = std::max(extremes_[2 * i + 1], values[i]);
  }
}

void Metric::merge(const Metric& other) {
  for (const std::size_t side : {0u, 1u})
    for (std::size_t i = 0; i < kMostMoments; ++i) totals_[side][i] += other.totals_[side][i];
  for (const std::size_t i : {0u, 2u}) {
    extremes_[i] = std::min(extremes_[i], other.extremes_[i]);
    extremes_[i + 1] = std::max(extremes_[i + 1], other.extremes_[i + 1]);
  }
  n_numbers_ += other.n_numbers_;
  if (n_odd_ == 0) first_odd_ = other.first_odd_;
  n_odd_ += other.n_odd_;
}

void Metric::archive(Archive& archive) {
  if (terms_.empty()) return;
  for (const std::size_t side : {0u, 1u})
    archive.fixed(side == 1 ? "metric_test" : "metric_control", totals_[side].data(), kMostMoments);
  archive.fixed("metric_extremes", extremes_.data(), extremes_.size());
  archive.value("metric_numbers", n_numbers_);
  archive.value("metric_odd", n_odd_);
  std::vector<std::string> odd{first_odd_};
  archive_texts(archive, odd, 1, "metric_first_odd");
  if (!archive.loading()) return;
  require_state(odd.size() == 1, "the first value that is no number is not one value");
  first_odd_ = odd.front();
  for (const auto& each : totals_)
    for (const double sum : each) require_state(std::isfinite(sum), "a sum of the metric is not finite");
  for (const double value : extremes_) require_state(std::isfinite(value), "an extreme of the metric is not finite");
}

}  // namespace wmsketch
