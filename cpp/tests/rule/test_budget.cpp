#include <gtest/gtest.h>

#include <string>

#include "wmsketch/data/error.hpp"
#include "wmsketch/rule/budget.hpp"
#include "wmsketch/rule/learner.hpp"

namespace wmsketch {
namespace {

std::size_t bytes(const ShapeRequest& request, const StoreConfig& sizes) {
  return nbytes_of(request.kind, request.exact_set, sizes, {.kind = request.step});
}

std::string problem_with(const ShapeRequest& request) {
  try {
    choose_shape(request);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Budget, IsFilledAndNeverExceeded) {
  for (std::size_t kind = 0; kind < std::size(kStoreNames); ++kind) {
    for (const StepKind step : {StepKind::plain, StepKind::adaptive}) {
      ShapeRequest request{.kind = static_cast<StoreKind>(kind), .step = step, .named = true};
      if (!has_set(request.kind) && !has_cells(request.kind)) continue;  // without a budget
      for (const std::uint64_t budget : {2000, 8192, 100'003, 1 << 20, 1 << 28}) {
        request.budget = budget;
        const std::size_t taken = bytes(request, choose_shape(request));
        EXPECT_LE(taken, budget) << kStoreNames[kind];
        EXPECT_GT(static_cast<double>(taken), 0.9 * static_cast<double>(budget)) << kStoreNames[kind] << budget;
      }
    }
  }
}

TEST(Budget, KeepsTheSizesThatAreGiven) {
  ShapeRequest request{.budget = 8192};
  request.sizes.width = 100;
  EXPECT_EQ(choose_shape(request).width, 100u);
  request.step = StepKind::adaptive;
  EXPECT_EQ(choose_shape(request).width, 104u);  // buckets of 8
  request.sizes.active_set_size = 33;
  EXPECT_EQ(choose_shape(request).active_set_size, 40u);  // lines of 8
  request.budget = 16;
  EXPECT_NE(problem_with(request).find("budget is 16 bytes, but this shape takes"), std::string::npos);
  request.budget_is_default = true;  // all sizes are given
  EXPECT_EQ(problem_with(request), "");
}

TEST(Budget, LeavesRoomForWhatIsReserved) {
  ShapeRequest request{.budget = 8192, .reserved = 5000, .named = true};
  EXPECT_LE(bytes(request, choose_shape(request)), 3192u);
  request.reserved = 9000;
  EXPECT_NE(problem_with(request).find("budget must be at least"), std::string::npos);
}

TEST(Budget, FeaturesThatAreAskedForGetKeys) {
  ShapeRequest request{.step = StepKind::adaptive, .budget = 32768, .set_share = 0.1};
  const StoreConfig usual = choose_shape(request);
  request.top_k = 1000;
  const StoreConfig more = choose_shape(request);
  EXPECT_EQ(more.active_set_size, 1504u);  // half as many again, in whole lines
  EXPECT_LT(usual.active_set_size, more.active_set_size);
  EXPECT_LT(more.width, usual.width);
}

TEST(Budget, NamesTheSmallestThatWorks) {
  ShapeRequest request{.budget = 1, .named = true};
  const std::string problem = problem_with(request);
  const std::string before = "budget must be at least ";
  ASSERT_EQ(problem.rfind(before, 0), 0u);
  request.budget = std::stoul(problem.substr(before.size()));
  EXPECT_EQ(bytes(request, choose_shape(request)), request.budget);
  request.budget -= 1;
  EXPECT_NE(problem_with(request), "");
}

}  // namespace
}  // namespace wmsketch
