// Least squares of noisy moments: without noise they are those of the rows themselves.
#include "core/regression/linear_fit.hpp"

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>

#include "core/base/error.hpp"
#include "core/base/normal_reach.hpp"
#include "core/regression/told.hpp"
#include "tables/regression_tables.hpp"

namespace dpmix::test {
namespace {

struct Rows {
  Design design;
  std::vector<std::vector<double>> row;
  Matrix x;  // what was asked for
  Vector y;
};

// y depends on everything, with a residual.
Rows drawn_rows(int count) {
  Rows rows;
  rows.design.terms = {number_term(0, 60), power_term(0, 2), category_term(3), number_term(-2, 2)};
  rows.design.target_lower = -10;
  rows.design.target_upper = 20;
  rows.x.resize(count, 6);
  rows.y.resize(count);
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> a(0, 60), b(-2, 2);
  std::normal_distribution<double> residual;
  for (int r = 0; r < count; ++r) {
    const double u = a(random), v = b(random);
    const int k = static_cast<int>(random() % 3);
    const double y = 2 + .3 * u - .005 * u * u +
                     (k == 1   ? 1
                      : k == 2 ? -2
                               : 0) -
                     .7 * v + std::clamp(residual(random), -2., 2.);
    rows.row.push_back({u, static_cast<double>(k), v, y});
    rows.x.row(r) << 1, u, u * u, k == 1 ? 1 : 0, k == 2 ? 1 : 0, v;
    rows.y[r] = y;
  }
  return rows;
}

RegressionPlan plan_at(const Design& design, double epsilon,
                       ProtectedPart part = ProtectedPart::row) {
  return plan_regression(
      {.norm2 = design.norm2(),
       .epsilon = epsilon,
       .delta = 1e-6,
       .adjacency = part == ProtectedPart::row ? Adjacency::add_remove : Adjacency::label,
       .part = part},
      design.frame(1));
}

LinearFit fit_of(const Rows& rows, const RegressionPlan& plan, std::uint8_t seed = 1) {
  RandomStream random(RandomStream::Key{seed});
  const MomentTotals totals = totals_of(rows.design, 1, rows.row);
  return fit_linear(noisy_gram(random, &totals.classes[0], rows.design.columns() + 1, plan), plan);
}

TEST(LinearFit, WithoutNoiseIsPlainLeastSquares) {
  const Rows rows = drawn_rows(3000);
  const auto solver = rows.x.colPivHouseholderQr();
  const Vector exact = solver.solve(rows.y);
  const double variance = (rows.y - rows.x * exact).squaredNorm() / (3000. - 6);
  const Matrix covariance = variance * (rows.x.transpose() * rows.x).inverse();
  const RegressionPlan plan = plan_at(rows.design, 1e7);
  const LinearFit fit = fit_of(rows, plan);
  ASSERT_TRUE(fit.has_intervals());
  EXPECT_NEAR(fit.rows, 3000, 1);
  const double half = rows.design.target_half();
  EXPECT_NEAR(fit.variance * half * half, variance, 1e-4 * variance);
  const std::vector<Coefficient> coefficients = coefficients_of(fit, rows.design);
  ASSERT_EQ(coefficients.size(), 6u);
  for (int i = 0; i < 6; ++i) {
    const Coefficient& c = coefficients[static_cast<std::size_t>(i)];
    const double deviation = std::sqrt(covariance(i, i));
    EXPECT_NEAR(c.estimate, exact[i], .01 * deviation) << i;
    EXPECT_NEAR(c.stddev, deviation, 1e-3 * deviation) << i;
    EXPECT_LT(c.noise_stddev, .01 * deviation);
  }
}

// What noise does to the coefficients is as wide as is said.
TEST(LinearFit, NoiseIsAsWideAsItSays) {
  const Rows rows = drawn_rows(20000);
  const Vector exact = rows.x.colPivHouseholderQr().solve(rows.y);
  for (const ProtectedPart part : {ProtectedPart::row, ProtectedPart::target}) {
    const RegressionPlan plan = plan_at(rows.design, 2, part);
    Vector squares = Vector::Zero(6);
    constexpr int runs = 120;
    for (int run = 0; run < runs; ++run) {
      const LinearFit fit = fit_of(rows, plan, static_cast<std::uint8_t>(run + 2));
      ASSERT_TRUE(fit.has_intervals());
      const std::vector<Coefficient> coefficients = coefficients_of(fit, rows.design);
      for (int i = 0; i < 6; ++i) {
        const Coefficient& c = coefficients[static_cast<std::size_t>(i)];
        squares[i] += std::pow((c.centre - exact[i]) / c.noise_stddev, 2) / runs;
        EXPECT_GT(c.stddev, c.noise_stddev);
      }
    }
    // A chi-squared of 120 degrees over 120: within [.45, 1.75] but for 1e-9 or so.
    for (int i = 0; i < 6; ++i) {
      EXPECT_GT(squares[i], .45);
      EXPECT_LT(squares[i], 1.75);
    }
  }
}

TEST(LinearFit, RidgeWhereTermsAreCollinear) {
  Rows rows = drawn_rows(2000);
  rows.design.terms.push_back(rows.design.terms.back());
  for (std::vector<double>& row : rows.row) row.insert(row.end() - 1, row[2]);
  for (const ProtectedPart part : {ProtectedPart::row, ProtectedPart::target}) {
    const LinearFit fit = fit_of(rows, plan_at(rows.design, 1, part));
    EXPECT_GT(fit.ridge, 0);
    for (const Coefficient& c : coefficients_of(fit, rows.design)) {
      EXPECT_TRUE(std::isfinite(c.estimate));
      EXPECT_TRUE(std::isnan(c.noise_stddev));
      EXPECT_TRUE(std::isnan(c.stddev));
    }
    RegressionModel model{rows.design, {}};
    model.add(fit);
    const std::vector<ToldCoefficient> told = told_coefficients(model, 0, normal_reach(.95));
    for (const ToldCoefficient& c : told) {
      if (part == ProtectedPart::target) {
        EXPECT_TRUE(std::isnan(c.noise_low) && std::isnan(c.high) && std::isnan(c.p_value));
      } else {
        EXPECT_LE(c.noise_low, c.noise_high);
        EXPECT_TRUE(c.p_value >= 0 && c.p_value <= 1);
      }
    }
  }
}

TEST(LinearFit, ClassesWithoutRows) {
  const Rows rows = drawn_rows(1);
  const RegressionPlan plan = plan_at(rows.design, 1);
  for (std::uint8_t seed = 1; seed < 50; ++seed) {
    RandomStream random(RandomStream::Key{seed});
    const LinearFit fit =
        fit_linear(noisy_gram(random, nullptr, rows.design.columns() + 1, plan), plan);
    EXPECT_GT(fit.ridge, 0);
    EXPECT_GE(fit.rows, 0);
    EXPECT_TRUE(fit.coefficients.allFinite());
    RegressionModel model{rows.design, {}};
    model.add(fit);
    const std::vector<double> packed = model.pack();
    const RegressionModel back = RegressionModel::unpack(packed);
    const std::vector<double> again = back.pack();  // some numbers are NaN
    ASSERT_EQ(again.size(), packed.size());
    EXPECT_EQ(std::memcmp(again.data(), packed.data(), packed.size() * sizeof(double)), 0);
    for (const ToldCoefficient& c : told_coefficients(back, 0, normal_reach(.95))) {
      EXPECT_FALSE(std::isnan(c.noise_low) || std::isnan(c.high));
    }
    for (const std::size_t size : {packed.size() - 1, packed.size() + 1}) {
      std::vector<double> damaged = packed;
      damaged.resize(size);
      EXPECT_THROW(RegressionModel::unpack(damaged), Error);
    }
  }
}

TEST(RegressionModel, PacksAndPredicts) {
  const Rows rows = drawn_rows(3000);
  RegressionModel model{rows.design, {}};
  model.add(fit_of(rows, plan_at(rows.design, 1e7)));
  const RegressionModel back = RegressionModel::unpack(model.pack());
  EXPECT_EQ(back.pack(), model.pack());
  const auto& c = model.classes[0].coefficients;
  for (int r = 0; r < 100; ++r) {
    double y = 0;
    for (int i = 0; i < 6; ++i) y += c[static_cast<std::size_t>(i)].estimate * rows.x(r, i);
    EXPECT_NEAR(back.predict(0, rows.row[static_cast<std::size_t>(r)].data()), y, 1e-9);
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> missing{nan, 0, 0}, undeclared{0, 3, 0};
  EXPECT_TRUE(std::isnan(back.predict(0, missing.data())));
  EXPECT_TRUE(std::isnan(back.predict(0, undeclared.data())));
  std::vector<double> damaged = model.pack();
  damaged.pop_back();
  EXPECT_THROW(RegressionModel::unpack(damaged), Error);
  EXPECT_THROW(RegressionModel::unpack({}), Error);
}

TEST(RegressionIntervals, Reach) {
  EXPECT_NEAR(normal_reach(.95), 1.959963984540054, 1e-12);
  EXPECT_NEAR(normal_reach(.5), 0.6744897501960817, 1e-12);
  EXPECT_NEAR(normal_reach(.999999), 4.891638475698, 1e-9);
}

}  // namespace
}  // namespace dpmix::test
