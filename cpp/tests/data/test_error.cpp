#include <gtest/gtest.h>

#include "wmsketch/data/error.hpp"

namespace wmsketch {
namespace {

TEST(Error, CarriesItsFields) {
  const Error error = parameter_error("depth", "must be 1 with adaptive steps: set {step=plain}", std::uint64_t{3});
  EXPECT_EQ(error.code(), ErrorCode::parameter);
  EXPECT_EQ(error.fields().parameter, "depth");
  EXPECT_EQ(std::get<std::uint64_t>(error.fields().value), 3u);
  EXPECT_STREQ(error.what(), "depth must be 1 with adaptive steps, got 3: set step=plain");
}

TEST(Error, PlainRuleRemovesBraces) {
  EXPECT_EQ(plain_rule("must be {=paper} or {other}, with {a=b}"), "must be paper or other, with a=b");
  EXPECT_STREQ(parameter_error("times", "need a {half_life}").what(), "times need a half_life");
}

TEST(Error, BadRowKnowsItsNumber) {
  const BadRow bad(7, "the time must be finite");
  EXPECT_EQ(bad.row, 7u);
  EXPECT_EQ(bad.fields().row, 7u);
  EXPECT_EQ(bad.code(), ErrorCode::row);
}

TEST(Error, IsThrownOnlyIfTheRuleIsBroken) {
  EXPECT_NO_THROW(require_parameter(true, "width", "must be at least 1", 0));
  EXPECT_THROW(require_parameter(false, "width", "must be at least 1", 0), Error);
}

}  // namespace
}  // namespace wmsketch
