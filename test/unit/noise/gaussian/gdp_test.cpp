#include "core/noise/gaussian/gdp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

namespace dpmix {
namespace {

// delta = int_0^inf density(a + t) (1 - e^{-mu t}) dt, a = epsilon/mu - mu/2: no difference of
// tails, so an independent check where the closed form cancels. Simpson's rule in x, t = from +
// x^4: the integrand rises within 1/mu.
double by_quadrature(double epsilon, double mu) {
  const double a = epsilon / mu - mu / 2;
  const double from = a < -12 ? -12 - a : 0,
               length = a > 0 ? 40 / (1 + a) : 14 - std::max(a, -12.0);
  const auto integrand = [&](double x) {
    const double t = from + std::pow(x, 4), z = a + t;
    return 4 * std::pow(x, 3) * std::exp(-z * z / 2) * -std::expm1(-mu * t) *
           std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  };
  const int n = 20'000;
  const double end = std::pow(length, 0.25);
  double sum = integrand(0) + integrand(end);
  for (int i = 1; i < n; ++i) sum += integrand(end * i / n) * (i % 2 == 1 ? 4 : 2);
  return sum * end / n / 3;
}

TEST(GaussianDp, DeltaIsRoundedUpAndAgreesWithQuadratureInAllRegimes) {
  for (double epsilon : {1e-6, 1e-3, 0.3, 2.0, 40.0, 1e4, 1e7}) {
    for (double tail : {-3.0, 0.0, 1.0, 5.0, 15.0, 35.0}) {
      const double mu = std::sqrt(tail * tail + 2 * epsilon) - tail;  // epsilon/mu - mu/2 = tail
      const double expected = by_quadrature(epsilon, mu), delta = gdp_delta(epsilon, mu);
      // The place epsilon/mu - mu/2 itself has an error of 2^-53 epsilon/mu in the quadrature.
      const double tolerance = 2e-9 + (std::fabs(tail) + 1) * 4e-16 * epsilon / mu;
      EXPECT_NEAR(delta / expected, 1, tolerance) << epsilon << " " << mu;
    }
  }
}

TEST(GaussianDp, EdgeValues) {
  EXPECT_EQ(gdp_delta(1, 0), 0);
  EXPECT_EQ(gdp_delta(1, std::numeric_limits<double>::infinity()), 1);
  EXPECT_GT(gdp_delta(1e7, 1e-3), 0);  // below every double, but rounded up
  EXPECT_LT(gdp_delta(1e7, 1e-3), 1e-300);
  EXPECT_NEAR(gdp_delta(0, 1), std::erf(0.5 / std::numbers::sqrt2), 1e-15);
}

TEST(GaussianDp, MuIsTheLargestCertified) {
  for (double epsilon : {1e-6, 1e-2, 0.5, 2.0, 30.0, 1e4, 1e7}) {
    for (double delta : {0.5, 0.1, 1e-3, 1e-6, 1e-12, 1e-50, 1e-300}) {
      const double mu = gdp_mu(epsilon, delta);
      EXPECT_LE(gdp_delta(epsilon, mu), delta) << epsilon << " " << delta;
      EXPECT_GT(gdp_delta(epsilon, mu * (1 + 1e-9)), delta) << epsilon << " " << delta;
    }
  }
}

}  // namespace
}  // namespace dpmix
