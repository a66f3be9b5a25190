#include "core/drawing/survival.hpp"

#include <gtest/gtest.h>

#include "unit/drawing/svg_check.hpp"

namespace dpmix::test {
namespace {

SurvivalPicture some(std::size_t curves) {
  SurvivalPicture p{"trial", "days", "died", "arm", 100, {}};
  for (std::size_t i = 0; i < curves; ++i) {
    p.curves.push_back({"arm <" + std::to_string(i) + ">",
                        {{10, .9, .85, .95, .8, 1}, {20, .8, .7, .9, .6, .95}}});
  }
  return p;
}

TEST(SurvivalSvg, DrawsEachCurveAndItsBands) {
  const std::string svg = draw_survival(some(2));
  EXPECT_TRUE(well_formed(svg));
  EXPECT_TRUE(fits_a_small_screen(svg));
  EXPECT_EQ(occurrences(svg, "fill-opacity=\".13\""), 2u);
  EXPECT_EQ(occurrences(svg, "fill-opacity=\".22\""), 2u);
  EXPECT_TRUE(contains(svg, "arm &#60;1&#62;: 0.8 at 20"));
  EXPECT_TRUE(contains(svg, "Survival until died"));
}

TEST(SurvivalSvg, CountsWhatItDoesNotDraw) {
  EXPECT_TRUE(contains(draw_survival(some(9)), "; 3 more groups"));
  EXPECT_FALSE(contains(draw_survival(some(6)), "more groups"));
  SurvivalPicture p = some(1);
  p.by = p.curves[0].name = "";
  p.curves[0].points.clear();
  const std::string svg = draw_survival(p);
  EXPECT_TRUE(well_formed(svg));
  EXPECT_TRUE(contains(svg, "everybody: nothing is told"));
}

}  // namespace
}  // namespace dpmix::test
