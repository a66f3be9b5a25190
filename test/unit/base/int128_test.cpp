#include "core/base/int128.hpp"

#include <gtest/gtest.h>

namespace dpmix {
namespace {

constexpr Int128 largest = static_cast<Int128>(~static_cast<UInt128>(0) >> 1);
constexpr Int128 least = -largest - 1;

TEST(Int128, PrintsExtremes) {
  EXPECT_EQ(to_string(0), "0");
  EXPECT_EQ(to_string(-1), "-1");
  EXPECT_EQ(to_string(static_cast<Int128>(1) << 64), "18446744073709551616");
  EXPECT_EQ(to_string(largest), "170141183460469231731687303715884105727");
  EXPECT_EQ(to_string(least), "-170141183460469231731687303715884105728");
}

TEST(Int128, ParsesWhatItPrints) {
  for (const Int128 value :
       {least, least + 1, Int128{-1}, Int128{0}, Int128{1}, largest - 1, largest}) {
    EXPECT_TRUE(parse_int128(to_string(value)) == value) << to_string(value);
  }
  Int128 power = 1;
  for (int i = 0; i < 38; ++i, power *= 10) {
    EXPECT_TRUE(parse_int128(to_string(power)) == power);
    EXPECT_TRUE(parse_int128(to_string(-power)) == -power);
  }
  EXPECT_TRUE(parse_int128("-0") == Int128{0});
  EXPECT_TRUE(parse_int128("007") == Int128{7});
}

TEST(Int128, RefusesWhatIsNotANumberInRange) {
  for (const char* text :
       {"", "-", "--1", "+1", " 1", "1 ", "1.0", "1e3", "0x1",
        "170141183460469231731687303715884105728", "-170141183460469231731687303715884105729",
        "999999999999999999999999999999999999999", "1000000000000000000000000000000000000000",
        "18446744073709551616a"}) {
    EXPECT_FALSE(parse_int128(text).has_value()) << text;
  }
}

TEST(Int128, ConvertsToTheNearestDouble) {
  for (Int128 value = 1; value > 0 && value < largest / 3; value = 3 * value + 1) {
    EXPECT_EQ(to_double(value), static_cast<double>(value));
    EXPECT_EQ(to_double(-value), static_cast<double>(-value));
  }
  EXPECT_EQ(to_double(static_cast<Int128>(1) << 63), 0x1p63);
  EXPECT_EQ(to_double(least), -0x1p127);
}

}  // namespace
}  // namespace dpmix
