#include "core/drawing/shares.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/drawing/svg_check.hpp"

namespace dpmix::test {
namespace {

TEST(SharesSvg, ABarForEachShareOfEachTable) {
  const SharesPicture picture{
      "people <&>",
      "made",
      {{"age", AxisUnit::number, 0, 100, {}, {.5, .25, .25, 0}, {.25, .25, .5, 0}},
       {"town", AxisUnit::number, 0, 1, {"n\"", "s"}, {.5, .25, .25}, {.5, .5, 0}}}};
  const std::string svg = draw_shares(picture);
  EXPECT_TRUE(well_formed(svg));
  EXPECT_TRUE(fits_a_small_screen(svg));
  // Of age 3 and 3, without missing values; of town 3 and 2; and the legend's.
  EXPECT_EQ(occurrences(svg, "fill=\"#0072b2\"/>"), 3 + 3 + 1u);
  EXPECT_EQ(occurrences(svg, "fill=\"#e69f00\"/>"), 3 + 2 + 1u);
  EXPECT_TRUE(contains(svg, "people &#60;&#38;&#62; and made"));
  EXPECT_TRUE(contains(svg, "0 to 33.3333: real 50%, synthetic 25%"));
  EXPECT_TRUE(contains(svg, "n&#34;: real 50%, synthetic 50%"));
  EXPECT_TRUE(contains(svg, "NULL: real 25%, synthetic 0%"));
  EXPECT_EQ(occurrences(svg, "NULL: "), 1u);
  EXPECT_EQ(occurrences(svg, "apart by 0.25<"), 2u);
  EXPECT_TRUE(contains(svg, "age: total variation 0.25."));
}

TEST(SharesSvg, IsBounded) {
  SharesPicture picture{"a", "b", {}};
  ColumnShares many{"many", AxisUnit::number, 0, 1, {}, {}, {}};
  for (int i = 0; i < 500; ++i) {
    many.categories.push_back("category " + std::to_string(i));
    many.real.push_back(i == 400 ? .5 : .001);
    many.synthetic.push_back(.002);
  }
  many.real.push_back(0);
  many.synthetic.push_back(0);
  for (int i = 0; i < 90; ++i) picture.columns.push_back(many);
  const std::string svg = draw_shares(picture);
  EXPECT_TRUE(well_formed(svg));
  EXPECT_TRUE(fits_a_small_screen(svg));
  EXPECT_EQ(occurrences(svg, "<g><title>"), 60 * 30u);
  EXPECT_EQ(occurrences(svg, "<title>category 400: real 50%"), 60u);
  EXPECT_EQ(occurrences(svg, "<title>471 others: real 47.1%, synthetic 94.2%"), 60u);
  EXPECT_TRUE(contains(svg, "and 30 more columns, not drawn"));
  EXPECT_LT(svg.size(), 1'000'000u);
}

// A table without rows, one category, dates, all rows in one cell, bytes that are no text.
TEST(SharesSvg, WhateverTheTablesHold) {
  const std::vector<double> none(3, NAN);
  const SharesPicture picture{
      "\xff",
      "",
      {{"empty", AxisUnit::number, 0, 1, {}, none, none},
       {"half", AxisUnit::boolean, 0, 1, {"false", "true"}, {0, 1, 0}, none},
       {"one", AxisUnit::number, 0, 1, {"x\x01"}, {1, 0}, {0, 1}},
       {"day", AxisUnit::date, -1e4, 1e4, {}, {.5, .5, 0}, {0, 0, 1}},
       {"time", AxisUnit::time, -1e300, 1e300, {}, {1, 0, 0}, {1, 0, 0}},
       {"\xc3\xa9", AxisUnit::number, 1e308, 1.1e308, {}, {1, 0, 0}, {1, 0, 0}}}};
  const std::string svg = draw_shares(picture);
  EXPECT_TRUE(well_formed(svg));
  EXPECT_TRUE(fits_a_small_screen(svg));
  EXPECT_FALSE(contains(svg, "nan"));
  EXPECT_FALSE(contains(svg, "inf"));
  EXPECT_EQ(occurrences(svg, "unknown</text>"), 2u);
  EXPECT_TRUE(well_formed(draw_shares({"a", "b", {}})));
}

}  // namespace
}  // namespace dpmix::test
