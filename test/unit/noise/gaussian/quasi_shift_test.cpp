#include "core/noise/gaussian/quasi_shift.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include "core/noise/gaussian/quasi_curve.hpp"
#include "unit/noise/gaussian/shift_brute_force.hpp"

namespace dpmix {
namespace {

using Wide = boost::multiprecision::cpp_bin_float_100;

Wide normal_cdf(const Wide& x) {
  return boost::math::erfc(Wide(-x / sqrt(Wide(2)))) / 2;
}

// delta(1) at weight_epsilon = epsilon: f(z) > e^epsilon f(z + 1) just where z > s^2 epsilon.
Wide full_shift(double scale, double epsilon) {
  const Wide s = scale, e = epsilon, far = -e * s;
  return (normal_cdf(far + 1 / s) - exp(2 * e) * normal_cdf(far - 1 / s)) /
         (exp(e) + 2 * normal_cdf(1 / s));
}

TEST(QuasiStick, EnclosesTheFullShiftInTheTails) {
  const struct {
    double scale, epsilon;
  } laws[] = {{1.9, 2},     {0.4745, 8}, {18.4, 2},   {0.2, 100},     {0.0685, 100},
              {0.369, 100}, {4.6161, 8}, {54.2, 0.1}, {3.06e6, 1e-6}, {3.6e7, 1e-6}};
  for (const auto& [scale, epsilon] : laws) {
    const Wide truth = full_shift(scale, epsilon);
    const double near = truth.convert_to<double>();
    const HockeyStick found = quasi_stick({scale, epsilon}, epsilon, 1, 1e-6 * near);
    EXPECT_LE(found.lower, truth) << scale << " " << epsilon;
    EXPECT_GE(found.upper, truth) << scale << " " << epsilon;
    EXPECT_NEAR(found.upper / near, 1, 0.02) << scale << " " << epsilon;
    EXPECT_NEAR(found.lower / near, 1, 0.02) << scale << " " << epsilon;
  }
}

TEST(QuasiStick, EnclosesBruteForce) {
  std::mt19937_64 source(9);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 60; ++i) {
    const double scale = 0.08 + unit(source), epsilon = -0.5 + 4 * unit(source);
    const double weight = 5 * unit(source), shift = unit(source);
    const double tolerance = std::pow(10, -2 - 10 * unit(source));
    const HockeyStick found = quasi_stick({scale, weight}, epsilon, shift, tolerance);
    const double brute = test::QuasiBruteForce({scale, weight}).delta(epsilon, shift, 20'000);
    EXPECT_LE(found.lower, brute + 1e-6);
    EXPECT_GE(found.upper, brute - 1e-6);
    EXPECT_LE(found.lower, found.value);
    EXPECT_LE(found.upper - found.lower, 2 * tolerance + 1e-9);
  }
}

// The excess is positive on a hundred-thousandth of the line only, and where e^-100 of the law is.
TEST(QuasiStick, SeesANarrowSpike) {
  const test::QuasiBruteForce brute{0.02, 100};
  const auto log_ratio = [&](double z) {
    return std::log(brute.density(z) / brute.density(z + 0.5));
  };
  double place = 0.04;
  for (double step = 1e-3; step > 1e-9; step /= 10) {
    const double around = place;
    for (int i = -20; i <= 20; ++i) {
      if (log_ratio(around + i * step) > log_ratio(place)) place = around + i * step;
    }
  }
  const double epsilon = log_ratio(place) - 1e-6, h = 1e-9;
  double spike = 0, width = 0;
  for (double z = place - 1e-4; z < place + 1e-4; z += h) {
    const double excess = log_ratio(z) - epsilon;
    if (excess <= 0) continue;
    spike += h * brute.density(z) * -std::expm1(-excess);
    width += h;
  }
  EXPECT_LT(width, 1e-4);
  const HockeyStick found = quasi_stick({0.02, 100}, epsilon, 0.5, 1e-20);
  EXPECT_NEAR(found.lower / spike, 1, 0.05) << width;
  EXPECT_NEAR(found.upper / spike, 1, 0.05);
}

// The ratio at z, z + 1 is e^w to all digits over half the line: nothing of it may count.
TEST(QuasiStick, FlatRatiosAreResolved) {
  const HockeyStick found = quasi_stick({0.0685, 100}, 100, 1, 1e-60);
  EXPECT_LT(found.upper, 1e-25);
}

TEST(QuasiStick, TheCurveBetweenShiftsIsBoundedByItsEnds) {
  std::mt19937_64 source(12);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 200; ++i) {
    const QuasiGaussian law{0.1 + unit(source), 4 * unit(source)};
    const double epsilon = 0.05 + 3 * unit(source);
    const double width = std::min(0.9, 2.8 * law.scale) * unit(source);
    const double a = (1 - width) * unit(source), shift = a + width * unit(source);
    const double cosine = std::cos(width / (2 * law.scale));
    const double relaxed = epsilon + std::log(cosine);
    const double ends =
        std::max(quasi_delta_at(law, relaxed, a), quasi_delta_at(law, relaxed, a + width));
    EXPECT_LE(quasi_delta_at(law, epsilon, shift), ends / cosine * (1 + 1e-12) + 1e-300)
        << law.scale << " " << law.weight_epsilon << " " << epsilon << " " << a << " " << width;
  }
}

TEST(ProvedFlat, IsNeverClaimedOfAWiderRange) {
  std::mt19937_64 source(13);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 200; ++i) {
    const double scale = 0.05 + unit(source), weight = 12 * unit(source);
    const test::QuasiBruteForce brute{scale, weight};
    double low = HUGE_VAL, high = 0;
    for (int j = 0; j <= 5000; ++j) {
      const double f = brute.density(j / 5000.0);
      low = std::min(low, f);
      high = std::max(high, f);
    }
    const double range = std::log(high / low);
    EXPECT_FALSE(proved_flat({scale, weight}, range * (1 - 1e-9)));
    EXPECT_TRUE(proved_flat({scale, weight}, range * 1.02)) << scale << " " << weight;
    // Then the full shift is the worst.
    const double full = quasi_delta_at({scale, weight}, range, 1);
    for (const double shift : {0.3, 0.6, 0.9, 0.99}) {
      EXPECT_LE(quasi_delta_at({scale, weight}, range * 1.0001, shift), full * (1 + 1e-12));
    }
  }
}

}  // namespace
}  // namespace dpmix
