#include "core/drawing/blocks.hpp"

#include <gtest/gtest.h>

#include <string>

#include "unit/drawing/svg_check.hpp"

namespace dpmix::test {
namespace {

std::size_t times(const std::string& text, std::string_view word) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) {
    ++found;
  }
  return found;
}

BlocksPicture picture_of(std::size_t runs) {
  BlocksPicture picture;
  picture.relation = "public.visits";
  picture.column = "day";
  picture.accountant = "gdp";
  picture.unit = AxisUnit::date;
  picture.epsilon = 1;
  picture.delta = 1e-6;
  for (std::size_t i = 0; i < runs; ++i) {
    const auto from = static_cast<double>(9000 + 2 * i);
    picture.runs.push_back({from, from + 1, .01 * static_cast<double>(i % 90), 3});
  }
  return picture;
}

TEST(BlocksSvg, HasABarForEachRun) {
  const std::string svg = draw_blocks(picture_of(12));
  EXPECT_TRUE(well_formed(svg));
  EXPECT_TRUE(fits_a_small_screen(svg));
  EXPECT_EQ(times(svg, "<rect x="), 12u);
  EXPECT_NE(svg.find("<title>11% spent, 3 charges</title>"), std::string::npos);
  EXPECT_NE(svg.find("spent of one is at most 11%"), std::string::npos);
  EXPECT_NE(svg.find("day (UTC)"), std::string::npos);
}

TEST(BlocksSvg, IsOfBoundedSizeAndKeepsTheFullest) {
  BlocksPicture picture = picture_of(50000);
  picture.runs[31007].share = .973;
  const std::string svg = draw_blocks(picture);
  EXPECT_TRUE(well_formed(svg));
  EXPECT_TRUE(fits_a_small_screen(svg));
  EXPECT_LT(svg.size(), 200'000u);
  EXPECT_NE(svg.find("97.3% spent"), std::string::npos);
  EXPECT_NE(svg.find("the fullest is drawn"), std::string::npos);
}

TEST(BlocksSvg, WithoutChargesAndWithoutManners) {
  BlocksPicture picture = picture_of(0);
  EXPECT_NE(draw_blocks(picture).find("No block was charged yet."), std::string::npos);
  picture.unit = AxisUnit::number;
  picture.relation = picture.column = picture.accountant = "<&\"\xFF\x01>";
  picture.active = false;
  picture.runs = {{5, 5, 40, 1}};  // no width, far above the budget
  const std::string svg = draw_blocks(picture);
  EXPECT_TRUE(well_formed(svg));
  EXPECT_TRUE(fits_a_small_screen(svg));
  EXPECT_NE(svg.find("above the top of the picture"), std::string::npos);
  EXPECT_NE(svg.find("no longer protected"), std::string::npos);
}

}  // namespace
}  // namespace dpmix::test
