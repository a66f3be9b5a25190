#include "core/drawing/dependence.hpp"

#include <gtest/gtest.h>

#include <string>

#include "unit/drawing/svg_check.hpp"

namespace dpmix::test {
namespace {

TEST(DependenceSvg, ALineForEachPair) {
  const std::string svg =
      draw_dependence({"m<",
                       "town",
                       {"age", "wage", "\xff&", "alone"},
                       {{0, 2, .5, false}, {2, 1, .1, false}, {0, 1, .2, true}}});
  EXPECT_TRUE(well_formed(svg));
  EXPECT_TRUE(fits_a_small_screen(svg));
  EXPECT_EQ(occurrences(svg, "<circle"), 4u);
  EXPECT_EQ(occurrences(svg, " nats</title></path>"), 3u);
  EXPECT_EQ(occurrences(svg, "stroke-dasharray"), 1u);
  EXPECT_TRUE(contains(svg, "<title>age and &#65533;&#38;: 0.5 nats</title>"));
  EXPECT_TRUE(contains(svg, "within classes of town"));
  // Along the tree: age, what hangs on it, what hangs on that.
  const auto y_of = [&](const std::string& name) {
    return attribute(svg.substr(svg.rfind("<text", svg.find(">" + name + "</text>"))), "y", 0);
  };
  EXPECT_LT(y_of("age"), y_of("&#65533;&#38;"));
  EXPECT_LT(y_of("&#65533;&#38;"), y_of("wage"));
  EXPECT_LT(y_of("wage"), y_of("alone"));
}

TEST(DependenceSvg, ManyColumnsAndFew) {
  for (const int columns : {1, 2, 20, 64}) {
    DependencePicture picture{std::string(200, 'M'), std::string(200, 'W'), {}, {}};
    for (int i = 0; i < columns; ++i) {
      picture.columns.push_back(std::string(static_cast<std::size_t>(i), 'W'));
      if (i > 0) picture.pairs.push_back({i / 2, i, 1. / i, false});
      if (i > 5) picture.pairs.push_back({0, i, 0, true});
    }
    const std::string svg = draw_dependence(picture);
    EXPECT_TRUE(well_formed(svg));
    EXPECT_TRUE(fits_a_small_screen(svg));
    EXPECT_FALSE(contains(svg, "nan"));
    EXPECT_EQ(occurrences(svg, "<circle"), static_cast<std::size_t>(columns));
  }
}

}  // namespace
}  // namespace dpmix::test
