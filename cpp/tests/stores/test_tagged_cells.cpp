#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "wmsketch/simd/kernels.hpp"
#include "wmsketch/stores/tagged_cells.hpp"

namespace wmsketch {
namespace {

// Two buckets of eight. A hash with its highest bit is of the second; its lowest byte is the tag.
class TwoBuckets : public testing::Test {
 protected:
  static constexpr std::uint32_t kWidth = 16, kSecond = 0x80000000u;

  TwoBuckets() { sketch.start_unit(1.0f); }

  std::vector<std::uint16_t> empty() const { return std::vector<std::uint16_t>(TaggedCells::stored_for(kWidth)); }
  void give(std::uint32_t hash, float weight, float squares = 0) {
    sketch.give(cells.data(), hash, PackedCell::nearest(weight, squares));
  }
  float weight(std::uint32_t hash) const { return weight(sketch, cells, hash); }
  static float weight(const TaggedCells& of, const std::vector<std::uint16_t>& in, std::uint32_t hash) {
    const std::uint32_t at = of.find(in.data(), hash);
    return at == TaggedCells::kNone ? 0 : PackedCell::weight(in[at]);
  }
  void fill_first() {  // tags 1 to 8, the lightest is 3
    for (std::uint32_t tag = 1; tag <= kWays; ++tag) give(tag, tag == 3 ? 0.25f : -1.0f - static_cast<float>(tag));
  }
  std::uint8_t* tags() { return reinterpret_cast<std::uint8_t*>(cells.data() + kWidth); }

  TaggedCells sketch{1, kWidth};
  std::vector<std::uint16_t> cells = empty();
};

TEST_F(TwoBuckets, AKeyIsFoundInItsBucketOnly) {
  give(7, 1.5f);
  EXPECT_EQ(weight(7), 1.5f);
  EXPECT_EQ(weight(8), 0);
  EXPECT_EQ(weight(kSecond | 7), 0);
  give(kSecond | 7, -2.0f);
  EXPECT_EQ(weight(7), 1.5f);
  EXPECT_EQ(weight(kSecond | 7), -2.0f);
}

TEST_F(TwoBuckets, KeysOfOneTagShareACell) {
  give(0x100 | 7, 1.5f);
  EXPECT_EQ(weight(0x200 | 7), 1.5f);
  give(0x200 | 7, 4.0f);
  EXPECT_EQ(weight(0x100 | 7), 4.0f);
  EXPECT_EQ(std::count(tags(), tags() + kWidth, 7), 1);
}

TEST_F(TwoBuckets, ATagIsNever0) {
  give(0x100, 1.5f);
  EXPECT_EQ(weight(0x100), 1.5f);
  EXPECT_EQ(weight(1), 1.5f);  // 0 becomes 1
}

TEST_F(TwoBuckets, WhoWritesBackTakesItsOwnCellThenAnEmptyOneThenTheLightest) {
  fill_first();
  EXPECT_FALSE(sketch.has_room(cells.data(), 99));
  EXPECT_TRUE(sketch.has_room(cells.data(), kSecond));
  give(5, 8.0f);
  EXPECT_EQ(weight(5), 8.0f);
  EXPECT_EQ(weight(3), 0.25f);
  give(99, 0.5f);
  EXPECT_EQ(weight(99), 0.5f);
  EXPECT_EQ(weight(3), 0);
  for (const std::uint32_t tag : {1u, 2u, 4u, 6u, 7u, 8u}) EXPECT_EQ(weight(tag), -1.0f - static_cast<float>(tag));
}

TEST_F(TwoBuckets, WhoEntersTheActiveSetLeavesAnEmptyCell) {
  fill_first();
  sketch.free(cells.data(), 4);
  sketch.free(cells.data(), 200);  // has none
  EXPECT_EQ(weight(4), 0);
  EXPECT_TRUE(sketch.has_room(cells.data(), 99));
  give(99, 0.125f);
  EXPECT_EQ(weight(3), 0.25f);
}

TEST_F(TwoBuckets, OwnedCellsAreCounted) {
  EXPECT_EQ(sketch.owned(cells.data()), 0u);
  fill_first();
  EXPECT_EQ(sketch.owned(cells.data()), kWays);
}

// Admission is the kernels': a row with one feature without a cell asks for one of its bucket.
class Asking : public TwoBuckets, public testing::WithParamInterface<bool> {
 protected:
  static constexpr std::size_t kPadded = 16;

  // How many of `tries` rows, each with other random bits, end with a cell for the feature.
  int admitted(float stepped, int tries) {
    int found = 0;
    const std::vector<std::uint16_t> before = cells;
    for (int t = 0; t < tries; ++t) {
      std::copy(before.begin(), before.end(), cells.begin());
      std::uint32_t hash[kPadded] = {0x4200u | 77u}, word[kPadded] = {no_cell()}, newcomers[kPadded] = {0};
      std::uint32_t after[kPadded] = {std::uint32_t{PackedCell::nearest(stepped, 1)} << 16};
      const MixerSeeds seeds{static_cast<std::uint32_t>(2 * t + 1), static_cast<std::uint32_t>(7 * t)};
      std::uint32_t draw[kPadded] = {draw_of(mix(hash[0], seeds))};
      float weights[kPadded] = {stepped};
      LocatedPacked at{};
      at.hash = hash, at.word = word, at.draw = draw, at.after = after, at.stepped = weights, at.newcomers = newcomers;
      kernels_of().admit_tagged(cells.data(), {0, kWidth, 1.0f}, 1, at);
      found += weight(77) == stepped;
    }
    return found;
  }
  std::uint32_t no_cell() const {
    const PackedCells all{0, kWidth, 1.0f};
    return no_cell_at(all) + sketch.has_room(cells.data(), 77);
  }
  static const Kernels& kernels_of() { return GetParam() ? portable_kernels() : kernels(); }
};

TEST_P(Asking, AnEmptyCellIsTakenAlways) {
  give(5, 8.0f);
  EXPECT_EQ(admitted(0.5f, 50), 50);
}

TEST_P(Asking, TheLightestGivesWayByItsWeightAndByWhatItHasLearned) {
  fill_first();  // the lightest weighs .25 and has learned nothing
  EXPECT_NEAR(admitted(0.25f, 4000) / 4000.0, 0.3 / 2, 0.02);
  EXPECT_NEAR(admitted(0.75f, 4000) / 4000.0, 0.3 * 3 / 4, 0.02);
  give(3, 0.25f, 3.0f);  // level 2
  EXPECT_NEAR(admitted(0.25f, 4000) / 4000.0, 0.3 / 2 / 4, 0.012);
}

TEST_P(Asking, IfTheLightestIsSettledOthersAreAsked) {
  fill_first();
  give(3, 0.25f, 15.0f);  // level 4: three ways are drawn, and all but this one have learned nothing
  const double of_three = admitted(8.0f, 4000) / 4000.0;
  EXPECT_GT(of_three, 0.3 / 4);
  EXPECT_LT(of_three, 0.3);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Asking, testing::Bool(),
                         [](const auto& each) { return each.param ? "portable" : "fastest"; });

MergePlan plan_of(std::size_t sides) {
  MergePlan plan;
  plan.sides.resize(sides);
  for (auto& side : plan.sides) side.share = 1.0 / static_cast<double>(sides);
  plan.adaptive = true;
  plan.prior = 0;
  return plan;
}

TEST_F(TwoBuckets, MergedCellsOfOneTagBecomeOneAndTheHeaviestStay) {
  fill_first();
  TaggedCells other(1, kWidth);
  other.start_unit(1.0f);
  std::vector<std::uint16_t> others = empty();
  other.give(others.data(), 2, PackedCell::nearest(-3.0f, 1));
  other.give(others.data(), 50, PackedCell::nearest(0.5f, 1));
  for (std::uint32_t tag = 1; tag <= kWays; ++tag) give(tag, weight(tag), 1);

  const TaggedCells* sketches[] = {&sketch, &other};
  const std::uint16_t* all_cells[] = {cells.data(), others.data()};
  std::vector<std::uint16_t> into = empty();
  TaggedCells merged(1, kWidth);
  const TaggedCells::KeptKey kept[] = {{8, 9.0f, 1.0f, false}, {60, 6.0f, 1.0f, true}};
  merged.merge(into.data(), sketches, all_cells, plan_of(2), kept);

  EXPECT_EQ(weight(merged, into, 2), -3.0f);  // both said so
  EXPECT_EQ(weight(merged, into, 8), 0);      // is in the active set now
  EXPECT_EQ(weight(merged, into, 60), 6.0f);  // found no place there
  EXPECT_EQ(weight(merged, into, 50), 0.5f);
  EXPECT_EQ(weight(merged, into, 3), 0);  // nine want eight cells
}

// Writes what stands in the arrays, as a file would.
class Loading final : public Archive {
 public:
  std::vector<std::uint16_t> cells;
  std::vector<std::uint8_t> tags;
  bool loading() const override { return true; }

 protected:
  void visit(std::string_view name, ArrayType type, void* data, std::size_t count) override {
    if (name == "cells") std::memcpy(data, cells.data(), count * size_of(type));
    if (name == "tags") std::memcpy(data, tags.data(), count);
  }
  std::size_t length(std::string_view) const override { return 0; }
};

TEST_F(TwoBuckets, FilesThatCannotBeAreRefused) {
  fill_first();
  Loading file;
  file.cells.assign(cells.begin(), cells.begin() + kWidth);
  file.tags.assign(tags(), tags() + kWidth);
  std::vector<std::uint16_t> loaded = empty();
  EXPECT_NO_THROW(sketch.archive(file, loaded.data()));
  EXPECT_EQ(loaded, cells);

  Loading twice = file;
  twice.tags[1] = twice.tags[0];
  EXPECT_THROW(sketch.archive(twice, loaded.data()), Error);
  Loading nobodys = file;
  nobodys.tags[2] = 0;
  EXPECT_THROW(sketch.archive(nobodys, loaded.data()), Error);
}

}  // namespace
}  // namespace wmsketch
