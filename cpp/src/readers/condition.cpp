#include "wmsketch/readers/condition.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <utility>

#include "wmsketch/readers/numbers.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch {
namespace {

constexpr std::size_t kMostSteps = 1000;
// Percentiles are refreshed when the stream has grown by 1 / 64: a refresh is slow and changes the answer little.
constexpr std::uint64_t kRefreshShare = 64;

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

// Booleans are compared without case.
bool same_word(std::string_view a, std::string_view b) {
  if (a == b) return true;
  if (a.size() != b.size()) return false;
  const std::optional<bool> truth = boolean_in(a);
  return truth && truth == boolean_in(b);
}

bool is_equality(const Comparison& comparison) {
  return comparison.op == Comparison::Operator::equal || comparison.op == Comparison::Operator::unequal;
}

}  // namespace

Condition::Condition(std::vector<Comparison> comparisons, std::vector<std::int32_t> steps, std::size_t bytes,
                     std::uint64_t seed)
    : comparisons_(std::move(comparisons)), steps_(std::move(steps)), row_(comparisons_.size()) {
  for (const Comparison& each : comparisons_) {
    thresholds_.push_back(each.number.value_or(std::numeric_limits<double>::quiet_NaN()));
    sketch_of_.push_back(each.percentile ? static_cast<std::int32_t>(sketches_.size()) : -1);
    if (each.percentile) sketches_.emplace_back(bytes, seed + sketches_.size());
  }
  if (steps_.size() > kMostSteps)
    throw std::invalid_argument("a condition must have at most " + std::to_string(kMostSteps) +
                                " comparisons and operators, got " + std::to_string(steps_.size()));
  if (steps_.empty())
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(comparisons_.size()); ++i) {
      steps_.push_back(i);
      if (i > 0) steps_.push_back(step_and);
    }
}

void Condition::start_row() {
  for (Value& value : row_) value.set = false;
}

void Condition::set(std::size_t i, std::string_view word, std::optional<double> number) {
  const Comparison& comparison = comparisons_[i];
  Value& value = row_[i];
  if (!number && !is_equality(comparison) && is_missing(word)) return;
  if (is_equality(comparison)) {
    const bool code = !word.empty() && (is_code(word) || is_code(comparison.word));  // 02139 is not 2139
    const bool same =
        number && comparison.number && !code ? *number == *comparison.number : same_word(word, comparison.word);
    value.equal = (value.set && value.equal) || same;  // one of several values of a column is enough
  } else if (comparison.op != Comparison::Operator::missing) {
    constexpr std::uint8_t kFirst = 20;
    if (!number && (value.met_number || ++value.n_odd <= kFirst)) return;  // an odd value among numbers
    if (!number)
      throw std::invalid_argument("expected a number in column '" + comparison.column + "', found '" +
                                  std::string(word.substr(0, 40)) + "'");
    value.number = *number;
    value.met_number = true;
  }
  value.set = true;
}

Truth Condition::truth_of(std::size_t i) const {
  const Comparison& each = comparisons_[i];
  const Value& value = row_[i];
  const auto said = [](bool yes) { return yes ? Truth::yes : Truth::no; };
  if (each.op == Comparison::Operator::missing) return said(!value.set);
  if (!value.set) return Truth::unknown;
  if (is_equality(each)) return said(value.equal == (each.op == Comparison::Operator::equal));
  return said(compare(each.op, value.number, thresholds_[i]));
}

Truth Condition::truth() const {
  if (comparisons_.size() == 1 && steps_.size() == 1) return truth_of(0);
  std::array<Truth, kMostSteps> stack;
  std::size_t n = 0;
  for (const std::int32_t step : steps_) {
    if (step >= 0) {
      stack[n++] = truth_of(static_cast<std::size_t>(step));
    } else if (step == step_not) {
      stack[n - 1] = static_cast<Truth>(2 - static_cast<int>(stack[n - 1]));
    } else {
      const Truth right = stack[--n], left = stack[n - 1];
      stack[n - 1] = step == step_and ? std::min(left, right) : std::max(left, right);
    }
  }
  return n == 0 ? Truth::yes : stack[0];
}

void Condition::add_to_percentiles() {
  bool any = false;
  each_percentile_number([&](std::size_t sketch, double number) {
    sketches_[sketch].add(number);
    any = true;
  });
  n_observed_ += any;
}

void Condition::observe() {
  if (sketches_.empty() || held_) return;
  const std::uint64_t before = n_observed_;
  add_to_percentiles();
  if (n_observed_ > before && n_observed_ >= next_refresh_) {
    refresh();
    next_refresh_ = n_observed_ + n_observed_ / kRefreshShare + 1;
  }
}

void Condition::refresh() {
  if (held_) return;
  for (std::size_t i = 0; i < comparisons_.size(); ++i)
    if (sketch_of_[i] >= 0)
      thresholds_[i] = sketches_[static_cast<std::size_t>(sketch_of_[i])].quantile(*comparisons_[i].percentile / 100);
}

std::vector<double> Condition::percentiles() const {
  std::vector<double> found;
  for (std::size_t i = 0; i < comparisons_.size(); ++i)
    if (sketch_of_[i] >= 0) found.push_back(thresholds_[i]);
  return found;
}

void Condition::hold(const std::vector<double>& percentiles) {
  if (percentiles.size() != sketches_.size())
    throw std::invalid_argument("expected " + std::to_string(sketches_.size()) + " percentiles, got " +
                                std::to_string(percentiles.size()));
  for (std::size_t i = 0; i < comparisons_.size(); ++i)
    if (sketch_of_[i] >= 0) thresholds_[i] = percentiles[static_cast<std::size_t>(sketch_of_[i])];
  held_ = true;
}

std::size_t Condition::nbytes() const {
  std::size_t bytes = steps_.size() * sizeof(std::int32_t);
  for (const QuantileSketch& sketch : sketches_) bytes += sketch.nbytes();
  for (const Comparison& each : comparisons_)
    bytes += sizeof(Comparison) + sizeof(Value) + sizeof(double) + 2 * sizeof(std::int32_t) + each.column.size() +
             each.word.size();
  return bytes;
}

void Condition::archive(Archive& archive, const std::string& name) {
  archive.fixed(name + ".thresholds", thresholds_.data(), thresholds_.size());
  archive.value(name + ".n_observed", n_observed_);
  archive.value(name + ".next_refresh", next_refresh_);
  for (std::size_t i = 0; i < sketches_.size(); ++i) sketches_[i].archive(archive, name + "." + std::to_string(i));
}

}  // namespace wmsketch
