#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "wmsketch/apps/pmi/pmi.hpp"
#include "wmsketch/apps/pmi/pmi_tokens.hpp"
#include "wmsketch/readers/times.hpp"

namespace wmsketch {
namespace {

struct Collected {
  std::vector<std::string> tokens;  // "|" marks the end of a sequence
  void token(std::string_view text) { tokens.emplace_back(text); }
  void end() { tokens.emplace_back("|"); }
};

std::vector<std::string> tokens_of(std::string_view text, TokenRule rule = TokenRule::words,
                                   Boundary boundary = Boundary::line, std::size_t cut = 1000) {
  Tokenizer tokenizer(rule, boundary, true);
  Collected sink;
  for (std::size_t at = 0; at < text.size(); at += cut) tokenizer.feed(text.substr(at, cut), sink);
  tokenizer.finish(sink);
  return sink.tokens;
}

using Tokens = std::vector<std::string>;

TEST(PmiTokens, WordsAreLettersAndDigitsInLowerCase) {
  EXPECT_EQ(tokens_of("The _Prime_ Minister's 'no'--\"yes\"."),
            (Tokens{"the", "prime", "minister's", "no", "yes", "|"}));
  EXPECT_EQ(tokens_of("“Élan” d’État… ΑΒΓ ЖУК Ÿ"), (Tokens{"élan", "d'état", "αβγ", "жук", "ÿ", "|"}));
  EXPECT_EQ(tokens_of("a\xff\xff"
                      "b \xe2\x80"),
            (Tokens{"a", "b", "|"}));
}

TEST(PmiTokens, TokenRulesSplitAsDocumented) {
  EXPECT_EQ(tokens_of("GET /a?b=1\t200", TokenRule::whitespace), (Tokens{"get", "/a?b=1", "200", "|"}));
  EXPECT_EQ(tokens_of("Jan  1 10:11:12 Disk 7 full\n", TokenRule::templates, Boundary::text),
            (Tokens{"<time> Disk <num> full", "|"}));
  EXPECT_EQ(tokens_of("Disk full\r\nwrite failed", TokenRule::lines, Boundary::text),
            (Tokens{"disk full", "write failed", "|"}));
}

TEST(PmiTokens, SequencesEndAtTheirBoundary) {
  const std::string_view text = "a b\nc\n\n\nd\n";
  EXPECT_EQ(tokens_of(text), (Tokens{"a", "b", "|", "c", "|", "d", "|"}));
  EXPECT_EQ(tokens_of(text, TokenRule::words, Boundary::paragraph), (Tokens{"a", "b", "c", "|", "d", "|"}));
  EXPECT_EQ(tokens_of(text, TokenRule::words, Boundary::text), (Tokens{"a", "b", "c", "d", "|"}));
}

TEST(PmiTokens, ChunkBoundariesDoNotMatter) {
  const std::string_view text = "Don’t “stop”,\n\nÉtat x\xe2\x80 y\r\n  it's' 'n' Ωmega\n";
  for (const TokenRule rule : {TokenRule::words, TokenRule::whitespace, TokenRule::lines})
    for (std::size_t cut = 1; cut < text.size(); ++cut)
      EXPECT_EQ(tokens_of(text, rule, Boundary::paragraph, cut), tokens_of(text, rule, Boundary::paragraph));
}

TEST(PmiTokens, LongTokensAreTruncated) {
  EXPECT_EQ(tokens_of(std::string(5000, 'x'), TokenRule::words, Boundary::line, 7)[0].size(), Tokenizer::kLongest);
}

TEST(PmiTime, ReadsNumbersAndDates) {
  EXPECT_EQ(seconds_in("1700000000.5"), 1700000000.5);
  EXPECT_EQ(seconds_in("1970-01-02"), 86400.0);
  EXPECT_EQ(seconds_in("1970-01-01T01:02:03.25Z"), 3723.25);
  EXPECT_EQ(seconds_in("1970-01-01 02:00+01:30"), 1800.0);
  for (const char* bad : {"", "yesterday", "2024-13-01", "2024-01-01 25", "2024-01-01 10:61", "2024-01-01x", "nan"})
    EXPECT_EQ(seconds_in(bad), std::nullopt) << bad;
}

TEST(PmiWindows, DropsTheLeastRecentlyUsedGroup) {
  Windows windows(2, 3);
  for (const Key group : {1u, 2u, 1u, 3u}) {  // group 0 and then group 2 must be dropped
    windows.choose(group);
    windows.add({group, 0, 0.0}, "item");
  }
  windows.choose(1);
  EXPECT_EQ(windows.size(), 2u);
  windows.choose(2);
  EXPECT_EQ(windows.size(), 0u);
  EXPECT_EQ(windows.nbytes(), Windows::bytes_for(2, 3));
}

PairLearner make(PmiConfig config = {}) {
  StoreConfig store;
  store.width = 4096;
  store.active_set_size = 64;
  LearnerConfig rule;
  rule.step.eta0 = 0.2;
  rule.step.l2 = 0;
  return PairLearner(config, store, rule);
}

TEST(PairLearner, CountsNamesAndBytes) {
  PmiConfig config;
  config.exact = true;
  PairLearner pairs = make(config);
  const std::size_t before = pairs.nbytes();
  for (int i = 0; i < 3000; ++i) {
    for (const char* word : {"ham", "eggs"}) pairs.add(word);
    pairs.end_sequence();
    for (const char* word : {"salt", "pepper"}) pairs.add(word);
    pairs.end_sequence();
    pairs.add("w" + std::to_string(i));
    pairs.end_sequence();
  }
  EXPECT_EQ(pairs.n_items(), 15000u);
  EXPECT_EQ(pairs.n_pairs(), 6000u);
  EXPECT_EQ(pairs.nbytes(), before);
  const PairLearner::Row row = pairs.row("ham", "eggs");
  EXPECT_EQ(row.count, 3000u);
  EXPECT_NEAR(row.pmi, pairs.exact()->count("ham", "eggs").pmi, 0.35);
  EXPECT_EQ(pairs.exact()->most_common(5).size(), 2u);
  std::map<std::string, std::string> found;
  for (const PairLearner::Row& one : pairs.top(100, 0, PairOrder::weight))
    if (one.pmi > 1) found[one.u] = one.v;
  EXPECT_EQ(found["ham"], "eggs");
  EXPECT_EQ(found["salt"], "pepper");
}

TEST(PairLearner, BoundsHoldWithMorePairsThanPlaces) {
  PmiConfig config;
  config.exact = true;
  config.lines = 4;
  config.names = 64;
  config.name_bytes = 64 * 8;
  PairLearner pairs = make(config);
  for (int i = 0; i < 4000; ++i) {  // grouped: equal numbers are adjacent
    pairs.add("a" + std::to_string(i / 40));
    pairs.add("b" + std::to_string(i / 40 % 50));
    pairs.end_sequence();
  }
  EXPECT_FALSE(pairs.counts().is_whole());
  const std::vector<PairLearner::Row> rows = pairs.top(1000, 0, PairOrder::count);
  EXPECT_EQ(rows.size(), pairs.counts().n_held());
  for (const PairLearner::Row& row : rows) {
    const auto truth = pairs.exact()->count(row.u, row.v);
    EXPECT_LE(row.count, truth.count) << row.u << row.v;
    EXPECT_GE(row.count + row.missed, truth.count) << row.u << row.v;
  }
}

TEST(PairLearner, TopKIsThePrefixOfTheFullOrder) {
  PairLearner pairs = make(PmiConfig{});
  for (int i = 0; i < 3000; ++i) {
    pairs.add("a" + std::to_string(i % 7));
    pairs.add("b" + std::to_string(i % 5));
    if (i % 3 == 0) pairs.end_sequence();
  }
  for (const PairOrder order :
       {PairOrder::weight, PairOrder::pmi, PairOrder::low, PairOrder::count, PairOrder::avoiding})
    for (const double least : {0.0, 100.0}) {
      const auto all = pairs.top(10000, least, order), few = pairs.top(5, least, order);
      ASSERT_GE(all.size(), least > 0 ? 0u : 5u);
      ASSERT_EQ(few.size(), std::min<std::size_t>(5, all.size()));
      for (std::size_t i = 0; i < few.size(); ++i) EXPECT_EQ(few[i].key, all[i].key);
      for (const auto& row : all) EXPECT_GE(row.about + 0.5, least);
    }
  EXPECT_TRUE(pairs.top(0, 0, PairOrder::weight).empty());
  EXPECT_EQ(pairs.n_exact(), pairs.counts().n_held());
}

TEST(ItemNames, NamesStayWhileTheyAreReferenced) {
  ItemNames names(8, 8 * 16);
  for (Key key = 0; key < 8; ++key) EXPECT_TRUE(names.take(key, "name" + std::to_string(key), false));
  EXPECT_TRUE(names.full());
  EXPECT_FALSE(names.take(9, "nine", false));
  EXPECT_TRUE(names.take(3, "name3", false));
  for (Key key = 0; key < 8; ++key) names.give_back(key);
  EXPECT_EQ(names.size(), 1u);
  EXPECT_EQ(names.get(3), "name3");
  EXPECT_EQ(names.get(4), "");
  EXPECT_TRUE(names.take(9, "nine", false));
  EXPECT_EQ(names.get(9), "nine");
}

TEST(TowerBounds, AreNeverTooLow) {
  TowerBounds bounds(64), other(64);
  std::map<std::uint32_t, std::uint32_t> exact;
  std::uint32_t hash = 1;
  for (int i = 0; i < 4000; ++i) {
    hash = hash * 1664525u + 1013904223u;
    const std::uint32_t key = (hash >> 24) * 0x9e3779b1u, n = i % 97 == 0 ? 400 : 1;
    (i % 2 == 0 ? bounds : other).add(key, n);
    exact[key] += n;
  }
  bounds.merge(other);
  for (const auto& [key, count] : exact) EXPECT_GE(bounds.most(key), count);
  bounds.halve();
  for (const auto& [key, count] : exact) EXPECT_GE(2 * bounds.most(key), count);
}

TEST(PairLearner, RejectsBadSettings) {
  for (const double bad : {-1.0, 1.0, std::nan("")}) {
    PmiConfig config;
    config.subsample = bad;
    EXPECT_THROW(make(config), std::invalid_argument);
  }
  PmiConfig config;
  config.window = 0;
  EXPECT_THROW(make(config), std::invalid_argument);
  config = {};
  config.negatives = 0;  // no classifier
  EXPECT_NO_THROW(make(config));
}

}  // namespace
}  // namespace wmsketch
