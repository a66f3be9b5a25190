#include "core/noise/gaussian/quasi.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/noise/gaussian/quasi_curve.hpp"
#include "core/noise/gaussian/quasi_sampler.hpp"
#include "core/noise/privacy_curve.hpp"
#include "unit/noise/gaussian/shift_brute_force.hpp"

namespace dpmix {
namespace {

TEST(QuasiGaussian, MomentsAndTailsAreThoseOfTheDensity) {
  for (const QuasiGaussian law : {QuasiGaussian{0.3, 2}, {1.7, 0.4}, {0.05, 0}, {6, 1e-6}}) {
    const test::QuasiBruteForce brute{law.scale, law.weight_epsilon};
    const int n = 400'000;
    const double reach = 1 + 12 * law.scale, h = reach / n;
    double total = 0, absolute = 0, squares = 0;
    for (int i = n - 1; i >= 0; --i) {  // from the tail, so that it keeps its digits
      const double z = (i + 0.5) * h, p = h * brute.density(z);
      total += p;
      absolute += 2 * p * z;
      squares += 2 * p * z * z;
      if (i % 50'000 == 0) {
        EXPECT_NEAR(quasi_cdf(law, -i * h) / total, 1, 1e-6) << law.scale << " " << i * h;
        EXPECT_NEAR(quasi_cdf(law, i * h), 1 - total, 1e-9);
      }
    }
    EXPECT_NEAR(total, 0.5, 1e-9);
    EXPECT_NEAR(quasi_expected_abs(law) / absolute, 1, 1e-8) << law.scale;
    EXPECT_NEAR(quasi_variance(law) / squares, 1, 1e-8) << law.scale;
  }
}

TEST(QuasiGaussian, DeltaAtAgreesWithBruteForce) {
  std::mt19937_64 source(5);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 60; ++i) {
    const double scale = std::exp(std::log(0.1) + unit(source) * std::log(30));
    const double epsilon = 0.05 + 4 * unit(source), weight = i % 2 ? epsilon : 5 * unit(source);
    const double shift = i % 7 == 0 ? 1 : unit(source);
    EXPECT_NEAR(quasi_delta_at({scale, weight}, epsilon, shift),
                test::QuasiBruteForce({scale, weight}).delta(epsilon, shift, 20'000), 1e-6)
        << scale << " " << weight << " " << epsilon << " " << shift;
  }
}

// The worst of a dense scan of shifts.
double dense_scan(const QuasiGaussian& law, double epsilon, int n) {
  double worst = 0;
  for (int i = 1; i <= n; ++i) {
    worst = std::max(worst, quasi_delta_at(law, epsilon, static_cast<double>(i) / n));
  }
  return worst;
}

TEST(QuasiGaussian, TheBoundIsAboveADenseScanAndCloseToIt) {
  std::mt19937_64 source(6);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 20; ++i) {
    const double epsilon = std::exp(std::log(0.1) + unit(source) * std::log(60));
    const QuasiGaussian law{0.15 + (i % 2 ? 2 : 0.3) * unit(source),
                            i % 3 == 0 ? 6 * unit(source) : epsilon};
    const double scan = dense_scan(law, epsilon, 80), bound = quasi_delta_bound(law, epsilon);
    EXPECT_GE(bound, scan * (1 - 1e-12)) << i;
    EXPECT_LE(bound, scan * 1.01 + 1e-300) << i;
    if (bound < 1) {
      EXPECT_TRUE(quasi_certificate(law, epsilon, bound * 1.002)) << i;
      EXPECT_FALSE(quasi_certificate(law, epsilon, scan * 0.9999)) << i;
    }
  }
}

// Twice the range of scales for which a bound is promised.
TEST(QuasiGaussian, TheBoundHoldsForNeighbouringScales) {
  for (const QuasiGaussian law : {QuasiGaussian{0.2035, 5}, {1.335484, 0.5}, {0.0685, 100}}) {
    const double bound = quasi_delta_bound(law, law.weight_epsilon);
    for (double factor : {1 - 0x1p-50, 1 + 0x1p-50}) {
      const QuasiGaussian other{law.scale * factor, law.weight_epsilon};
      EXPECT_GE(bound, dense_scan(other, law.weight_epsilon, 40)) << law.scale;
    }
  }
}

TEST(QuasiGaussian, TheWorstShiftLiesInside) {
  const QuasiGaussian law{0.20346072642983107, 5};
  EXPECT_NEAR(quasi_delta_at(law, 5, 0.7847819932158823), 0.1, 1e-6);  // by scipy
  EXPECT_LT(quasi_delta_at(law, 5, 1), 0.007);
  EXPECT_GE(quasi_delta_bound(law, 5), 0.0999997);
  EXPECT_LE(quasi_delta_bound(law, 5), 0.1001);
}

TEST(QuasiGaussian, ThePrivacyCurveKnowsIt) {
  const NoiseLaw law{.family = Family::quasi_gaussian,
                     .sensitivity = 3,
                     .scale = 3 * 0.20346072642983107,
                     .weight_epsilon = 5};
  EXPECT_NEAR(delta_at(law, 5, 3 * 0.7847819932158823), 0.1, 1e-6);
  EXPECT_TRUE(certify(law, 5, 0.1001));
  EXPECT_FALSE(certify(law, 5, 0.0999));
  EXPECT_FALSE(certify(law, 5, 0));
}

TEST(QuasiGaussian, DrawsBeyondTheLatticeAreRefused) {
  RandomStream random({1});
  EXPECT_THROW(draw_quasi(random, 0x1p90, 1, 1), Error);
  EXPECT_THROW(draw_quasi(random, 1, 0x1p90, 1), Error);
  EXPECT_THROW(draw_quasi(random, 0, 1, 1), Error);
  EXPECT_THROW(draw_quasi(random, NAN, 1, 1), Error);
  EXPECT_NO_THROW(draw_quasi(random, 0x1p89, 0x1p89, 1));
}

}  // namespace
}  // namespace dpmix
