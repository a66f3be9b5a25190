#include "core/noise/gaussian/mixture_shift.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "core/noise/gaussian/mixture_full_shift.hpp"
#include "unit/noise/gaussian/shift_brute_force.hpp"

namespace dpmix {
namespace {

// Deterministic parameters over all shapes: bumpy, smooth, nearly Gaussian.
struct Case {
  double scale, weight_epsilon, epsilon, shift;
  int components;
};
Case random_case(std::mt19937_64& source) {
  const auto uniform = [&](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(source);
  };
  Case c;
  c.scale = std::exp(uniform(std::log(0.15), std::log(4)));
  c.epsilon = std::exp(uniform(std::log(0.05), std::log(4)));
  c.weight_epsilon = source() % 2 == 0 ? c.epsilon : uniform(0, 3);
  c.shift = std::round(uniform(0.02, 1) * 1024) / 1024;
  c.components = 1 + static_cast<int>(source() % 6);
  return c;
}

TEST(HockeyStick, EnclosesBruteForce) {
  std::mt19937_64 source(20240611);
  for (int i = 0; i < 60; ++i) {
    const Case c = random_case(source);
    const test::BruteForce brute{c.scale, c.components, c.weight_epsilon};
    const UnitMixture law(c.scale, c.components, c.weight_epsilon);
    const double expected = brute.delta(c.epsilon, c.shift, 8'000);
    const HockeyStick found = hockey_stick(law, c.epsilon, c.shift, 1e-9);
    // The midpoint rule errs by kinks: h^2 f' a root.
    EXPECT_LE(found.lower, expected + 2e-6) << i;
    EXPECT_GE(found.upper, expected - 2e-6) << i;
    EXPECT_LE(found.lower, found.upper);
    EXPECT_LE(found.upper - found.lower, 2e-9 + 1e-11) << i;
  }
}

TEST(HockeyStick, ToleranceOnlyWidensTheEnclosure) {
  std::mt19937_64 source(7);
  for (int i = 0; i < 40; ++i) {
    const Case c = random_case(source);
    const UnitMixture law(c.scale, c.components, c.weight_epsilon);
    const HockeyStick sharp = hockey_stick(law, c.epsilon, c.shift, 1e-12);
    for (double tolerance : {1e-2, 1e-4, 1e-6}) {
      const HockeyStick coarse = hockey_stick(law, c.epsilon, c.shift, tolerance);
      EXPECT_LE(coarse.lower, sharp.upper);
      EXPECT_GE(coarse.upper, sharp.lower);
      EXPECT_LE(coarse.upper - coarse.lower, 2 * tolerance + 1e-12);
    }
  }
}

TEST(HockeyStick, NarrowSpikesAreSeen) {
  // At a small scale the sets where the ratio exceeds e^epsilon are a thousandth of the line wide:
  // what an adaptive quadrature misses.
  const UnitMixture law(0.02, 3, 9);
  const test::BruteForce brute{0.02, 3, 9};
  for (double shift : {0.125, 0.25, 0.4375, 0.5, 0.75}) {
    const HockeyStick found = hockey_stick(law, 9, shift, 1e-10);
    EXPECT_NEAR(found.value, brute.delta(9, shift, 400'000), 1e-6) << shift;
  }
}

TEST(HockeyStick, OneUnitOfTheBulkStandsForAll) {
  std::mt19937_64 source(77);
  std::uniform_real_distribution<double> uniform(0, 1);
  int with_bulk = 0;
  for (int i = 0; i < 24; ++i) {
    const double scale = 0.2 + 0.9 * uniform(source), weight = 0.02 + 0.4 * uniform(source);
    const double epsilon = i % 2 == 0 ? weight : weight * uniform(source);
    const int components = 12 + static_cast<int>(source() % 30);
    const UnitMixture law(scale, components, weight);
    with_bulk += law.bulk().units > 0;
    const test::BruteForce brute{scale, components, weight};
    const double shift = std::floor(uniform(source) * 64) / 64;
    const double expected = brute.delta(epsilon, shift, 12'000);
    const HockeyStick found = hockey_stick(law, epsilon, shift, 1e-7);
    EXPECT_LE(found.lower, expected + 2e-6) << i;
    EXPECT_GE(found.upper, expected - 2e-6) << i;
    EXPECT_LE(found.upper - found.lower, 2e-7 + 1e-11) << i;
  }
  EXPECT_GT(with_bulk, 12);
}

// The claim about f itself, with the smallest bulks there are.
TEST(UnitMixture, TheBulkRepeats) {
  std::mt19937_64 source(78);
  std::uniform_real_distribution<double> uniform(0, 1);
  int found = 0;
  for (int i = 0; i < 400; ++i) {
    const UnitMixture law(0.1 + 1.5 * uniform(source), 3 + static_cast<int>(source() % 30),
                          3 * uniform(source));
    const UnitMixture::Bulk bulk = law.bulk();
    if (bulk.units == 0) continue;
    ++found;
    for (double z : {double(bulk.from), bulk.from + 0.5, double(bulk.from + bulk.units)}) {
      for (int side : {1, -1}) {
        const Approximate here = law.at(side * z).log_density,
                          next = law.at(side * (z + 1)).log_density;
        EXPECT_NEAR(next.value + law.weight_epsilon(), here.value, here.error + next.error);
      }
    }
    double sum = 0;
    for (int j = 0; j < bulk.units; ++j) sum += std::exp(-law.weight_epsilon() * j);
    EXPECT_NEAR(bulk.sum, sum, 1e-13 * sum);
  }
  EXPECT_GT(found, 100);
}

TEST(UnitMixture, PointsAgreeWithPlainSums) {
  for (double scale : {0.05, 0.3, 1.0, 5.0, 276.0}) {
    for (int components : {4, 100}) {
      for (double weight : {0.0, 0.001, 1.0, 20.0}) {
        const UnitMixture law(scale, components, weight);
        for (double z : {0.0, 0.25, -1.6875, 3.375, 8.0}) {
          long double sum = 0, moment = 0, second = 0, top = -HUGE_VALL;
          const auto exponent = [&](int k) {
            const long double x = (z - k) / static_cast<long double>(scale);
            return -static_cast<long double>(weight) * std::abs(k) - x * x / 2;
          };
          for (int k = -components; k <= components; ++k) top = std::max(top, exponent(k));
          for (int k = -components; k <= components; ++k) {
            const long double term = std::exp(exponent(k) - top);
            sum += term;
            moment += k * term;
            second += static_cast<long double>(k) * k * term;
          }
          const auto [density, mean] = law.at(z);
          const Approximate square = law.second_moment(z);
          EXPECT_LE(std::fabs(density.value - (top + std::log(sum))), density.error);
          EXPECT_LE(std::fabs(mean.value - moment / sum), mean.error) << scale << " " << z;
          EXPECT_LE(std::fabs(square.value - second / sum), square.error);
          EXPECT_LE(density.error, 1e-11 * (1 + std::fabs(density.value)));
        }
      }
    }
  }
}

TEST(HockeyStick, FullShiftAgreesWithTheGeneralCase) {
  std::mt19937_64 source(99);
  for (int i = 0; i < 60; ++i) {
    const Case c = random_case(source);
    const UnitMixture law(c.scale, c.components, c.weight_epsilon);
    const HockeyStick exact = hockey_stick_full_shift(law, c.epsilon);
    const HockeyStick general = hockey_stick(law, c.epsilon, 1, 1e-5);
    EXPECT_LE(general.lower, exact.upper) << i;
    EXPECT_GE(general.upper, exact.lower) << i;
    EXPECT_LE(exact.upper - exact.lower, 1e-8 * exact.value + 1e-300) << i;
  }
}

TEST(FullShift, UnimodalIsNeverProvedOfAHumpedDensity) {
  std::mt19937_64 source(5);
  int proved = 0, humped = 0;
  for (int i = 0; i < 300; ++i) {
    const Case c = random_case(source);
    const test::BruteForce brute{c.scale, c.components, c.weight_epsilon};
    bool rises = false;
    double last = brute.density(0);
    for (double z = 0.02; z < c.components; z += 0.02) {
      const double here = brute.density(z);
      rises |= here > last * (1 + 1e-9);
      last = here;
    }
    const bool claims = proved_unimodal(UnitMixture(c.scale, c.components, c.weight_epsilon));
    EXPECT_FALSE(rises && claims) << c.scale << " " << c.components << " " << c.weight_epsilon;
    proved += claims;
    humped += rises;
  }
  EXPECT_GT(humped, 20);
  EXPECT_GT(proved, 300 - humped - 15);  // and it is proved nearly whenever it is true
}

// Laws whose density has humps in the centre alone.
TEST(FullShift, WhereItIsProvedTheWorstDeltaNeverDecreases) {
  std::mt19937_64 source(3);
  std::uniform_real_distribution<double> uniform(0, 1);
  int claimed = 0;
  for (int i = 0; i < 1500; ++i) {
    const double weight = std::exp(std::log(0.01) + 4.5 * uniform(source));
    const UnitMixture law(0.35 + 0.4 * uniform(source), 2 + static_cast<int>(source() % 40),
                          weight);
    const double epsilon = uniform(source) < 0.6 ? weight : 0.5 * uniform(source);
    if (proved_unimodal(law) || !full_shift_is_worst(law, epsilon)) continue;
    ++claimed;
    const double full = hockey_stick_full_shift(law, epsilon).upper;
    double last = 0;
    for (int j = 1; j < 32; ++j) {
      const HockeyStick at = hockey_stick(law, epsilon, j / 32.0, 1e-12 * full + 1e-300);
      EXPECT_LE(at.lower, full * (1 + 1e-9)) << i << " " << j;
      EXPECT_GE(at.upper, last * (1 - 1e-9)) << i << " " << j;
      last = at.lower;
    }
  }
  EXPECT_GT(claimed, 15);
}

}  // namespace
}  // namespace dpmix
