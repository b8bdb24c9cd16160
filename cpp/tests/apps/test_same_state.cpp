// Blocks that number their names, and items that another thread counts, leave the same state as one value at a time.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "../../fuzz/memory_archive.hpp"
#include "wmsketch/apps/diff/diff.hpp"
#include "wmsketch/apps/diff/diff_table.hpp"
#include "wmsketch/apps/explain/explain_stream.hpp"
#include "wmsketch/apps/pmi/pmi.hpp"
#include "wmsketch/data/random.hpp"
#include "wmsketch/readers/csv.hpp"

namespace wmsketch {
namespace {

// The same rows without numbers of names.
class Unnumbered final : public RowBlock {
 public:
  explicit Unnumbered(const RowBlock& block) : RowBlock(block), block_(block) {}
  std::string name(std::size_t i) const override { return block_.name(i); }
  std::string_view name_view(std::size_t i, std::string& scratch) const override {
    return block_.name_view(i, scratch);
  }
  Cell cell(std::size_t i, std::string& scratch) const override { return block_.cell(i, scratch); }

 private:
  const RowBlock& block_;
};

std::vector<std::unique_ptr<RowBlock>> blocks_of(std::uint32_t seed, const EncoderOptions& options) {
  constexpr int kBlocks = 4, kRows = 800;
  Random random(seed);
  RowEncoder encoder(options);
  CsvParser parser(encoder, ',', {});
  std::vector<std::unique_ptr<RowBlock>> blocks;
  for (int b = 0; b < kBlocks; ++b) {
    std::string text = b == 0 ? "country,user,load,ms\n" : "";
    for (int i = 0; i < kRows; ++i) {
      const std::uint32_t user = random.below(1 + random.below(3000));
      text += random.below(9) == 0 ? "" : std::string(1, static_cast<char>('A' + random.below(6)));
      text += ",user" + std::to_string(user) + ',';
      text += random.below(20) == 0 ? (b == 2 ? "odd" : "") : std::to_string(random.below(500)) + ".5";
      text += ',' + std::to_string(random.below(1000)) + '\n';
    }
    blocks.push_back(parser.feed(text, b + 1 == kBlocks));
  }
  return blocks;
}

StoredState explained(const std::vector<std::unique_ptr<RowBlock>>& blocks, ExplainOptions options, bool numbered) {
  options.outlier.comparisons = {{"ms", Comparison::Operator::more, "900", 900.0}};
  AttributeStream stream(options);
  stream.observe(*blocks[0]);
  stream.finish_warm_up();
  for (const auto& block : blocks) {
    EXPECT_FALSE(block->numbered_names().of_features.empty());
    if (numbered)
      stream.learn(*block);
    else
      stream.learn(Unnumbered(*block));
  }
  return state_of(stream);
}

TEST(SameState, ExplainCountsByNameAsByValue) {
  const auto blocks = blocks_of(1, {.categorical = {"ms"}});
  for (const std::uint32_t capacity : {64u, 1024u, 8192u}) {  // all values have room in the largest
    for (const int which : {0, 1, 2}) {
      ExplainOptions options;
      options.table = {capacity, 64, 12 * std::size_t{capacity}};
      options.column_bytes = 1 << 16;
      if (which == 1) options.where.comparisons = {{"country", Comparison::Operator::unequal, "A", {}}};
      if (which == 2) options.where.comparisons = {{"load", Comparison::Operator::less, "300", 300.0}};
      EXPECT_EQ(explained(blocks, options, true), explained(blocks, options, false)) << capacity << ' ' << which;
    }
  }
}

StoredState compared(std::uint32_t lines, std::uint32_t names, bool per_item, bool numbered) {
  const auto a = blocks_of(1, {.only_categories = true}), b = blocks_of(2, {.only_categories = true});
  const DiffTable::Shape shape{lines, 64, names, 12 * std::size_t{names}, false};
  Diff diff(std::make_unique<DiffTable>(shape, 5), per_item);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Unnumbered plain_a(*a[i]), plain_b(*b[i]);
    DiffCursor left{numbered ? a[i].get() : &plain_a}, right{numbered ? b[i].get() : &plain_b};
    diff.mix(left, right, 0.4);
    DiffCursor rest_a = left, rest_b = right;
    if (!rest_a.find_row()) rest_a.block = nullptr;
    if (!rest_b.find_row()) rest_b.block = nullptr;
    diff.mix(rest_a, rest_b, 0.5);
  }
  return state_of(diff);
}

TEST(SameState, DiffCountsByNameAsByValue) {
  for (const std::uint32_t lines : {8u, 128u, 1024u})
    for (const bool per_item : {false, true})
      for (const std::uint32_t names : {0u, 32u, 8 * lines})
        EXPECT_EQ(compared(lines, names, per_item, true), compared(lines, names, per_item, false)) << lines << names;
}

// Pairs of a text in three passes; with `aside`, on two threads.
StoredState paired(std::uint32_t lines, bool directed, std::uint32_t negatives, bool aside) {
  PmiConfig config;
  config.lines = lines;
  config.names = 100;
  config.name_bytes = 100 * 10;
  config.bound_width = 256;
  config.directed = directed;
  config.negatives = negatives;
  StoreConfig store;
  store.width = 4096;
  store.active_set_size = 64;
  PairLearner pairs(config, store, {});
  using Pass = PairLearner::Pass;
  for (const Pass pass : {Pass::items, Pass::candidates, Pass::counts}) {
    pairs.begin(pass);
    Random random(4);
    const auto add_some = [&](int n) {
      for (int i = 0; i < n; ++i) {
        pairs.add("word" + std::to_string(random.below(1 + random.below(400))));
        if (random.below(12) == 0) pairs.end_sequence();
      }
    };
    add_some(30);
    for (const int n : {6000, 1, 0, 3000}) {
      if (aside)
        pairs.with_thread_aside([&] { add_some(n); });
      else
        add_some(n);
      add_some(7);
    }
  }
  pairs.begin(Pass::all);
  return state_of(pairs);
}

TEST(SameState, PmiCountsOnTwoThreadsAsOnOne) {
  for (const std::uint32_t lines : {16u, 256u, 8192u})
    for (const bool directed : {true, false})
      for (const std::uint32_t negatives : {0u, 2u})
        EXPECT_EQ(paired(lines, directed, negatives, true), paired(lines, directed, negatives, false)) << lines;
}

}  // namespace
}  // namespace wmsketch
