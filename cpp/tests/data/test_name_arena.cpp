#include <gtest/gtest.h>

#include <map>
#include <string>

#include "wmsketch/data/name_arena.hpp"
#include "wmsketch/data/random.hpp"

namespace wmsketch {
namespace {

// Names of ASCII letters, with a two-byte character now and then.
std::string random_name(Random& random, std::uint32_t longest) {
  std::string name;
  for (std::uint32_t left = 1 + random.below(longest); left > 0; --left) {
    if (random.below(8) == 0) {
      name += "é";
    } else {
      name += static_cast<char>('a' + random.below(26));
    }
  }
  return name;
}

bool ends_at_character(const std::string& name) {
  std::size_t at = 0;
  while (at < name.size()) at += (static_cast<unsigned char>(name[at]) & 0x80u) ? 2 : 1;
  return at == name.size();
}

TEST(NameArena, KeepsWhatFits) {
  NameArena names(4, 400);
  names.set(2, "country=Österreich");
  names.set(0, "x");
  EXPECT_EQ(names.get(2), "country=Österreich");
  EXPECT_EQ(names.get(0), "x");
  EXPECT_FALSE(names.has(1));
  EXPECT_EQ(names.get(1), "");
  names.set(2, "other");
  EXPECT_EQ(names.get(2), "other");
  names.clear(2);
  EXPECT_FALSE(names.has(2));
  names.set(0, "");
  EXPECT_FALSE(names.has(0));
  EXPECT_EQ(names.n_shortened(), 0u);
  EXPECT_EQ(names.nbytes(), 400u + 4 * 4u);
}

TEST(NameArena, OneLongNameBorrowsFreeSpaceUntilOthersNeedIt) {
  NameArena names(10, 320);
  const std::string url(200, 'u');
  names.set(0, url);
  EXPECT_EQ(names.get(0), url);
  for (std::uint32_t slot = 1; slot < 10; ++slot) names.set(slot, "a name of 27 bytes, number " + std::to_string(slot));
  EXPECT_TRUE(names.shortened(0));
  EXPECT_EQ(names.get(0), url.substr(0, names.fair_share()));
  for (std::uint32_t slot = 1; slot < 10; ++slot) {
    EXPECT_EQ(names.get(slot), "a name of 27 bytes, number " + std::to_string(slot));
    EXPECT_FALSE(names.shortened(slot));
  }
  EXPECT_EQ(names.n_shortened(), 1u);
}

TEST(NameArena, TruncatesTheLongestFirst) {
  NameArena names(8, 512);
  names.set(0, std::string(240, 'l'));
  for (std::uint32_t slot = 1; slot < 4; ++slot) names.set(slot, std::string(75, 'm'));
  for (std::uint32_t slot = 4; slot < 8; ++slot) names.set(slot, std::string(20, 's'));
  EXPECT_TRUE(names.shortened(0));
  for (std::uint32_t slot = 1; slot < 8; ++slot) EXPECT_FALSE(names.shortened(slot)) << slot;
}

TEST(NameArena, TruncatesBetweenCharacters) {
  NameArena names(1, 16);
  names.set(0, "aééééééééééé");
  EXPECT_TRUE(names.shortened(0));
  EXPECT_TRUE(ends_at_character(names.get(0)));
  EXPECT_GE(names.get(0).size() + 1, names.fair_share());
  names.set(0, std::string(50, '\x80'));  // not UTF-8 at all
  EXPECT_EQ(names.get(0).size(), names.fair_share());
}

TEST(NameArena, FairShareIsMostOfTheArena) {
  for (const std::uint32_t each : {5u, 8u, 16u, 24u, 32u, 64u, 1000u}) {
    const NameArena names(100, 100 * each);
    EXPECT_GE(names.fair_share() + 2 + each / 16 + 1, each);
  }
}

TEST(NameArena, VeryLongNamesAreTruncatedAtOnce) {
  NameArena names(2, 100000);
  names.set(0, std::string(50000, 'x'));
  EXPECT_EQ(names.get(0).size(), NameArena::kLongest);
  EXPECT_TRUE(names.shortened(0));
}

TEST(NameArena, RejectsTooFewBytesAndKeepsNothingWithNone) {
  EXPECT_THROW(NameArena(10, 39), std::invalid_argument);
  EXPECT_THROW(NameArena(0, 10), std::invalid_argument);
  NameArena none(10, 0);
  none.set(3, "name");
  EXPECT_FALSE(none.has(3));
  EXPECT_EQ(none.nbytes(), 40u);
}

struct Churn {
  std::uint32_t entries, bytes_each, longest;
};

class NameArenaChurn : public testing::TestWithParam<Churn> {};

// Compared with a map of complete names: the arena shows the name, or a marked prefix at least as long as the fair
// share.
TEST_P(NameArenaChurn, ShowsNamesOrMarkedPrefixes) {
  const auto [entries, bytes_each, longest] = GetParam();
  NameArena names(entries, std::size_t{entries} * bytes_each);
  std::map<std::uint32_t, std::string> whole;
  Random random(entries + bytes_each + longest);
  for (int step = 0; step < 6000; ++step) {
    const std::uint32_t slot = random.below(entries);
    if (random.below(20) == 0) {
      names.clear(slot);
      whole.erase(slot);
    } else {
      whole[slot] = random_name(random, longest);
      names.set(slot, whole[slot]);
    }
    if (step % 50 != 0) continue;
    std::uint32_t cut = 0;
    for (std::uint32_t s = 0; s < entries; ++s) {
      ASSERT_EQ(names.has(s), whole.contains(s));
      if (!names.has(s)) continue;
      const std::string shown = names.get(s);
      if (names.shortened(s)) {
        ++cut;
        ASSERT_LT(shown.size(), whole[s].size());
        ASSERT_EQ(shown, whole[s].substr(0, shown.size()));
        ASSERT_GE(shown.size() + 1, names.fair_share());
        ASSERT_TRUE(ends_at_character(shown));
      } else {
        ASSERT_EQ(shown, whole[s]);
      }
    }
    ASSERT_EQ(names.n_shortened(), cut);
  }
}

// An arena loaded in mid-stream behaves like the original, whatever its dead space contained.
TEST_P(NameArenaChurn, ContinuesIdenticallyAfterImport) {
  const auto [entries, bytes_each, longest] = GetParam();
  NameArena names(entries, std::size_t{entries} * bytes_each), loaded = names;
  Random random(longest);
  for (int step = 0; step < 4000; ++step) {
    const std::uint32_t slot = random.below(entries);
    const std::string name = random_name(random, longest);
    names.set(slot, name);
    loaded.set(slot, name);
    if (step % 100 != 0) continue;
    const auto all = names.export_names();
    ASSERT_EQ(loaded.export_names().names, all.names);
    ASSERT_EQ(loaded.export_names().shortened, all.shortened);
    loaded = NameArena(entries, std::size_t{entries} * bytes_each);
    loaded.import_names(all.names, all.shortened);
    ASSERT_EQ(loaded.export_names().names, all.names);
    ASSERT_EQ(loaded.n_shortened(), names.n_shortened());
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, NameArenaChurn,
                         testing::Values(Churn{1, 5, 9}, Churn{1, 64, 300}, Churn{7, 5, 2}, Churn{16, 16, 40},
                                         Churn{64, 24, 24}, Churn{64, 24, 12}, Churn{100, 32, 200}, Churn{33, 40, 3}));

TEST(NameArena, ImportRejectsImpossibleNamesAndChangesNothing) {
  NameArena names(2, 20);
  names.set(0, "kept");
  const std::vector<std::string> one{"a"}, long_ones{"0123456789", "0123456789"}, huge{std::string(9000, 'x'), ""};
  const std::vector<std::uint8_t> flags{0, 0}, flag{0};
  EXPECT_THROW(names.import_names(one, flag), std::invalid_argument);
  EXPECT_THROW(names.import_names(long_ones, flags), std::invalid_argument);
  EXPECT_THROW(names.import_names(huge, flags), std::invalid_argument);
  EXPECT_EQ(names.get(0), "kept");
}

}  // namespace
}  // namespace wmsketch
