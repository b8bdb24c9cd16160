// A metric of rows: a total like sum(revenue), or a ratio of two totals like sum(errors) / count().
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wmsketch/data/archive.hpp"

namespace wmsketch {

struct MetricTerm {
  enum class Of : std::uint8_t {
    sum,      // the number in the column, 0 without one
    rows,     // 1
    present,  // 1 if the column has a number
    above,    // 1 if the number is above the threshold
  };
  Of of;
  std::string column{};
  double threshold = 0;
};

// The moments of a row that are summed for each attribute: u and u^2 of a total; u, v, u^2, uv and v^2 of a ratio u/v.
class Metric {
 public:
  static constexpr std::size_t kMostMoments = 5;
  static constexpr double kLargest = 1e150;  // squares of larger numbers would overflow
  using Moments = std::array<double, kMostMoments>;

  Metric() = default;
  explicit Metric(std::vector<MetricTerm> terms) : terms_(std::move(terms)), row_(terms_.size()) {}

  static std::uint32_t n_moments(std::size_t n_terms) { return n_terms == 0 ? 0 : n_terms == 1 ? 2 : 5; }
  std::uint32_t n_moments() const { return n_moments(terms_.size()); }
  std::size_t size() const { return terms_.size(); }
  const MetricTerm& term(std::size_t i) const { return terms_[i]; }

  // For each row, call start_row, set the values of its columns, then finish_row.
  void start_row() {
    for (auto& value : row_) value = std::nullopt;
  }
  void set(std::size_t i, std::string_view word, std::optional<double> number, bool learning);
  const Moments& moments() const { return moments_; }
  void finish_row(bool side);

  // Sums of the moments of all rows, by side, and the least and the largest u and v of a row.
  const std::array<Moments, 2>& totals() const { return totals_; }
  const std::array<double, 4>& extremes() const { return extremes_; }
  std::uint64_t n_numbers() const { return n_numbers_; }
  std::uint64_t n_odd() const { return n_odd_; }  // values that are no numbers; they count as missing
  const std::string& first_odd() const { return first_odd_; }

  void merge(const Metric& other);
  void archive(Archive& archive);

 private:
  static constexpr std::size_t kLongestWord = 40;

  std::vector<MetricTerm> terms_;
  std::vector<std::optional<double>> row_;
  Moments moments_{};
  std::array<Moments, 2> totals_{};
  std::array<double, 4> extremes_{};  // 0 if there is no row
  std::uint64_t n_numbers_ = 0, n_odd_ = 0;
  std::string first_odd_;
};

}  // namespace wmsketch
