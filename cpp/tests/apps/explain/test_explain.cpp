#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "explain_rows.hpp"
#include "wmsketch/apps/explain/explain_stream.hpp"
#include "wmsketch/counters/quantile_sketch.hpp"

namespace wmsketch {
namespace {

using Operator = Comparison::Operator;

// --- quantiles ---

TEST(QuantileSketch, IsExactForFewValues) {
  QuantileSketch sketch(QuantileSketch::kLeastBytes);
  EXPECT_TRUE(std::isnan(sketch.quantile(0.5)));
  for (const double value : {5.0, 1.0, 4.0, 2.0, 3.0}) sketch.add(value);
  EXPECT_EQ(sketch.quantile(0.2), 1.0);
  EXPECT_EQ(sketch.quantile(0.5), 3.0);
  EXPECT_EQ(sketch.quantile(0.8), 4.0);
  EXPECT_EQ(sketch.quantile(1.0), 5.0);
}

TEST(QuantileSketch, IsAccurateForManyValuesInAnyOrder) {
  constexpr int kMany = 200'000;
  for (const int order : {+1, -1, 0}) {
    QuantileSketch sketch(4096, 7);
    const std::size_t before = sketch.nbytes();
    Random random(3);
    for (int i = 0; i < kMany; ++i)
      sketch.add(order == 0 ? kMany * random.uniform() : order > 0 ? double(i) : double(kMany - i));
    EXPECT_EQ(sketch.nbytes(), before);
    EXPECT_LE(before, 4096u);
    EXPECT_EQ(sketch.count(), std::uint64_t{kMany});
    for (const double p : {0.01, 0.2, 0.5, 0.8, 0.99}) EXPECT_NEAR(sketch.quantile(p) / kMany, p, 0.03) << order;
  }
}

TEST(QuantileSketch, ReturnsTheValueIfAllAreEqual) {
  QuantileSketch sketch(QuantileSketch::kLeastBytes);
  for (int i = 0; i < 10'000; ++i) sketch.add(-2.5);
  for (const double p : {0.0, 0.5, 1.0}) EXPECT_EQ(sketch.quantile(p), -2.5);
}

// --- conditions ---

Truth truth_of(Condition& condition, std::initializer_list<std::pair<std::size_t, const char*>> values) {
  condition.start_row();
  for (const auto& [i, word] : values) {
    char* end = nullptr;
    const double number = std::strtod(word, &end);
    condition.set(i, word, *end == '\0' && *word != '\0' ? std::optional(number) : std::nullopt);
  }
  return condition.truth();
}

TEST(Condition, ComparesNumbersAndWords) {
  Condition condition({{"ms", Operator::at_least, "100", 100.0}, {"method", Operator::unequal, "GET"}}, {}, 0, 0);
  EXPECT_EQ(truth_of(condition, {{0, "100"}, {1, "POST"}}), Truth::yes);
  EXPECT_EQ(truth_of(condition, {{0, "99.9"}, {1, "POST"}}), Truth::no);
  EXPECT_EQ(truth_of(condition, {{0, "100"}, {1, "GET"}}), Truth::no);
  EXPECT_EQ(truth_of(condition, {{0, "100"}}), Truth::unknown);
  EXPECT_EQ(truth_of(condition, {{0, "5"}}), Truth::no);  // whatever the other column is
  EXPECT_EQ(truth_of(condition, {{0, "slow"}, {1, "POST"}}),
            Truth::unknown);  // a word is no number: as if it were missing
}

TEST(Condition, EqualityComparesNumbersAndMatchesAnyOfSeveralValues) {
  Condition condition({{"status", Operator::equal, "5e2", 500.0}}, {}, 0, 0);
  EXPECT_EQ(truth_of(condition, {{0, "500.0"}}), Truth::yes);
  EXPECT_EQ(truth_of(condition, {{0, "five hundred"}}), Truth::no);
  EXPECT_EQ(truth_of(condition, {{0, "404"}, {0, "500"}}), Truth::yes);
}

TEST(Condition, CombinesByAndOrAndNot) {
  // not (user is missing or status == 500)
  Condition condition({{"user", Operator::missing}, {"status", Operator::equal, "500", 500.0}},
                      {0, 1, step_or, step_not}, 0, 0);
  EXPECT_EQ(truth_of(condition, {{0, "x"}, {1, "404"}}), Truth::yes);
  EXPECT_EQ(truth_of(condition, {{0, "x"}, {1, "500"}}), Truth::no);
  EXPECT_EQ(truth_of(condition, {{1, "404"}}), Truth::no);
  EXPECT_EQ(truth_of(condition, {{0, "NA"}, {1, "404"}}), Truth::no);
  EXPECT_EQ(truth_of(condition, {{0, "x"}}), Truth::unknown);
  EXPECT_EQ(truth_of(condition, {}), Truth::no);
}

TEST(Condition, PercentilesAreThoseOfTheStreamSoFar) {
  Condition condition({{"ms", Operator::more, "", std::nullopt, 80.0}}, {}, QuantileSketch::kLeastBytes, 0);
  EXPECT_TRUE(std::isnan(condition.threshold(0)));
  EXPECT_EQ(truth_of(condition, {{0, "1e300"}}), Truth::no);  // no percentile yet: no value is above it
  for (int i = 1; i <= 1000; ++i) {
    condition.start_row();
    condition.set(0, {}, double(i));
    condition.observe();
  }
  condition.refresh();
  EXPECT_NEAR(condition.threshold(0), 800, 30);
  EXPECT_EQ(truth_of(condition, {{0, "900"}}), Truth::yes);
  EXPECT_EQ(truth_of(condition, {{0, "700"}}), Truth::no);
}

// --- attributes ---

constexpr AttributeTable::Shape kRoomy{4096, 64, 1 << 16};

struct Count {
  double outliers, inliers, outliers_missed, inliers_missed;
  bool operator==(const Count&) const = default;
};

std::string label_of(const AttributeStream& stream, const AttributeTable::Held& held) {
  if (held.order == 1) return std::string(stream.columns()[held.right].name()) + "=" + stream.table().name(held.slot);
  const auto all = stream.table().held();
  const auto of = [&](std::uint32_t slot) {
    return label_of(stream, *std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.slot == slot; }));
  };
  return of(held.left) + "&" + of(held.right);
}

// The label with the attributes of the conjunction in alphabetical order.
std::string sorted_label(const std::string& label) {
  std::set<std::string> parts;
  std::istringstream text(label);
  for (std::string part; std::getline(text, part, '&');) parts.insert(part);
  std::string sorted;
  for (const std::string& part : parts) sorted += (sorted.empty() ? "" : "&") + part;
  return sorted;
}

std::map<std::string, Count> counts_of(const AttributeStream& stream) {
  std::map<std::string, Count> counts;
  const AttributeStream::HeldNow now = stream.held();
  for (std::size_t i = 0; i < now.held.size(); ++i) {
    const auto& held = now.held[i];
    const std::string label = held.order == 1 ? std::string(stream.columns()[held.right].name()) + '=' + now.names[i]
                                              : label_of(stream, held);
    counts[sorted_label(label)] = {held.counted[1], held.counted[0], held.missed[1], held.missed[0]};
  }
  return counts;
}

void learn(AttributeStream& stream, const RowBlock& rows) {
  stream.observe(rows);
  stream.finish_warm_up();
  stream.learn(rows);
}

TEST(AttributeStream, CountsConjunctionsUpToTheOrder) {
  TableRows rows;
  rows.add({{"os", "mac"}, {"app", "web"}, {"city", "Rome"}}, +1);
  for (const auto& [order, wanted] : {std::pair(1u, 3u), std::pair(2u, 6u), std::pair(3u, 7u)}) {
    AttributeStream stream({.order = order, .table = kRoomy});
    learn(stream, rows);
    EXPECT_EQ(stream.table().size(), wanted);
    EXPECT_EQ(counts_of(stream).count("app=web&city=Rome&os=mac"), order == 3 ? 1u : 0u);
  }
}

TEST(AttributeStream, AConjunctionDoesNotDependOnTheOrderOfColumns) {
  TableRows rows;
  rows.add({{"os", "mac"}, {"app", "web"}}, +1);
  rows.add({{"app", "web"}, {"os", "mac"}, {"os", "mac"}}, -1);  // a repeated value counts once
  AttributeStream stream({.order = 2, .table = kRoomy});
  learn(stream, rows);
  EXPECT_EQ(stream.table().size(), 3u);
  EXPECT_EQ(counts_of(stream)["app=web&os=mac"], (Count{1, 1, 0, 0}));
}

TEST(AttributeStream, BinsNumbersByQuantilesUnlessTheyAreFewIntegers) {
  TableRows rows;
  for (int i = 0; i < 1000; ++i) rows.add({{"ms", 0.5 + i}, {"stars", double(i % 5)}}, i % 2 == 0 ? +1 : -1);
  AttributeStream stream({.bins = 4, .table = kRoomy});
  learn(stream, rows);
  auto counts = counts_of(stream);
  EXPECT_EQ(counts.size(), 4u + 5u);
  double all = 0;
  for (const auto& [label, count] : counts)
    if (label.starts_with("ms=")) {
      EXPECT_NEAR(count.outliers, 125, 30) << label;
      all += count.outliers + count.inliers;
    }
  EXPECT_EQ(all, 1000);
  EXPECT_EQ(counts["stars=3"], (Count{100, 100, 0, 0}));
}

TEST(AttributeStream, MissingValuesAreAttributesAlsoBeforeAColumnAppears) {
  TableRows rows;
  rows.add({{"host", "a"}}, +1);
  rows.add({{"host", "a"}}, -1);
  AttributeStream stream({.table = kRoomy});
  learn(stream, rows);
  TableRows more;
  more.add({{"host", "a"}, {"user", "x"}}, -1);
  more.add({{"user", "y"}}, +1);
  stream.learn(more);
  auto counts = counts_of(stream);
  EXPECT_EQ(counts["user=(missing)"], (Count{1, 1, 0, 0}));
  EXPECT_EQ(counts["host=(missing)"], (Count{1, 0, 0, 0}));
  EXPECT_EQ(counts["host=a"], (Count{1, 2, 0, 0}));
}

TEST(AttributeStream, SkipsRowsWithoutTheTestedValueAndIgnoresItsColumn) {
  TableRows rows;
  rows.add({{"ms", "900"}, {"host", "a"}});
  rows.add({{"host", "b"}});
  rows.add({{"ms", "1"}, {"host", "a"}});
  rows.add({{"ms", "1"}, {"host", "c"}});
  AttributeStream stream({.outlier = {{{"ms", Operator::more, "100", 100.0}}, {}},
                          .where = {{{"host", Operator::unequal, "c"}}, {}},
                          .table = kRoomy});
  learn(stream, rows);
  const RowCounts counts = stream.counts();
  EXPECT_EQ(counts.rows, 2u);
  EXPECT_EQ(counts.outliers, 1u);
  EXPECT_EQ(counts.skipped, 1u);
  EXPECT_EQ(counts.left_out, 1u);
  EXPECT_EQ(counts_of(stream), (std::map<std::string, Count>{{"host=a", {1, 1, 0, 0}}}));
}

TEST(AttributeStream, EmptyInputGivesNothing) {
  const TableRows rows;
  AttributeStream stream({.outlier = {{{"ms", Operator::more, "1", 1.0}}, {}}});
  EXPECT_FALSE(stream.observe(rows));
  stream.finish_warm_up();
  stream.learn(rows);
  EXPECT_EQ(stream.counts().rows, 0u);
}

TEST(AttributeStream, ARowWithAWordInPlaceOfTheNumberIsNoOutlier) {
  TableRows rows;
  rows.add({{"ms", "5"}});
  rows.add({{"ms", "slow"}});
  AttributeStream stream({.outlier = {{{"ms", Operator::more, "1", 1.0}}, {}}, .warm_up = 1});
  learn(stream, rows);
  EXPECT_EQ(stream.counts().outliers, 1u);
}

TEST(AttributeStream, WeightsAreAmounts) {
  TableRows rows;
  for (int i = 0; i < 99; ++i) rows.add({{"host", "a"}}, -1, 1);
  rows.add({{"host", "b"}}, +1, 10'000);
  AttributeStream stream({.table = kRoomy});
  learn(stream, rows);
  EXPECT_EQ(stream.counts().amounts[1], 10'000);
  EXPECT_EQ(stream.counts().amounts[0], 99);
  EXPECT_EQ(counts_of(stream)["host=b"].outliers, 10'000);
}

TEST(AttributeStream, RejectsBadOptions) {
  EXPECT_THROW(AttributeStream({.order = 0}), std::invalid_argument);
  EXPECT_THROW(AttributeStream({.order = 4}), std::invalid_argument);
  EXPECT_THROW(AttributeStream({.bins = 1}), std::invalid_argument);
  AttributeStream stream({});
  TableRows rows;
  rows.add({{"host", "a"}});
  EXPECT_THROW(stream.learn(rows), std::invalid_argument);  // the warm-up is not finished
  stream.finish_warm_up();
  EXPECT_THROW(stream.learn(rows), std::invalid_argument);  // neither labels nor a condition
}

TEST(AttributeStream, ForgetsByHalfLife) {
  TableRows rows;
  for (int i = 0; i < 3; ++i) rows.add({{"host", i == 0 ? "a" : "b"}}, i == 0 ? +1 : -1);
  AttributeStream stream({.half_life = {.examples = 1}, .table = kRoomy});
  learn(stream, rows);
  EXPECT_DOUBLE_EQ(stream.counts().amounts[1], 0.25);
  EXPECT_DOUBLE_EQ(stream.counts().amounts[0], 1.5);
  EXPECT_DOUBLE_EQ(counts_of(stream)["host=b"].inliers / stream.scale(), 1.5);
  for (int i = 0; i < 500; ++i) stream.learn(rows);  // long enough to fold the scale into the counts
  EXPECT_NEAR(stream.counts().amounts[1], 0.25 / (1 - 0.125), 1e-9);
  EXPECT_NEAR(counts_of(stream)["host=a"].outliers / stream.scale(), 0.25 / (1 - 0.125), 1e-9);
}

// --- eviction ---

TEST(AttributeTable, IntervalsContainTheTrueCounts) {
  for (const std::uint32_t order : {1u, 2u, 3u}) {
    Random random(order);
    TableRows rows;
    std::map<std::string, Count> truth;
    for (int i = 0; i < 4000; ++i) {
      const std::string a = std::to_string(random.below(1 + static_cast<std::uint32_t>(i) / 40)),
                        b = std::to_string(random.below(30)), c = std::to_string(random.below(3));
      const bool outlier = random.below(5) == 0;
      rows.add({{"a", a}, {"b", b}, {"c", c}}, outlier ? +1 : -1);
      const std::string parts[] = {"a=" + a, "b=" + b, "c=" + c};
      const auto count = [&](const std::string& name) { (outlier ? truth[name].outliers : truth[name].inliers) += 1; };
      for (int x = 0; x < 3; ++x) {
        count(parts[x]);
        for (int y = x + 1; y < 3; ++y) count(parts[x] + "&" + parts[y]);
      }
      count(parts[0] + "&" + parts[1] + "&" + parts[2]);
    }
    AttributeStream stream({.order = order, .table = {64, 16, 64 * 12}});
    const std::size_t before = stream.table().nbytes();
    learn(stream, rows);
    EXPECT_EQ(stream.table().nbytes(), before);
    EXPECT_EQ(before, AttributeTable::bytes_for({64, 16, 64 * 12}));
    EXPECT_FALSE(stream.table().complete());
    double most_missing = 0;
    auto counts = counts_of(stream);
    for (const auto& [name, found] : counts) {
      EXPECT_LE(found.outliers, truth[name].outliers) << name;
      EXPECT_GE(found.outliers + found.outliers_missed, truth[name].outliers) << name;
      EXPECT_LE(found.inliers, truth[name].inliers) << name;
      EXPECT_GE(found.inliers + found.inliers_missed, truth[name].inliers) << name;
    }
    for (const auto& [name, exact] : truth)
      if (!counts.contains(name) && std::count(name.begin(), name.end(), '&') == 0)
        most_missing = std::max(most_missing, exact.outliers);
    EXPECT_LE(most_missing, stream.table().most_outliers_evicted());
  }
}

TEST(AttributeTable, EstimatesTheNumberOfDistinctAttributes) {
  TableRows rows;
  for (int i = 0; i < 20'000; ++i) rows.add({{"id", std::to_string(i)}}, i % 3 == 0 ? +1 : -1);
  AttributeStream stream({.table = {64, 16, 64 * 12}});
  learn(stream, rows);
  EXPECT_NEAR(stream.table().n_distinct(false), 20'000, 3'000);
}

TEST(AttributeTable, RejectsATooSmallShape) { EXPECT_THROW(AttributeTable({8, 16, 1000}, 0), std::invalid_argument); }

}  // namespace
}  // namespace wmsketch
