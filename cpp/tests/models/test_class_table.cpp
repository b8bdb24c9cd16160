#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "wmsketch/data/hashing.hpp"
#include "wmsketch/data/random.hpp"
#include "wmsketch/models/class_table.hpp"
#include "wmsketch/rule/loss.hpp"

namespace wmsketch {
namespace {

TEST(ClassTable, FindsLabelsAddedInAnyOrder) {
  ClassTable table(100);
  std::vector<std::string> labels;
  Random random(1);
  for (int i = 0; i < 100; ++i) labels.push_back("c" + std::to_string(random.below(1'000'000)));
  table.require_room(labels);
  for (const auto& label : labels) {
    EXPECT_EQ(table.find(label), ClassTable::kNone);
    EXPECT_EQ(table.label(table.add(label)), label);
  }
  for (std::uint32_t c = 0; c < 100; ++c) EXPECT_EQ(table.find(labels[c]), c);
  EXPECT_EQ(table.find("c"), ClassTable::kNone);
  EXPECT_EQ(table.nbytes(), ClassTable::bytes_for(100));
}

TEST(ClassTable, FindsEachOfManyOldAndNewClasses) {
  constexpr std::uint32_t kClasses = 5000;
  ClassTable table(kClasses);
  for (std::uint32_t c = 0; c < kClasses; ++c) {
    EXPECT_EQ(table.find(std::to_string(c)), ClassTable::kNone);
    EXPECT_EQ(table.add(std::to_string(c)), c);
    EXPECT_EQ(table.find(std::to_string(c / 2)), c / 2);
  }
  for (std::uint32_t c = 0; c < kClasses; ++c) EXPECT_EQ(table.find(std::to_string(c)), c);
}

TEST(ClassTable, CountsAndDrawsByCount) {
  ClassTable table(7);
  for (const char* label : {"a", "b", "c", "d", "e"}) table.add(label);
  for (std::uint32_t c = 0; c < 5; ++c) table.see(c, c, 0.5 * c);  // class a never
  EXPECT_EQ(table.total(), 10u);
  std::map<std::uint32_t, std::uint64_t> drawn;
  for (std::uint64_t n = 0; n < table.total(); ++n) ++drawn[table.class_of_nth(n)];
  EXPECT_EQ(drawn.count(0), 0u);
  for (std::uint32_t c = 1; c < 5; ++c) {
    EXPECT_EQ(table.count(c), c);
    EXPECT_EQ(drawn[c], c);
  }
}

TEST(ClassTable, RejectsTooManyClassesAndTooLongLabels) {
  ClassTable table(2);
  const std::vector<std::string> two{"a", "b"}, three{"a", "b", "c"}, longer{std::string(30, 'x')};
  EXPECT_NO_THROW(table.require_room(two));
  EXPECT_THROW(table.require_room(three), std::invalid_argument);
  EXPECT_THROW(table.require_room(longer), std::invalid_argument);
  EXPECT_THROW(ClassTable(1), std::invalid_argument);
}

TEST(Mixing, IsInvertible) {
  Random random(7);
  for (int i = 0; i < 10000; ++i) {
    const auto left = static_cast<Key>(random.next()), right = static_cast<Key>(random.next());
    ASSERT_EQ(right_of_combined(combine_keys(left, right), left), right);
  }
}

TEST(Logarithm, AgreesWithTheLibrary) {
  Random random(3);
  for (int i = 0; i < 10000; ++i) {
    const double x = std::exp(60 * random.uniform() - 30);
    ASSERT_NEAR(log_same_everywhere(x), std::log(x), 1e-12 * std::max(1.0, std::abs(std::log(x))));
  }
  EXPECT_EQ(log_same_everywhere(1.0), 0.0);
}

}  // namespace
}  // namespace wmsketch
