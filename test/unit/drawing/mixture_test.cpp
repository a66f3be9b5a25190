#include "core/drawing/mixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/drawing/xml_text.hpp"
#include "unit/drawing/svg_check.hpp"

namespace dpmix::test {
namespace {

MarginalPicture picture_of(std::vector<MarginalComponent> components) {
  MarginalPicture p;
  p.model = "model";
  p.feature = "age";
  p.upper = 120;
  for (std::size_t k = 0; k < components.size(); ++k) p.names.push_back("c" + std::to_string(k));
  p.components = std::move(components);
  return p;
}

TEST(MixtureSvg, IsWellFormedWhateverTheNames) {
  EXPECT_FALSE(well_formed("<svg><b></svg></b>"));  // the check itself
  EXPECT_FALSE(well_formed("<svg>a & b</svg>"));
  EXPECT_FALSE(well_formed("<svg>\x80</svg>"));
  MarginalPicture p = picture_of({{.3, 40, 10}, {.3, 60, 5}, {.4, 50, 1e-9}});
  p.model = "<model> & \"co\" 'x' ]]>";
  p.feature = std::string(400, 'W') + "<";
  p.label = "<label>";
  p.names = {"</text><script>", std::string("\x01\x02\xff\xc3\x28\xed\xa0\x80\0", 9),
             "\xe6\x97\xa5\xe6\x9c\xac\xf0\x9f\x98\x80" + std::string(500, 'n')};
  const std::string svg = draw_marginal(p);
  EXPECT_TRUE(well_formed(svg));
  EXPECT_TRUE(fits_a_small_screen(svg));
  EXPECT_FALSE(contains(svg, "<script"));
  EXPECT_TRUE(contains(svg, "&#60;label&#62;"));
  EXPECT_TRUE(contains(svg, "&#26085;"));  // its first character
  EXPECT_TRUE(contains(svg, "&#65533;"));  // for what is no character
  EXPECT_TRUE(contains(svg, "<title>Marginal density of W"));
  EXPECT_TRUE(contains(svg, "role=\"img\""));
  EXPECT_TRUE(contains(svg, "Cut off at the top: "));
}

TEST(MixtureSvg, OneToManyComponents) {
  for (const std::size_t count : {1u, 2u, 7u, 8u, 20u, 21u, 300u}) {
    std::vector<MarginalComponent> components;
    for (std::size_t k = 0; k < count; ++k) {
      components.push_back(
          {1. / static_cast<double>(count), 60 + 50 * std::sin(static_cast<double>(k)), 3});
    }
    const std::string svg = draw_marginal(picture_of(components));
    EXPECT_TRUE(well_formed(svg));
    EXPECT_TRUE(fits_a_small_screen(svg));
    std::size_t curves = 0;
    for (std::size_t at = 0; (at = svg.find("stroke-linejoin", at)) != std::string::npos; ++at)
      ++curves;
    EXPECT_EQ(curves, std::min<std::size_t>(count, 20));
    EXPECT_EQ(contains(svg, "together, 1 lighter too"), count == 21);
    EXPECT_LT(svg.size(), 120000u);
  }
}

TEST(MixtureSvg, ShowsTheWideBesideTheNarrow) {
  const std::string cut = draw_marginal(picture_of({{.5, 60, 20}, {.5, 30, 1e-6}}));
  EXPECT_TRUE(contains(cut, "Cut off at the top: c1 (peak "));
  const std::string whole = draw_marginal(picture_of({{.5, 60, 20}, {.5, 30, 10}}));
  EXPECT_FALSE(contains(whole, "Cut off"));
  // A tiny component is no reason to cut the others.
  const std::string tiny = draw_marginal(picture_of({{.999, 60, 20}, {.001, 30, 20}}));
  EXPECT_FALSE(contains(tiny, "Cut off"));
}

std::string labels(const AxisTicks& axis) {
  std::string all;
  for (const Tick& tick : axis.ticks) {
    all += (all.empty() ? "" : " ") + tick.label + (tick.below.empty() ? "" : "/" + tick.below);
  }
  return all;
}

TEST(SvgAxis, RoundNumbers) {
  EXPECT_EQ(labels(axis_ticks(AxisUnit::number, 0, 100, 6)), "0 20 40 60 80 100");
  EXPECT_EQ(labels(axis_ticks(AxisUnit::number, -1e-7, 1e-7, 3)), "-1e-7 0 1e-7");
  EXPECT_EQ(labels(axis_ticks(AxisUnit::number, 1e6 + .001, 1e6 + .004, 4)),
            "1000000.001 1000000.002 1000000.003 1000000.004");
  EXPECT_EQ(labels(axis_ticks(AxisUnit::boolean, 0, 1)), "false true");
}

// Days and seconds since 2000-01-01.
TEST(SvgAxis, DatesAndTimes) {
  EXPECT_EQ(labels(axis_ticks(AxisUnit::date, -3652, 7305, 5)), "1990 2000 2010 2020");
  EXPECT_EQ(labels(axis_ticks(AxisUnit::date, 31, 366, 5)), "2000-04 2000-07 2000-10 2001-01");
  EXPECT_EQ(labels(axis_ticks(AxisUnit::date, 58, 61, 4)),
            "2000-02-28 2000-02-29 2000-03-01 2000-03-02");
  EXPECT_EQ(labels(axis_ticks(AxisUnit::date, -733000, -728000, 4)), "6 BC 1 BC 5");
  EXPECT_EQ(labels(axis_ticks(AxisUnit::time, 0, 86400, 5)),
            "00:00/2000-01-01 06:00 12:00 18:00 00:00/2000-01-02");
  EXPECT_EQ(labels(axis_ticks(AxisUnit::time, 60, 64, 5)),
            "00:01:00/2000-01-01 00:01:01 00:01:02 00:01:03 00:01:04");
  EXPECT_EQ(labels(axis_ticks(AxisUnit::time, -.5, .5, 3)),
            "23:59:59.5/1999-12-31 00:00:00.0/2000-01-01 00:00:00.5");
  EXPECT_EQ(axis_ticks(AxisUnit::date, 1e8, 2e8).unit, AxisUnit::number);  // no calendar there
}

// Whatever the range: some ticks, not too many, in order, inside it.
TEST(SvgAxis, AlwaysSome) {
  for (const AxisUnit unit : {AxisUnit::number, AxisUnit::date, AxisUnit::time}) {
    for (int at = -320; at <= 320; at += 7) {
      const double low = (at % 2 ? -1 : 1) * std::pow(10., std::abs(at) / 26.);
      for (int size = -6; size <= 12; ++size) {
        const double high = std::max(low + std::pow(10., size), std::nextafter(low, HUGE_VAL));
        const AxisTicks axis = axis_ticks(unit, low, high, 7);
        EXPECT_GE(axis.ticks.size(), 1u) << low << " " << high;
        EXPECT_LE(axis.ticks.size(), 8u) << low << " " << high;
        double last = low;
        for (const Tick& tick : axis.ticks) {
          EXPECT_GE(tick.value, last);
          EXPECT_LE(tick.value, high);
          EXPECT_FALSE(tick.label.empty());
          last = tick.value;
        }
      }
    }
  }
}

TEST(SvgText, Lines) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(svg_lines("", 5), Lines{});
  EXPECT_EQ(svg_lines("abc de fg", 6), (Lines{"abc de", "fg"}));
  EXPECT_EQ(svg_lines("abc de fg", 5), (Lines{"abc", "de fg"}));
  EXPECT_EQ(svg_lines("abcdefg h", 3), (Lines{"abc", "def", "g h"}));
  EXPECT_EQ(svg_lines("&#233;&#26085;&#26085;x", 4), (Lines{"&#233;&#26085;", "&#26085;x"}));
  EXPECT_EQ(svg_lines("  a  ", 1), Lines{"a"});
  EXPECT_EQ(svg_line_width("a&#38;&#26085;"), 4);
  EXPECT_EQ(svg_line_width("&"), 1);  // not what svg_text() makes
}

TEST(SvgText, Numbers) {
  EXPECT_EQ(short_number(1e6, 3), "1e6");
  EXPECT_EQ(short_number(-2.5e-7), "-2.5e-7");
  EXPECT_EQ(short_number(1e100), "1e100");
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(1234.5), "1234.5");
}

TEST(SvgText, CutsBetweenCharacters) {
  EXPECT_EQ(svg_text("abc", 3), "abc");
  EXPECT_EQ(svg_text("abcd", 3), "ab&#8230;");
  EXPECT_EQ(svg_text("\xe6\x97\xa5\xe6\x97\xa5", 3), "&#26085;&#8230;");
  EXPECT_EQ(svg_text("a\tb\x7f"), "a b&#65533;");
  EXPECT_EQ(svg_text("\xc3"), "&#65533;");
  EXPECT_EQ(svg_text("\xc0\xaf"), "&#65533;&#65533;");  // not the shortest form
}

}  // namespace
}  // namespace dpmix::test
