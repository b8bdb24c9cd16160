#include <gtest/gtest.h>

#include <string>

#include "explain_rows.hpp"
#include "wmsketch/apps/explain/explain_stream.hpp"
#include "wmsketch/apps/explain/pattern_counts.hpp"

namespace wmsketch {
namespace {

using Of = MetricTerm::Of;

TableRows some_rows() {
  TableRows rows;
  rows.add({{"ms", "10"}, {"host", "a"}}, +1);
  rows.add({{"ms", "30"}, {"host", "a"}}, +1);
  rows.add({{"ms", "oops"}, {"host", "b"}}, -1);
  rows.add({{"ms", "7"}, {"host", "b"}}, -1);
  return rows;
}

TEST(Metric, SumsAndSquaresAreThoseOfTheRows) {
  ExplainOptions options;
  options.table = {64, 16, 64 * 12, Metric::n_moments(2)};
  options.metric = {{Of::sum, "ms"}, {Of::present, "ms"}};
  AttributeStream stream(options);
  const TableRows rows = some_rows();
  stream.observe(rows);
  stream.finish_warm_up();
  stream.learn(rows);
  const auto now = stream.held();
  ASSERT_EQ(now.names.size(), 2u);  // the column of the metric is no attribute
  const std::size_t a = now.names[0] == "a" ? 0 : 1, b = 1 - a;
  const auto moment = [&](std::size_t which, std::size_t side, std::size_t i) {
    return now.moments[(2 * which + side) * 5 + i];
  };
  EXPECT_EQ(moment(a, 1, 0), 40);
  EXPECT_EQ(moment(a, 1, 2), 1000);
  EXPECT_EQ(moment(b, 0, 0), 7);
  EXPECT_EQ(moment(b, 0, 1), 1);  // a word is no number
  EXPECT_EQ(stream.metric().n_odd(), 1u);
  EXPECT_EQ(stream.metric().first_odd(), "oops");
  EXPECT_LE(stream.nbytes(), AttributeTable::bytes_for(options.table) + options.column_bytes);
}

TEST(PatternCounts, CountsRowsByTheConditionsTheyMeet) {
  PatternCounts::Options options;
  for (const char* host : {"a", "b"}) {
    ConditionOptions condition;
    condition.comparisons.push_back({"host", Comparison::Operator::equal, host});
    options.conditions.push_back(condition);
  }
  options.metric = {{Of::sum, "ms"}};
  PatternCounts counts(options);
  counts.learn(some_rows());
  ASSERT_EQ(counts.patterns().size(), 2u);
  EXPECT_EQ(counts.patterns().at(1).moments[1][0], 40);
  EXPECT_EQ(counts.patterns().at(2).rows[0], 2);
}

TEST(PatternCounts, GivesUpTheLastConditionsIfThereAreTooManyPatterns) {
  PatternCounts::Options options;
  for (int i = 0; i < 20; ++i) {
    ConditionOptions condition;
    condition.comparisons.push_back({"host", Comparison::Operator::equal, std::to_string(i)});
    options.conditions.push_back(condition);
  }
  options.most_patterns = 8;
  PatternCounts counts(options);
  TableRows rows;
  for (int i = 0; i < 40; ++i) rows.add({{"host", "x" + std::to_string(i)}}, +1);
  for (int i = 0; i < 20; ++i) rows.add({{"host", std::to_string(i)}}, +1);
  counts.learn(rows);
  EXPECT_LE(counts.patterns().size(), 8u);
  EXPECT_LT(counts.n_conditions(), 20u);
  double n = 0;
  for (const auto& [bits, sums] : counts.patterns()) n += sums.rows[1];
  EXPECT_EQ(n, 60);
}

}  // namespace
}  // namespace wmsketch
