// Would falsify docs/proofs/regression.md, of units with several rows: intervals against the noise
// that do not hold the coefficients of the rows that the last scan drew, and intervals for the
// population that do not hold where the rows of a unit are as alike as they can be. A right release
// fails with probability at most 1e-9.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "core/base/normal_reach.hpp"
#include "tables/logistic_tables.hpp"
#include "tables/wage_regression.hpp"

namespace dpmix::test {
namespace {

using Rows = std::vector<std::vector<double>>;

constexpr std::size_t rows_of_unit = 5;
constexpr int most = 2;  // of them count
const double reach = normal_reach(.95);

// Of each unit so many of its rows.
Rows drawn(std::mt19937_64& random, const Rows& rows) {
  Rows kept;
  for (std::size_t unit = 0; unit < rows.size(); unit += rows_of_unit) {
    const auto from = rows.begin() + static_cast<std::ptrdiff_t>(unit);
    std::sample(from, from + std::min<std::ptrdiff_t>(rows_of_unit, rows.end() - from),
                std::back_inserter(kept), most, random);
  }
  return kept;
}

RegressionRequest request_of(const Design& design, double epsilon, int rows_per_unit) {
  return {
      .norm2 = design.norm2(), .epsilon = epsilon, .delta = 1e-6, .rows_per_unit = rows_per_unit};
}

LinearFit linear_release(RandomStream& random, const Design& design, const Rows& rows,
                         double epsilon, int rows_per_unit) {
  const RegressionPlan plan =
      plan_regression(request_of(design, epsilon, rows_per_unit), design.frame(1));
  const MomentTotals totals = totals_of(design, 1, rows);
  return fit_linear(noisy_gram(random, &totals.classes[0], design.columns() + 1, plan), plan);
}

TEST(UnitsCoverage, NoiseIntervalsOfLinearRegressions) {
  const WageRegression wages = wage_regression();
  std::mt19937_64 draws(1);
  RandomStream random({1});
  constexpr int runs = 400;
  int held = 0, given = 0;
  std::size_t coefficients = 0;
  for (int run = 0; run < runs; ++run) {
    const Rows rows = drawn(draws, wages.rows);
    const auto of = [&](double epsilon) {
      return linear_release(random, wages.design, rows, epsilon, most);
    };
    const LinearFit fit = of(4);
    if (!fit.has_intervals()) continue;
    ++given;
    const auto exact = coefficients_of(of(1e7), wages.design),
               noisy = coefficients_of(fit, wages.design);
    coefficients = exact.size();
    for (std::size_t i = 0; i < exact.size(); ++i) {
      held += std::fabs(noisy[i].centre - exact[i].estimate) <= reach * noisy[i].noise_stddev;
    }
  }
  const double share = held / (given * static_cast<double>(coefficients));
  std::printf("linear: %d of %d with intervals, %.4f hold\n", given, runs, share);
  ASSERT_GT(given, runs * 9 / 10);
  EXPECT_GT(share, .95 - 6.2 * .0109);  // as if there were one interval a run
  EXPECT_LT(share, .95 + 4.5 * .0109);
}

// Each scan draws other rows. What is left of the scans before the last is of the square of the
// last step, as of the noise.
TEST(UnitsCoverage, NoiseIntervalsOfLogisticRegressionsAreAboutTheLastDraw) {
  const WageRegression wages = high_wages();
  const Design& design = wages.design;
  std::mt19937_64 draws(2);
  RandomStream random({2});
  const int p = design.columns() + 1;
  const auto released = [&](double epsilon, const std::array<Rows, 4>& scans) {
    const LogisticPlan plan = plan_logistic(request_of(design, epsilon, most), design.frame(1));
    const MomentTotals moments = totals_of(design, 1, scans[0]);
    LogisticFit fit(noisy_gram(random, &moments.classes[0], p, plan.moments), plan);
    for (std::size_t t = 0; t < plan.pass.size(); ++t) {
      const LogisticNoise& noise = plan.pass[t];
      const MomentTotals totals = pass_totals(frame_of({fit}, p), coded_rows(design, scans[t + 1]));
      fit.step(noisy_slope(random, &totals.classes[0], p, noise),
               noisy_information(random, &totals.classes[1], p, noise), noise);
    }
    return fit.result();
  };
  for (const double epsilon : {5., 50.}) {
    constexpr int runs = 120;
    int held = 0, given = 0;
    std::size_t coefficients = 0;
    for (int run = 0; run < runs; ++run) {
      std::array<Rows, 4> scans;
      for (Rows& rows : scans) rows = drawn(draws, wages.rows);
      const LinearFit fit = released(epsilon, scans);
      if (!fit.has_intervals()) continue;
      ++given;
      const auto units = [&](const LinearFit& of) {
        return coefficients_of(of, design, RegressionKind::logistic);
      };
      const auto noisy = units(fit),
                 exact = units(released(1e7, {scans[3], scans[3], scans[3], scans[3]}));
      coefficients = exact.size();
      for (std::size_t i = 0; i < exact.size(); ++i) {
        held += std::fabs(noisy[i].centre - exact[i].estimate) <= reach * noisy[i].noise_stddev;
      }
    }
    const double share = held / (given * static_cast<double>(coefficients));
    std::printf("logistic, epsilon %g: %d of %d with intervals, %.4f hold\n", epsilon, given, runs,
                share);
    ASSERT_GT(given, runs * 9 / 10);
    EXPECT_GT(share, .95 - 6.2 * .02);
  }
}

// Of units of four rows that are all the same. Intervals that take rows for independent must not.
struct Alike {
  const char* name;
  RegressionKind kind;
};

class UnitsPopulation : public testing::TestWithParam<Alike> {};

TEST_P(UnitsPopulation, IntervalsHoldWhateverRowsOfAUnitHaveInCommon) {
  const RegressionKind kind = GetParam().kind;
  const bool linear = kind == RegressionKind::linear;
  constexpr int alike = 4, units = 1200, runs = 400;
  Design design;
  design.terms = {number_term(0, 1)};
  design.target_lower = linear ? -5 : 0;
  design.target_upper = linear ? 5 : 1;
  std::mt19937_64 draws(3);
  RandomStream random({3});
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  constexpr double slope = 1.5, intercept = -.5;
  const auto table = [&] {
    Rows rows;
    for (int unit = 0; unit < units; ++unit) {
      const double x = uniform(draws), score = intercept + slope * x;
      const double y = linear ? score + normal(draws) / 2
                              : (uniform(draws) < 1 / (1 + std::exp(-score)) ? 1. : 0.);
      rows.insert(rows.end(), alike, {x, y});
    }
    return rows;
  };
  const auto released = [&](const Rows& rows, int rows_per_unit) {
    constexpr double epsilon = 1e5;
    if (linear) return linear_release(random, design, rows, epsilon, rows_per_unit);
    const LogisticPlan plan =
        plan_logistic(request_of(design, epsilon, rows_per_unit), design.frame(1));
    return logistic_release(random, totals_of(design, 1, rows), coded_rows(design, rows), plan)
        .result();
  };
  int held = 0, control = 0;
  for (int run = 0; run < runs; ++run) {
    const Rows rows = table();
    const auto holds = [&](int rows_per_unit) {
      const Coefficient of = coefficients_of(released(rows, rows_per_unit), design, kind)[1];
      return std::fabs(of.estimate - slope) <= reach * of.stddev;
    };
    held += holds(alike);
    control += holds(1);
  }
  std::printf("%s: %.4f of the intervals hold; if rows were independent %.4f\n", GetParam().name,
              held / double{runs}, control / double{runs});
  EXPECT_GT(held, runs * (.95 - 6.2 * .0109));
  EXPECT_LT(control, runs * .8);  // .67 expected
}

INSTANTIATE_TEST_SUITE_P(Kinds, UnitsPopulation,
                         testing::Values(Alike{"linear", RegressionKind::linear},
                                         Alike{"logistic", RegressionKind::logistic}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace dpmix::test
