#include <gtest/gtest.h>

#include <cmath>

#include "named_rows.hpp"
#include "wmsketch/prepare/held_rows.hpp"

namespace wmsketch {
namespace {

HeldRows held(const std::vector<NamedValues>& rows) {
  HeldRows held;
  const NamedRows block(rows);
  held.add_features(block);
  held.labels = block.labels;
  return held;
}

const std::vector<NamedValues> kRows = {{{"a", 1.5}, {"größe", 2.0}, {"city=", 1.0}}, {}, {{"a", -3.0}, {"b", {}}}};

TEST(HeldRows, OwnTheirData) {
  const HeldRows rows = held(kRows);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows.name(1), "größe");
  EXPECT_EQ(rows.name(2), "city=v");
  EXPECT_EQ(rows.name(3), "a");
  EXPECT_EQ(rows.numbers.size(), 3u);
  EXPECT_EQ(rows.numbers[2].place, 3u);
  EXPECT_EQ(rows.column_names, (std::vector<std::string>{"a", "größe", "city", "b"}));
}

TEST(HeldRows, RowByRowEqualsAllAtOnce) {
  HeldRows one;
  for (const NamedValues& row : kRows) one.add_features(NamedRows({row}));
  HeldRows all;
  all.add_features(NamedRows(kRows));
  EXPECT_EQ(saved(one).arrays, saved(all).arrays);
  EXPECT_EQ(one.nbytes(), all.nbytes());
}

TEST(HeldRows, ProductsMoveWithTheirRows) {
  NamedRows block({{{"a", 1.0}, {"b", 2.0}, {"a&b", 2.0}}});
  block.products.push_back({2, 0, 1});
  HeldRows rows;
  rows.add_features(block);
  rows.add_features(block);
  ASSERT_EQ(rows.products.size(), 2u);
  EXPECT_EQ(rows.products[1].place, 5u);
  EXPECT_EQ(rows.products[1].left, 3u);
}

TEST(HeldRows, BytesCoverNamesAndClasses) {
  HeldRows rows = held(kRows);
  const std::size_t before = rows.nbytes();
  rows.introduced = {std::string(100, 'x')};
  EXPECT_GE(rows.nbytes(), before + 100);
  EXPECT_GE(held({{{std::string(1000, 'n'), 1.0}}}).nbytes(), 2000u);  // stored as a feature and as a column
}

TEST(HeldRows, AreSavedAndLoaded) {
  HeldRows rows = held(kRows), loaded;
  rows.weights = {1, 0.5f, 2};
  rows.times = {1, 2, 3};
  rows.introduced = {"sspam", "sham"};
  MemoryArchive archive = saved(rows);
  loaded.archive(archive);
  EXPECT_EQ(saved(loaded).arrays, archive.arrays);
  EXPECT_EQ(loaded.introduced, rows.introduced);
  EXPECT_EQ(loaded.name(1), "größe");
}

TEST(HeldRows, RejectDamagedArrays) {
  HeldRows rows = held(kRows);
  rows.weights = {1, 0.5f, 2};
  const MemoryArchive good = saved(rows);
  const auto refused = [&](auto damage) { expect_refused<HeldRows>(good, damage); };
  for (const auto& [name, bytes] : good.arrays) refused([&](MemoryArchive& archive) { archive.arrays.erase(name); });
  refused([](MemoryArchive& archive) { archive.data<std::int64_t>("held_starts")[1] = 9; });
  refused([](MemoryArchive& archive) { archive.data<std::int64_t>("held_starts")[0] = -1; });
  refused([](MemoryArchive& archive) { archive.data<float>("held_values")[0] = NAN; });
  refused([](MemoryArchive& archive) { archive.data<float>("held_weights")[0] = INFINITY; });
  refused([](MemoryArchive& archive) { archive.data<std::uint32_t>("held_name_ends")[0] = 99; });
  refused([](MemoryArchive& archive) { archive.data<std::uint8_t>("held_labels")[0] = 0; });
  refused([](MemoryArchive& archive) { archive.data<std::uint32_t>("held_number_places")[0] = 99; });
  refused([](MemoryArchive& archive) { archive.data<double>("held_number_values")[0] = INFINITY; });
  refused([](MemoryArchive& archive) { archive.data<std::uint32_t>("held_row_columns")[0] = 99; });
  refused([](MemoryArchive& archive) { archive.data<std::uint8_t>("held_row_kinds")[0] = 5; });
  refused([](MemoryArchive& archive) { archive.data<std::uint8_t>("held_row_kinds")[0] = 9; });
  refused([](MemoryArchive& archive) { archive.data<std::uint32_t>("held_row_ends")[0] = 99; });
  refused([](MemoryArchive& archive) { archive.data<std::uint32_t>("held_columns_ends")[0] = 99; });
  refused([](MemoryArchive& archive) { archive.arrays["held_names"] += 'x'; });
}

}  // namespace
}  // namespace wmsketch
