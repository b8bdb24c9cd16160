#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../fuzz/memory_archive.hpp"
#include "wmsketch/models/prepared_model.hpp"
#include "wmsketch/readers/matrix_rows.hpp"

namespace wmsketch {
namespace {

using Binary = PreparedModel<Learner, BinaryLabels>;

std::unique_ptr<Learner> make() {
  StoreConfig store;
  store.width = 256;
  store.active_set_size = 64;
  store.name_bytes = 64 * 16;
  return make_learner(StoreKind::awm, false, store, {});
}

// Rows of a table with a number and a city.
std::unique_ptr<RowBlock> table_rows(const Binary& model, int first, int n) {
  const auto encoder = model.make_encoder(true);
  for (int i = first; i < first + n; ++i) {
    encoder->add_number(encoder->column("minutes"), i % 7);
    encoder->add_text(encoder->column("city"), i % 2 ? "Rome" : "Oslo");
    encoder->end_row();
  }
  return encoder->take();
}
std::vector<std::int8_t> labels_of(int first, int n) {
  std::vector<std::int8_t> labels;
  for (int i = first; i < first + n; ++i) labels.push_back(i % 2 ? 1 : -1);
  return labels;
}
void learn(Binary& model, int first, int n) {
  const auto block = table_rows(model, first, n);
  const std::vector<std::int8_t> labels = labels_of(first, n);
  model.learn(*block, block->batch(), BinaryLabels(labels), true);
}
// What a caller does: sets the shape if one is wanted, and learns again.
void learn_with_shape(Binary& model, int first, int n) {
  try {
    learn(model, first, n);
  } catch (const ShapeWanted&) {
    model.start(make, true);
    learn(model, first, n);
  }
}

TEST(PreparedModel, HoldsTheFirstRowsUntilDecided) {
  Binary model(make, true, {});
  learn(model, 0, 3);
  EXPECT_FALSE(model.decided());
  EXPECT_EQ(model.ask([](const Learner& learner, const Schema&) { return learner.progress().n_seen; }), 3u);
  learn_with_shape(model, 3, 20);
  EXPECT_TRUE(model.decided());
  EXPECT_TRUE(model.schema().is_table());
  EXPECT_EQ(model.ask([](const Learner& learner, const Schema&) { return learner.progress().n_seen; }), 23u);
}

TEST(PreparedModel, OneCallEqualsSeveralCalls) {
  Binary at_once(make, true, {}), in_parts(make, true, {});
  learn_with_shape(at_once, 0, 40);
  for (int first = 0; first < 40; first += 4) learn_with_shape(in_parts, first, 4);
  EXPECT_EQ(state_of(at_once), state_of(in_parts));
}

TEST(PreparedModel, ACallThatFailsChangesNothing) {
  Binary model(make, true, {});
  learn_with_shape(model, 0, 30);
  const StoredState before = state_of(model);
  const auto block = table_rows(model, 30, 4);
  const std::vector<std::int8_t> labels{1, -1, 0, 1};  // 0 is not a label
  EXPECT_THROW(model.learn(*block, block->batch(), BinaryLabels(labels), true), BadRow);
  EXPECT_EQ(state_of(model), before);
}

TEST(PreparedModel, RejectsArraysAfterATable) {
  Binary model(make, true, {});
  learn_with_shape(model, 0, 30);
  const std::vector<std::int32_t> starts{0, 1}, indices{5};
  const std::vector<float> values{1};
  const CsrRows<std::int32_t, float> rows(starts, indices, values);
  const std::vector<std::int8_t> labels{1};
  EXPECT_THROW(model.learn_arrays(rows, BinaryLabels(labels), {}, {}), std::invalid_argument);
  EXPECT_THROW(model.margins_of_arrays(rows), std::invalid_argument);
}

TEST(PreparedModel, ABadRowIsNumberedWithinTheWholeArray) {
  const std::size_t n = 3 * kEntriesPerBatch;
  std::vector<std::int64_t> starts(n + 1), indices(n, 1);
  std::vector<double> values(n, 1);
  for (std::size_t r = 0; r <= n; ++r) starts[r] = static_cast<std::int64_t>(r);
  std::vector<std::int8_t> labels(n, 1);
  labels[n - 7] = 3;
  Binary model(make, true, {});
  try {
    model.learn_arrays(CsrRows<std::int64_t, double>(starts, indices, values), BinaryLabels(labels), {}, {});
    FAIL() << "expected a bad row";
  } catch (const BadRow& bad) {
    EXPECT_EQ(bad.row, n - 7);
  }
  EXPECT_FALSE(model.decided());  // nothing was learned
}

TEST(PreparedModel, ContinuesIdenticallyAfterLoading) {
  for (const int n : {3, 30}) {  // still held; begun
    Binary model(make, true, {}), loaded(make, true, {});
    learn_with_shape(model, 0, n);
    const StoredState saved = state_of(model);
    StateReader reader(saved);
    loaded.archive(reader);
    EXPECT_EQ(state_of(loaded), saved);
    learn_with_shape(model, n, 25);
    learn_with_shape(loaded, n, 25);
    EXPECT_EQ(state_of(loaded), state_of(model));
  }
}

TEST(PreparedModel, MergesHeldRows) {
  Binary begun(make, true, {}), holding(make, true, {});
  learn_with_shape(begun, 0, 30);
  learn(holding, 30, 3);
  const auto n_seen = [](const Learner& learner, const Schema&) { return learner.progress().n_seen; };
  Binary both = begun;
  both.merge(holding);
  EXPECT_EQ(both.ask(n_seen), 33u);
  holding.merge(begun);
  EXPECT_EQ(holding.ask(n_seen), 33u);
  EXPECT_EQ(begun.ask(n_seen), 30u);
}

TEST(PreparedModel, PredictionNeedsAColumnOfTheTable) {
  Binary model(make, true, {});
  learn_with_shape(model, 0, 30);
  const auto encoder = model.make_encoder(false);
  const auto other = encoder->column("colour"), known = encoder->column("city");
  encoder->see_column(other);
  encoder->add_text(other, "red");
  EXPECT_THROW(encoder->end_row(), BadValue);
  encoder->drop_row();
  for (const auto column : {other, known}) {
    encoder->see_column(column);
    encoder->add_text(column, "red");
  }
  encoder->end_row();
  EXPECT_EQ(encoder->rows().size(), 1u);
}

TEST(ClassLabels, CodesMustBeBelowTheNumberOfTexts) {
  const std::vector<std::uint32_t> codes{0, 2};
  EXPECT_THROW(ClassLabels({"sa", "sb"}, codes), std::invalid_argument);
}

}  // namespace
}  // namespace wmsketch
