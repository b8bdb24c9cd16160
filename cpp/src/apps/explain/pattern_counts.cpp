#include "wmsketch/apps/explain/pattern_counts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "wmsketch/data/error.hpp"
#include "wmsketch/readers/number_style.hpp"
#include "wmsketch/readers/row_encoder.hpp"

namespace wmsketch {
namespace {

constexpr std::uint32_t kFirst = 2;  // of the conditions that make the pattern
constexpr std::uint32_t kOfMetric = ExplainColumns::kNone;
constexpr std::size_t kNoPercentile = 1024;  // bytes: none of the conditions has a percentile

}  // namespace

PatternCounts::PatternCounts(Options options)
    : metric_(std::move(options.metric)),
      columns_(kColumnBytes, options.secret),
      most_patterns_(std::max<std::size_t>(2, options.most_patterns)),
      n_conditions_(options.conditions.size()) {
  require_parameter(n_conditions_ <= kMostConditions, "conditions", "must be at most 60",
                    static_cast<std::uint64_t>(n_conditions_));
  const auto add = [&](ConditionOptions& given) {
    conditions_.emplace_back(std::move(given.comparisons), std::move(given.steps), kNoPercentile, 0);
  };
  add(options.where);
  add(options.side);
  for (ConditionOptions& each : options.conditions) add(each);
  const auto column_of = [&](const std::string& name) -> ExplainColumn& {
    const std::uint32_t id = columns_.find(name);
    require_parameter(id != ExplainColumns::kNone, "conditions", "must have fewer columns",
                      static_cast<std::uint64_t>(conditions_.size()));
    return columns_[id];
  };
  for (std::uint32_t which = 0; which < conditions_.size(); ++which)
    for (std::uint32_t i = 0; i < conditions_[which].size(); ++i)
      column_of(conditions_[which].comparison(i).column).comparisons.emplace_back(which, i);
  for (std::uint32_t i = 0; i < metric_.size(); ++i)
    if (metric_.term(i).of != MetricTerm::Of::rows)
      column_of(metric_.term(i).column).comparisons.emplace_back(kOfMetric, i);
}

void PatternCounts::set_values(const RowBlock& rows, std::size_t row) {
  for (Condition& condition : conditions_) condition.start_row();
  metric_.start_row();
  const auto end = static_cast<std::size_t>(rows.starts[row + 1]);
  for (auto i = static_cast<std::size_t>(rows.starts[row]); i < end; ++i) {
    const RowBlock::Cell cell = rows.cell(i, scratch_);
    const std::uint32_t id = columns_.find(cell);
    if (id == ExplainColumns::kNone) continue;
    const ExplainColumn& column = columns_[id];
    if (column.comparisons.empty()) continue;
    const std::optional<double> number =
        cell.is_number ? std::optional<double>(rows.values[i]) : number_or_amount_in(cell.word);
    for (const auto& [which, place] : column.comparisons)
      if (which == kOfMetric)
        metric_.set(place, cell.word, number, true);
      else if (which < kFirst || number || !conditions_[which].compares_numbers(place))
        conditions_[which].set(place, cell.word, number);
  }
}

void PatternCounts::learn(const RowBlock& rows) {
  columns_.start_block();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    set_values(rows, row);
    if (conditions_[0].truth() != Truth::yes) continue;
    const Truth side =
        conditions_[1].size() > 0 ? conditions_[1].truth() : (rows.labels[row] > 0 ? Truth::yes : Truth::no);
    if (side == Truth::unknown) continue;
    std::uint64_t pattern = 0;
    for (std::size_t i = 0; i < n_conditions_; ++i)
      pattern |= std::uint64_t{conditions_[kFirst + i].truth() == Truth::yes} << i;
    const bool test = side == Truth::yes;
    metric_.finish_row(test);
    Sums& sums = patterns_[pattern];
    sums.rows[test] += 1;
    for (std::size_t i = 0; i < Metric::kMostMoments; ++i) sums.moments[test][i] += metric_.moments()[i];
    while (patterns_.size() > most_patterns_) give_up_one();
  }
}

void PatternCounts::give_up_one() {
  const std::uint64_t kept = (std::uint64_t{1} << --n_conditions_) - 1;
  std::map<std::uint64_t, Sums> fewer;
  for (const auto& [pattern, sums] : patterns_) {
    Sums& into = fewer[pattern & kept];
    for (const std::size_t side : {0u, 1u}) {
      into.rows[side] += sums.rows[side];
      for (std::size_t i = 0; i < Metric::kMostMoments; ++i) into.moments[side][i] += sums.moments[side][i];
    }
  }
  patterns_ = std::move(fewer);
}

}  // namespace wmsketch
