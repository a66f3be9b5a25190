// Coordinate descent without noise to speak of finds the optimum of the penalised mean loss; its
// sums are the same for rows that are held, scanned or shuffled; its plan refuses what is not
// proved.
#include <algorithm>

#include <gtest/gtest.h>

#include "core/accounting/losses/loss_composition.hpp"
#include "core/accounting/losses/loss_of_curve.hpp"
#include "core/base/error.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/noise/privacy_curve.hpp"
#include "tables/coordinate_tables.hpp"

namespace dpmix::test {
namespace {

// Two numbers and two categories; log-odds are linear in them.
Design three_terms() {
  Design design;
  design.terms = {number_term(-1, 1), number_term(0, 10), category_term(2)};
  return design;
}
std::vector<std::vector<double>> drawn_rows(std::mt19937_64& random, int count) {
  std::uniform_real_distribution<double> uniform;
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < count; ++i) {
    const double a = 2 * uniform(random) - 1, b = 10 * uniform(random);
    const double c = uniform(random) < .3 ? 1 : 0;
    const double odds = std::exp(1.5 * a + .2 * b - 1 + .7 * c);
    rows.push_back({a, b, c, uniform(random) < odds / (1 + odds) ? 1. : 0.});
  }
  return rows;
}

CoordinatePlan plan_at(const Design& design, double epsilon, CoordinateSettings settings,
                       Adjacency adjacency = Adjacency::add_remove,
                       ProtectedPart part = ProtectedPart::row) {
  return plan_coordinate({.norm2 = design.norm2(),
                          .epsilon = epsilon,
                          .delta = 1e-6,
                          .adjacency = adjacency,
                          .part = part},
                         design.columns(), settings);
}

// Of the mean loss without penalties.
std::vector<double> gradient(const std::vector<std::vector<double>>& coded, const Vector& b) {
  std::vector<double> sum(static_cast<std::size_t>(b.size()), 0);
  for (const std::vector<double>& row : coded) {
    double score = b[0];
    for (Eigen::Index i = 1; i < b.size(); ++i)
      score += b[i] * row[static_cast<std::size_t>(i) - 1];
    const double off = 1 / (1 + std::exp(-score)) - (row.back() + 1) / 2;
    sum[0] += off / static_cast<double>(coded.size());
    for (std::size_t i = 1; i < sum.size(); ++i) {
      sum[i] += off * row[i - 1] / static_cast<double>(coded.size());
    }
  }
  return sum;
}

class CoordinateDescent : public testing::TestWithParam<std::pair<double, double>> {};

TEST_P(CoordinateDescent, FindsThePenalisedOptimum) {
  const auto [l1, l2] = GetParam();
  std::mt19937_64 draws(1);
  const Design design = three_terms();
  const auto coded = coded_rows(design, drawn_rows(draws, 4000));
  RandomStream random({1});
  const CoordinatePlan plan = plan_at(design, 1e7, {.passes = 100, .l1 = l1, .l2 = l2});
  const Vector b =
      coordinate_release(random, column_totals(design, coded), held_rows(design, coded), plan)
          .result()
          .coefficients;
  const std::vector<double> slope = gradient(coded, b);
  EXPECT_NEAR(slope[0], 0, 2e-4);
  for (Eigen::Index i = 1; i < b.size(); ++i) {
    const double at = slope[static_cast<std::size_t>(i)] + l2 * b[i];
    if (b[i] == 0) {
      EXPECT_LE(std::fabs(at), l1 + 2e-4) << i;
    } else {
      EXPECT_NEAR(at, b[i] > 0 ? -l1 : l1, 2e-4) << i;
    }
  }
  if (l1 > .1) {
    EXPECT_EQ(b.tail(b.size() - 1).cwiseAbs().minCoeff(), 0);
  }
  if (l1 + l2 == 0) {
    EXPECT_NEAR(b[1], 1.5, .3);
  }
}

INSTANTIATE_TEST_SUITE_P(Penalties, CoordinateDescent,
                         testing::Values(std::pair{0., 0.}, std::pair{0., .1}, std::pair{.02, 0.},
                                         std::pair{.12, .05}));

TEST(CoordinateRows, SumTheVeryIntegersOfScansInAnyOrder) {
  std::mt19937_64 draws(2);
  const Design design = mixed_design();
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < 300; ++i) rows.push_back(awkward_row(draws, design));
  auto coded = coded_rows(design, rows);
  ASSERT_GT(coded.size(), 50u);
  RandomStream random({2});
  const CoordinatePlan plan = plan_at(design, 3, {.passes = 4});
  CoordinateFit fit(noisy_columns(random, &column_totals(design, coded).classes[0], plan), plan);
  CoordinateRows held = held_rows(design, coded);
  int other = 0;
  while (!fit.done()) {
    const LogisticFrame frame = LogisticFrame::unpack(fit.frame().pack());
    const auto j = static_cast<std::size_t>(fit.coordinate());
    const Int128 exact = held.slope(frame, fit.coordinate());
    std::shuffle(coded.begin(), coded.end(), draws);
    const MomentTotals scanned = pass_totals(frame, coded);
    EXPECT_EQ(exact, scanned.classes[0].sums[j]);
    for (std::size_t i = 0; i < scanned.classes[0].sums.size(); ++i) {
      if (i != j) {
        EXPECT_EQ(scanned.classes[0].sums[i], 0);
      }
    }
    if (exact != 0) ++other;
    fit.step(noisy_number(random, plan, exact, plan.slope_sensitivity()));
  }
  EXPECT_GT(other, 10);
}

TEST(CoordinatePlan, CountsEveryNumber) {
  const Design design = three_terms();
  const CoordinatePlan rows = plan_at(design, 1, {.passes = 5});
  EXPECT_EQ(rows.releases, 1 + 2 * 3 + 5 * 4);
  // mu^2 of all of them together.
  EXPECT_LE(static_cast<double>(rows.releases) / (rows.unit.scale * rows.unit.scale),
            rows.mu * rows.mu);
  EXPECT_EQ(rows.mu, gdp_mu(1, 1e-6));
  EXPECT_EQ(rows.slope_sensitivity(), 0x1p20);
  EXPECT_EQ(plan_at(design, 1, {}, Adjacency::replace).slope_sensitivity(), 0x1p21);
  const CoordinatePlan targets =
      plan_at(design, 1, {.passes = 5}, Adjacency::label, ProtectedPart::target);
  EXPECT_EQ(targets.releases, 20);
  EXPECT_EQ(targets.count_stddev(), 0);
  EXPECT_EQ(targets.slope_sensitivity(), 0x1p20);
}

// By another composition of the same curve, on another grid. At a large epsilon few numbers have
// less noise than the Gaussian's.
TEST(CoordinatePlan, MixturesKeepTheGuarantee) {
  struct Case {
    Family family;
    double epsilon;
    int columns, passes;
    bool counts_cost;
    int rows_per_unit = 1;
  };
  for (const auto& [family, epsilon, columns, passes, counts_cost, rows] :
       {Case{Family::quasi_gaussian, 1, 3, 3, false}, Case{Family::multi_gaussian, 1, 3, 3, true},
        Case{Family::multi_gaussian, 16, 1, 1, false},
        Case{Family::quasi_gaussian, 1, 3, 3, false, 3},
        Case{Family::multi_gaussian, 16, 1, 1, false, 3}}) {
    RegressionRequest request{.norm2 = 1, .epsilon = epsilon, .delta = 1e-6, .rows_per_unit = rows};
    if (counts_cost) request.accounting = {Accountant::gdp, 0};
    const CoordinatePlan plan =
        plan_coordinate(request, columns, {.family = family, .passes = passes});
    EXPECT_EQ(plan.unit.family, family);
    EXPECT_EQ(plan.unit.sensitivity, rows);
    const auto delta = [&](double share) {
      NoiseLaw law = plan.unit;
      law.scale *= share;
      LossComposition all;
      all.add(loss_of_curve([&](double e) { return delta_bound(law, e); },
                            epsilon > 2 ? 0x1p-8 : 0x1p-10, 1e-12),
              plan.releases);
      return all.delta(epsilon);
    };
    EXPECT_LE(delta(1), 1.002e-6) << name(family) << epsilon;
    EXPECT_GT(delta(epsilon > 2 ? .9 : .97), 1e-6) << name(family) << epsilon;
    if (counts_cost) {
      EXPECT_GT(plan.own.added_delta, 0);
    }
    const CoordinatePlan gaussian = plan_coordinate(request, columns, {.passes = passes});
    EXPECT_LT(variance(plan.unit), (epsilon > 2 ? .9 : 1.01) * variance(gaussian.unit));
  }
}

TEST(CoordinatePlan, RefusesWhatIsNotProved) {
  const Design design = three_terms();
  const auto refused = [&](const CoordinateSettings& settings) {
    try {
      (void)plan_at(design, 1, settings);
    } catch (const Error& error) {
      return static_cast<int>(error.code);
    }
    return 0;
  };
  for (const Family family : kFamilies) {
    const bool proved = family == Family::gaussian || family == Family::multi_gaussian ||
                        family == Family::quasi_gaussian;
    if (!proved) {
      EXPECT_EQ(refused({.family = family}), 2) << name(family);
    }
  }
  EXPECT_EQ(refused({.passes = 0}), 5);
  EXPECT_EQ(refused({.passes = 101}), 5);
  EXPECT_EQ(refused({.l1 = -1}), 5);
  EXPECT_EQ(refused({.l2 = std::nan("")}), 5);
  EXPECT_EQ(refused({}), 0);
}

TEST(CoordinateFit, EndsWithFiniteNumbersWhateverTheNoise) {
  const Design design = mixed_design();
  const CoordinatePlan plan = plan_at(design, 1e-6, {});
  RandomStream random({3});
  const Vector b =
      coordinate_release(random, MomentTotals{}, CoordinateRows(design.columns()), plan)
          .result()
          .coefficients;
  EXPECT_TRUE(b.allFinite());
}

}  // namespace
}  // namespace dpmix::test
