#include "wmsketch/apps/explain_condition.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch {
namespace {

constexpr std::uint64_t kRefreshShare = 64;  // asking costs a sort of the sketch, and moves a percentile little

bool compare(Comparison::Operator op, double left, double right) {
  switch (op) {
    case Comparison::Operator::less:
      return left < right;
    case Comparison::Operator::at_most:
      return left <= right;
    case Comparison::Operator::more:
      return left > right;
    case Comparison::Operator::at_least:
      return left >= right;
    default:
      return false;
  }
}

bool is_equality(const Comparison& comparison) {
  return comparison.op == Comparison::Operator::equal || comparison.op == Comparison::Operator::unequal;
}

}  // namespace

Condition::Condition(std::vector<Comparison> comparisons, std::size_t bytes, std::uint64_t seed)
    : comparisons_(std::move(comparisons)), row_(comparisons_.size()) {
  const auto n = std::count_if(comparisons_.begin(), comparisons_.end(),
                               [](const Comparison& each) { return each.percentile.has_value(); });
  for (const Comparison& each : comparisons_) {
    thresholds_.push_back(each.number.value_or(std::numeric_limits<double>::quiet_NaN()));
    sketch_of_.push_back(each.percentile ? static_cast<std::int32_t>(sketches_.size()) : -1);
    if (each.percentile) sketches_.emplace_back(bytes / static_cast<std::size_t>(n), seed + sketches_.size());
  }
}

void Condition::start_row() {
  n_set_ = 0;
  for (Value& value : row_) value.set = false;
}

void Condition::set(std::size_t i, std::string_view word, std::optional<double> number) {
  const Comparison& comparison = comparisons_[i];
  Value& value = row_[i];
  if (is_equality(comparison)) {
    const bool same = number && comparison.number ? *number == *comparison.number : word == comparison.word;
    value.equal = (value.set && value.equal) || same;  // one of several values of a column suffices
  } else {
    if (!number && is_missing(word)) return;
    if (!number)
      throw std::invalid_argument("expected a number in column '" + comparison.column + "', found '" +
                                  std::string(word.substr(0, 40)) + "'");
    value.number = *number;
  }
  n_set_ += value.set ? 0 : 1;
  value.set = true;
}

bool Condition::holds() const {
  for (std::size_t i = 0; i < comparisons_.size(); ++i) {
    const Comparison& each = comparisons_[i];
    const bool holds = is_equality(each) ? row_[i].equal == (each.op == Comparison::Operator::equal)
                                         : compare(each.op, row_[i].number, thresholds_[i]);
    if (!holds) return false;
  }
  return true;
}

void Condition::observe() {
  if (sketches_.empty()) return;
  for (std::size_t i = 0; i < comparisons_.size(); ++i)
    if (sketch_of_[i] >= 0) sketches_[static_cast<std::size_t>(sketch_of_[i])].add(row_[i].number);
  if (++n_observed_ >= next_refresh_) {
    refresh();
    next_refresh_ = n_observed_ + n_observed_ / kRefreshShare + 1;
  }
}

void Condition::refresh() {
  for (std::size_t i = 0; i < comparisons_.size(); ++i)
    if (sketch_of_[i] >= 0)
      thresholds_[i] = sketches_[static_cast<std::size_t>(sketch_of_[i])].quantile(*comparisons_[i].percentile / 100);
}

std::size_t Condition::nbytes() const {
  std::size_t bytes = 0;
  for (const QuantileSketch& sketch : sketches_) bytes += sketch.nbytes();
  for (const Comparison& each : comparisons_)
    bytes += sizeof(Comparison) + sizeof(Value) + sizeof(double) + 2 * sizeof(std::int32_t) + each.column.size() +
             each.word.size();
  return bytes;
}

}  // namespace wmsketch
