#include "core/drawing/intervals.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "unit/drawing/svg_check.hpp"

namespace dpmix::test {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Numbers as attributes: none that is not finite and of the size of a picture.
void expect_sane(const std::string& svg) {
  EXPECT_TRUE(well_formed(svg));
  EXPECT_TRUE(fits_a_small_screen(svg));
  for (const char* attribute : {" x=\"", " cx=\"", " width=\""}) {
    for (std::size_t at = 0; (at = svg.find(attribute, at)) != std::string::npos; ++at) {
      const char* number = svg.c_str() + at + std::string(attribute).size();
      const double value = std::strtod(number, nullptr);
      EXPECT_TRUE(value >= 0 && value <= 540) << svg.substr(at, 40);
    }
  }
}

TEST(IntervalSvg, DrawsWhatHasAPlace) {
  IntervalPicture p{"", {{"a", 5., 3., 7.}, {"b", -2., -4., 0.}, {"c", 1., 1., 1.}}, 0};
  const std::string svg = draw_intervals(p);
  expect_sane(svg);
  EXPECT_EQ(occurrences(svg, "<circle"), 3u);
  EXPECT_EQ(occurrences(svg, "fill=\"#9ecae1\""), 3u);
  EXPECT_TRUE(contains(svg, "a: 5 [3, 7]"));
  EXPECT_TRUE(contains(svg, "stroke=\"#999\""));  // zero
}

TEST(IntervalSvg, SaysWhatRowsAreAndWhetherThereAreIntervals) {
  IntervalPicture p{"", {{"a", 5., 3., 7.}, {"b", 2., std::nullopt, 4.}}, 0};
  EXPECT_TRUE(contains(draw_intervals(p), ">2 answers with their intervals<"));
  p.rows.erase(p.rows.begin());
  p.noun = "coefficient";
  EXPECT_TRUE(contains(draw_intervals(p), ">1 coefficient, without intervals<"));
}

// Whatever was released is drawn or left out, and never an error.
TEST(IntervalSvg, AnyValues) {
  const std::optional<double> values[] = {std::nullopt, nan, inf,   -inf,  0.,      -0.,     5e-324,
                                          -1e-300,      1.,  -1e15, 1e300, 1.7e308, -1.7e308};
  IntervalPicture all;
  for (const auto& answer : values) {
    for (const auto& low : values) {
      for (const auto& high : values) {
        const IntervalRow row{"x", answer, low, high};
        expect_sane(draw_intervals({"", {row}, 0}));
        all.rows.push_back(row);
      }
    }
  }
  expect_sane(draw_intervals(all));
}

TEST(IntervalSvg, GapsAndArrows) {
  const auto arrows = [](double low, double high) {
    const std::string svg = draw_intervals({"", {{"x", 1., low, high}, {"y", 2., 1., 3.}}, 0});
    return occurrences(svg, "Z\" fill=\"#0072b2\"");
  };
  EXPECT_EQ(arrows(0, 2), 0u);
  EXPECT_EQ(arrows(-inf, 2), 1u);
  EXPECT_EQ(arrows(-inf, inf), 2u);
  const std::string svg = draw_intervals({"", {{"x", nan, 1., std::nullopt}}, 0});
  EXPECT_EQ(occurrences(svg, "<circle"), 0u);
  EXPECT_EQ(occurrences(svg, "fill=\"#9ecae1\""), 0u);
  EXPECT_TRUE(contains(svg, "x: NaN [1, NULL]"));
}

TEST(IntervalSvg, ManyRowsNoRowsAndLabels) {
  expect_sane(draw_intervals({"", {}, 0}));
  EXPECT_TRUE(contains(draw_intervals({"", {}, 0}), "no rows"));
  IntervalPicture p{"<title> & \"more\"", {}, 1};
  for (int i = 0; i < 300; ++i) p.rows.push_back({std::string(300, 'W') + "<", i * 1., 0., 400.});
  p.rows[0].label = std::nullopt;
  const std::string svg = draw_intervals(p);
  expect_sane(svg);
  EXPECT_EQ(occurrences(svg, "<circle"), 300u);
  EXPECT_LT(svg.size(), 250000u);
  EXPECT_TRUE(contains(svg, "and 1 more row, not drawn"));
  EXPECT_TRUE(contains(svg, "&#60;title&#62; &#38;"));
  EXPECT_TRUE(contains(svg, "font-style=\"italic\">NULL<"));
}

TEST(IntervalSvg, PartsOfIntervalsAndWords) {
  IntervalPicture p;
  p.title = "t";
  p.remark = "dark: a part";
  p.rows = {{"a", 5., 3., 7., 4., 6.}, {"b", {}, {}, {}, {}, {}, "hidden"}};
  const std::string svg = draw_intervals(p);
  expect_sane(svg);
  EXPECT_EQ(occurrences(svg, "<circle"), 1u);
  EXPECT_EQ(occurrences(svg, "fill=\"#9ecae1\""), 1u);
  EXPECT_EQ(occurrences(svg, "fill=\"#56b4e9\""), 1u);
  EXPECT_EQ(occurrences(svg, ">hidden<"), 1u);
  EXPECT_EQ(occurrences(svg, ">dark: a part<"), 1u);
  p.rows[0].inner_high = 100.;  // a part that is wider takes its room
  expect_sane(draw_intervals(p));
}

}  // namespace
}  // namespace dpmix::test
