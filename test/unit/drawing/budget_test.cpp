#include "core/drawing/budget.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "unit/drawing/svg_check.hpp"

namespace dpmix::test {
namespace {

using Picture = BudgetPicture;

// Steps in which every band is charged so much, at a composed total of its square root.
Picture picture_of(std::size_t bands, std::size_t steps, double epsilon = .01, double budget = 8) {
  Picture p;
  p.relation = "public.patients";
  p.accountant = "renyi";
  p.to = 86400 * 30;
  p.delta = 1e-6;
  p.budgets = {{0, budget}};
  for (std::size_t b = 0; b < bands; ++b) p.bands.push_back({"role" + std::to_string(b), 0, 0});
  double sum = 0;
  for (std::size_t i = 1; i <= steps; ++i) {
    Picture::Step step{p.to * static_cast<double>(i) / static_cast<double>(steps + 1), 0, {}};
    for (std::size_t b = 0; b < bands; ++b) {
      step.parts.push_back({b, epsilon, epsilon * epsilon / 2});
      p.bands[b].charges += 1;
      p.bands[b].epsilon += epsilon;
      sum += epsilon;
    }
    step.total = std::min(sum, std::sqrt(sum * epsilon));
    p.steps.push_back(step);
  }
  return p;
}

// Nothing of the legend is lost.
TEST(BudgetSvg, HasARoleInEachKey) {
  Picture p = picture_of(7, 40);
  p.relation = std::string(50, 'n');
  p.bands[3].role = std::string(63, 'M');
  p.sees_all = false;
  const std::string svg = draw_budget(p);
  EXPECT_TRUE(fits_a_small_screen(svg));
  for (std::size_t b = 0; b < 7; ++b) {
    EXPECT_TRUE(contains(svg, b == 3 ? ">MMM" : ">" + p.bands[b].role + "<"));
  }
}

// Colours of light and of dark pages.
TEST(BudgetSvg, FollowsTheReadersMode) {
  const std::string svg = draw_budget(picture_of(2, 4));
  EXPECT_NE(svg.find("prefers-color-scheme:dark"), std::string::npos);
  for (const char* colour : {"#fff", "#555", "#222", "#333", "#e4e4e4"}) {
    EXPECT_NE(svg.find(std::string("=\"") + colour + "\"]"), std::string::npos) << colour;
  }
}

TEST(BudgetSvg, StackAddsUpToTheTotal) {
  const Picture p = picture_of(5, 40);
  const auto stack = budget_stack(p);
  ASSERT_EQ(stack.size(), p.steps.size());
  std::vector<double> before(5);
  for (std::size_t i = 0; i < stack.size(); ++i) {
    double sum = 0;
    for (std::size_t b = 0; b < 5; ++b) {
      EXPECT_GE(stack[i][b], before[b]);  // what was added stays
      sum += stack[i][b];
    }
    EXPECT_NEAR(sum, p.steps[i].total, 1e-12);
    before = stack[i];
  }
}

// One charged by epsilon, the other by cost: the arm that proves the total decides.
TEST(BudgetSvg, SharesByTheArmThatProvesTheTotal) {
  Picture p = picture_of(2, 0);
  p.steps = {{1, 2, {{0, 1, .1}, {1, 1, .3}}}};  // the sum of epsilon proves 2
  EXPECT_DOUBLE_EQ(budget_stack(p)[0][0], 1);
  p.steps[0].total = 1;  // costs prove less
  EXPECT_DOUBLE_EQ(budget_stack(p)[0][0], .25);
  EXPECT_DOUBLE_EQ(budget_stack(p)[0][1], .75);
  p.steps[0].parts = {{0, 3, 0}, {1, 1, 0}};  // `basic`: no costs
  EXPECT_DOUBLE_EQ(budget_stack(p)[0][0], .75);
}

TEST(BudgetSvg, IsWellFormedAndBounded) {
  for (const std::size_t bands : {1u, 2u, 7u, 8u}) {
    for (const std::size_t steps : {0u, 1u, 2u, 301u}) {
      for (const double epsilon : {1e-6, .01, 1e7}) {
        for (const double budget : {1e-6, 8., 1e7}) {
          const std::string svg = draw_budget(picture_of(bands, steps, epsilon, budget));
          EXPECT_TRUE(well_formed(svg));
          EXPECT_TRUE(fits_a_small_screen(svg));
          EXPECT_LT(svg.size(), 60000u);
          EXPECT_FALSE(contains(svg, "nan"));
          EXPECT_FALSE(contains(svg, "inf"));
        }
      }
    }
  }
}

TEST(BudgetSvg, EscapesNames) {
  Picture p = picture_of(2, 3);
  p.relation = "\"<table>&'\"";
  p.bands[0].role = "</text><script>alert(1)</script>";
  p.bands[1].role = "\xff\xf0\x9f\x98\x80";
  const std::string svg = draw_budget(p);
  EXPECT_TRUE(well_formed(svg));
  EXPECT_FALSE(contains(svg, "<script"));
  EXPECT_TRUE(contains(svg, "&#60;table&#62;"));
  EXPECT_TRUE(contains(svg, "&#128512;"));
}

TEST(BudgetSvg, SaysWhatItLeavesOut) {
  EXPECT_TRUE(contains(draw_budget(picture_of(1, 3, .01, 1e6)), "far above the top"));
  EXPECT_FALSE(contains(draw_budget(picture_of(1, 0, .01, 1e6)), "far above the top"));
  Picture p = picture_of(2, 3, 1);
  EXPECT_FALSE(contains(draw_budget(p), "above the top"));
  p.budgets = {{0, 1e6}, {1000, 8}};
  EXPECT_TRUE(contains(draw_budget(p), "earlier budget is above the top"));
  EXPECT_FALSE(contains(draw_budget(p), "others"));
  p.sees_all = false;
  EXPECT_TRUE(contains(draw_budget(p), "What others spent"));
  p.active = false;
  EXPECT_TRUE(contains(draw_budget(p), "no longer protected"));
  EXPECT_TRUE(contains(draw_budget(p), "6 charges"));
  EXPECT_TRUE(contains(draw_budget(p), "time (UTC)"));
}

}  // namespace
}  // namespace dpmix::test
