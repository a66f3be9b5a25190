// Would falsify docs/proofs/regression_exact_sets.md: in designs in which intervals are hard to get
// right, those that are shown hold the coefficients of the rows, and those of the population, as
// often as they say. bench/regression/hard_designs has more releases. A right release fails with
// probability at most 1e-9.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tables/hard_designs.hpp"

namespace dpmix::test {
namespace {

TEST(HardDesigns, WhatIsShownHolds) {
  for (const HardDesign& of : hard_designs()) {
    const bool linear = of.kind == RegressionKind::linear;
    for (const double epsilon : {.25, 1., 4.}) {
      const Coverage here = coverage_of(of, epsilon, linear ? 60 : 30, 2);
      if (here.shown == 0) continue;
      // As if there were one interval a release, of those that may be a little less than they say.
      const double least = .93 - 6.2 * std::sqrt(.05 / here.shown);
      EXPECT_GT(here.share(), least) << of.name << ", epsilon " << epsilon;
      // Of a logistic regression the rows are the same each time.
      if (linear) {
        EXPECT_GT(here.share_population(), least) << of.name << ", epsilon " << epsilon;
      }
    }
    if (linear) {
      EXPECT_EQ(coverage_of(of, .1, 2, 3).shown, 2) << of.name;
    }
  }
}

// Nor are they everything: intervals of a third of the reach hold far less often.
TEST(HardDesigns, IntervalsAreNoWiderThanTheyMustBe) {
  const HardDesign of = hard_designs()[0];
  const Coverage here = coverage_of(of, 1, 200, 4, .4844);  // a third of the reach at 95%
  EXPECT_LT(here.open, .2 * here.coefficients);
  // A share of .484 or a little more, were there one interval a release.
  EXPECT_LT(here.share(), .6 + 6.2 * std::sqrt(.24 / here.shown));
  EXPECT_LT(here.share_population(), .6 + 6.2 * std::sqrt(.24 / here.shown));
}

}  // namespace
}  // namespace dpmix::test
