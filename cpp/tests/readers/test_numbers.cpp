#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "wmsketch/data/random.hpp"
#include "wmsketch/readers/numbers.hpp"

namespace wmsketch {
namespace {

struct Read {
  bool is_number;
  double value;
  std::size_t size;
};

Read read(std::string text) {
  text.append(kPadding, '\0');
  double value = 0;
  const char* const end = read_number(text.data(), value);
  return {end != nullptr, value, end ? static_cast<std::size_t>(end - text.data()) : 0};
}

TEST(ReadNumber, GivesTheNearestDouble) {
  for (const char* text : {"0",
                           "1",
                           "+1",
                           "-1",
                           "12345678",
                           "123456789012345678",
                           "0.5",
                           ".5",
                           "5.",
                           "-.25",
                           "1e3",
                           "1E-3",
                           "2.5e+2",
                           "0.1",
                           "0.3",
                           "123.456",
                           "0.123456789",
                           "9007199254740993",
                           "1e308",
                           "4.9e-324",
                           "1.7976931348623157e308",
                           "0.000000000000000000000000000001",
                           "00000000000001.5",
                           "0.30000000000000004",
                           "1e22",
                           "1e23",
                           "8.5e-10",
                           "1234567.8",
                           "123456.7",
                           "1.234567"}) {
    const Read got = read(text);
    EXPECT_TRUE(got.is_number) << text;
    EXPECT_EQ(got.value, std::strtod(text, nullptr)) << text;
    EXPECT_EQ(got.size, std::string(text).size()) << text;
  }
}

TEST(ReadNumber, AgreesWithTheLibraryOnRandomDecimals) {
  Random random(1);
  for (int i = 0; i < 200000; ++i) {
    std::string text = random.below(2) ? "-" : "";
    const std::uint32_t n_whole = random.below(12), n_fraction = random.below(12) + (n_whole == 0);
    for (std::uint32_t d = 0; d < n_whole; ++d) text += static_cast<char>('0' + random.below(10));
    if (n_fraction > 0) text += '.';
    for (std::uint32_t d = 0; d < n_fraction; ++d) text += static_cast<char>('0' + random.below(10));
    if (random.below(4) == 0) text += "e" + std::to_string(static_cast<int>(random.below(40)) - 20);
    ASSERT_EQ(read(text).value, std::stod(text)) << text;
  }
}

TEST(ReadNumber, ReturnsTheEndOfTheNumber) {
  EXPECT_EQ(read("1.5 2:3").size, 3u);
  EXPECT_EQ(read("1.5.2").size, 3u);
  EXPECT_EQ(read("12|x").size, 2u);
  EXPECT_EQ(read("0x1p3").size, 1u);
  EXPECT_EQ(read("1\xff").size, 1u);
  EXPECT_EQ(read("12.5\xff\xff").size, 4u);
}

TEST(ReadNumber, RejectsTextThatIsNotANumber) {
  for (const char* text : {"", "x", ".", "-", "+", "-.", "e5", ".e5", "1e", "1e+", "nan", "inf", "-inf", "--1", " 1"})
    EXPECT_FALSE(read(text).is_number) << text;
}

TEST(ReadNumber, DistinguishesOverflowFromUnderflow) {
  EXPECT_EQ(read("1e400").value, INFINITY);
  EXPECT_EQ(read("-1e400").value, -INFINITY);
  EXPECT_EQ(read("1e-400").value, 0.0);
  EXPECT_TRUE(std::signbit(read("-1e-400").value));
  EXPECT_EQ(read("0." + std::string(400, '0') + "1e300").value, 1e-101);
  EXPECT_EQ(read("1" + std::string(400, '0')).value, INFINITY);
  EXPECT_EQ(read("1" + std::string(400, '0') + "e-800").value, 0.0);
  EXPECT_EQ(read("1e99999999999999999999999").value, INFINITY);
  EXPECT_EQ(read("1e-99999999999999999999999").value, 0.0);
  EXPECT_EQ(read("0e99999999999999999999999").value, 0.0);
}

TEST(FitsFloat, RejectsNumbersThatRoundToInfinity) {
  EXPECT_TRUE(fits_float(3.4028234663852886e38));
  EXPECT_TRUE(fits_float(3.4028235e38));
  EXPECT_FALSE(fits_float(3.4028236e38));
  EXPECT_FALSE(fits_float(-INFINITY));
  EXPECT_FALSE(fits_float(NAN));
  EXPECT_FALSE(std::isfinite(static_cast<float>(0x1.ffffffp127)));
}

TEST(ReadUnsigned, DoesNotOverflowAboveTheLargest) {
  const auto id = [](std::string text) {
    text.append(kPadding, '\0');
    std::uint64_t value = 0;
    read_unsigned(text.data(), 0xffffffffu, value);
    return value;
  };
  EXPECT_EQ(id("7:"), 7u);
  EXPECT_EQ(id("4294967295:"), 4294967295u);
  EXPECT_GT(id("4294967296:"), 4294967295u);
  EXPECT_GT(id("99999999999999999999999999999999:"), 4294967295u);
  EXPECT_EQ(id("0000000000000012:"), 12u);
}

}  // namespace
TEST(Numbers, CodesHaveZerosInFrontOrTooManyDigits) {
  for (const char* code : {"02139", "00", "007", "1234567890123456", "-1234567890123456", "0000000000000000001"})
    EXPECT_TRUE(is_code(code)) << code;
  for (const char* number : {"", "0", "-0", "0.5", "00.5", "-05", "2139", "123456789012345", "-123456789012345", "1e30",
                             "0.123456789012345678", "12345678901234.5678", "-", "abcdefghijklmnopq"})
    EXPECT_FALSE(is_code(number)) << number;
}

}  // namespace wmsketch
