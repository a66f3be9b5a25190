// Would falsify docs/proofs/regression.md: where normal intervals are given although terms are
// nearly collinear, or the odds are steep, they hold the coefficients of the rows as often as they
// say, and where the noise hides one coefficient of a logistic regression none is given. The
// designs are those for which intervals were given that held in 0 to 90% of the releases. A right
// release fails with probability at most 1e-9.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>

#include "core/base/normal_reach.hpp"
#include "tables/hard_designs.hpp"
#include "tables/wage_regression.hpp"

namespace dpmix::test {
namespace {

struct Told {
  int runs = 0, given = 0;  // releases; those with intervals
  double share = 0;         // sum of the shares of their intervals that hold

  void add(const std::vector<Coefficient>& noisy, const std::vector<Coefficient>& exact) {
    ++runs;
    if (std::isnan(noisy.back().stddev)) return;
    ++given;
    int here = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const double reach = normal_reach(.95) * noisy[i].noise_stddev;
      here += std::fabs(noisy[i].centre - exact[i].estimate) <= reach;
    }
    share += here / static_cast<double>(exact.size());
  }

  // As if there were one interval a run, of those that may be a little less than they say.
  void expect(double least) const {
    if (given == 0) return;
    EXPECT_GT(share / given, least - 6.2 * std::sqrt(.05 / given));
  }
};

double inside(double x) {
  return std::clamp(x, -3., 3.);
}

// Two terms, the target effect[0] x + effect[1] z, and normal noise.
Told linear(double correlation, std::array<double, 2> effect, double epsilon, int runs) {
  std::mt19937_64 stream(3);
  std::normal_distribution<double> normal;
  Design design;
  design.terms = {number_term(-3, 3), number_term(-3, 3)};
  design.target_lower = -20;
  design.target_upper = 20;
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < 20000; ++i) {
    const double a = normal(stream), b = normal(stream);
    const double x = inside(a);
    const double z = inside(correlation * a + std::sqrt(1 - correlation * correlation) * b);
    rows.push_back({x, z, effect[0] * x + effect[1] * z + normal(stream)});
  }
  const MomentTotals totals = totals_of(design, 1, rows);
  RandomStream random({5, static_cast<std::uint8_t>(4 * epsilon)});
  const auto released = [&](double at) {
    const RegressionPlan plan =
        plan_regression({.norm2 = design.norm2(), .epsilon = at, .delta = 1e-6}, design.frame(1));
    return coefficients_of(fit_linear(noisy_gram(random, &totals.classes[0], 3, plan), plan),
                           design);
  };
  const std::vector<Coefficient> exact = released(1e7);
  Told told;
  for (int run = 0; run < runs; ++run) told.add(released(epsilon), exact);
  return told;
}

Told logistic(const Design& design, const std::vector<std::vector<double>>& rows, double epsilon,
              int runs) {
  const MomentTotals totals = totals_of(design, 1, rows);
  const auto coded = coded_rows(design, rows);
  RandomStream random({6, static_cast<std::uint8_t>(epsilon)});
  const auto released = [&](double at) {
    const LogisticPlan plan =
        plan_logistic({.norm2 = design.norm2(), .epsilon = at, .delta = 1e-6}, design.frame(1));
    return coefficients_of(logistic_release(random, totals, coded, plan).result(), design,
                           RegressionKind::logistic);
  };
  LinearFit most_likely;
  most_likely.coefficients = exact_logistic(coded);
  const std::vector<Coefficient> exact =
      coefficients_of(most_likely, design, RegressionKind::logistic);
  Told told;
  for (int run = 0; run < runs; ++run) told.add(released(epsilon), exact);
  return told;
}

TEST(ToldCoverage, NearlyCollinearTerms) {
  for (const double correlation : {.9, .95, .98, .99, .995}) {
    Told all;
    for (const double epsilon : {.25, .5, 1., 2., 4., 8.}) {
      for (const std::array<double, 2> effect : {std::array{1., -1.}, {8., -8.}, {3., 0.}}) {
        const Told here = linear(correlation, effect, epsilon, 200);
        here.expect(.93);
        all.runs += here.runs;
        all.given += here.given;
        all.share += here.share;
      }
    }
    std::printf("correlation %g: %d of %d with intervals, %.4f hold\n", correlation, all.given,
                all.runs, all.share / std::max(1, all.given));
    all.expect(.94);
  }
}

TEST(ToldCoverage, SteepOdds) {
  for (const double slope : {3., 10., 30.}) {
    for (const bool second : {false, true}) {
      std::mt19937_64 stream(4);
      std::uniform_real_distribution<double> uniform(0, 1);
      Design design;
      design.terms = {number_term(0, 1)};
      if (second) design.terms.push_back(number_term(0, 1));
      std::vector<std::vector<double>> rows;
      for (int i = 0; i < 20000; ++i) {
        const double x = uniform(stream), z = (x + .2 * uniform(stream)) / 1.2;
        const double odds = std::exp(-2 + slope * x);
        const double y = uniform(stream) < odds / (1 + odds) ? 1 : 0;
        rows.push_back(second ? std::vector{x, z, y} : std::vector{x, y});
      }
      for (const double epsilon : {1., 4., 16.}) {
        const Told told = logistic(design, rows, epsilon, 40);
        std::printf("slope %g%s, epsilon %g: %d of %d with intervals, %.4f hold\n", slope,
                    second ? " and a second term" : "", epsilon, told.given, told.runs,
                    told.share / std::max(1, told.given));
        told.expect(.93);
      }
    }
  }
}

// The last column of the wage table twice: what is not told apart leaves nothing told.
TEST(ToldCoverage, NothingBesideHiddenCoefficients) {
  WageRegression wages = high_wages();
  wages.design.terms.push_back(category_term(2));
  for (std::vector<double>& row : wages.rows) row.insert(row.end() - 1, row[4]);
  for (const double epsilon : {1., 16., 1e6}) {
    EXPECT_EQ(logistic(wages.design, wages.rows, epsilon, 5).given, 0);
  }
}

}  // namespace
}  // namespace dpmix::test
