#include "core/accounting/renyi_of_multi_gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/accounting/renyi_profile.hpp"
#include "core/base/error.hpp"
#include "core/base/poll.hpp"
#include "core/noise/calibration.hpp"

namespace dpmix {
namespace {

NoiseLaw multi(double scale, int components, double weight_epsilon, double sensitivity = 1) {
  return {.family = Family::multi_gaussian,
          .sensitivity = sensitivity,
          .scale = scale,
          .components = components,
          .weight_epsilon = weight_epsilon};
}

// log f(z), with all components.
long double log_density(const NoiseLaw& law, long double z) {
  long double top = -HUGE_VALL, sum = 0, total = 0;
  const auto exponent = [&](int k) {
    const long double x = (z - k) / law.scale;
    return -law.weight_epsilon * std::abs(k) - x * x / 2;
  };
  for (int k = -law.components; k <= law.components; ++k) {
    top = std::max(top, exponent(k));
    total += std::exp(-static_cast<long double>(law.weight_epsilon) * std::abs(k));
  }
  for (int k = -law.components; k <= law.components; ++k) sum += std::exp(exponent(k) - top);
  return top + std::log(sum) - std::log(total * law.scale) - 0.91893853320467274178L;
}

// log F(t) / (alpha - 1) by the midpoint sum, which for a smooth function that vanishes at both
// ends is as good as exact; no code in common with what is tested. Sensitivity 1.
long double renyi_at(const NoiseLaw& law, double order, double shift) {
  const long double s = law.scale, h = s / std::max(8.0, 3 * std::sqrt(order));
  const long double low = -law.components - 2 - 12 * s;
  const long double high = law.components + 2 + 12 * s + (order - 1) * std::fabs(shift);
  std::vector<long double> exponents;
  long double top = -HUGE_VALL, sum = 0;
  for (long double z = std::min(low, low + (order - 1) * shift); z < high; z += h) {
    exponents.push_back(order * log_density(law, z) - (order - 1) * log_density(law, z + shift));
    top = std::max(top, exponents.back());
  }
  for (const long double e : exponents) sum += std::exp(e - top);
  return (top + std::log(sum * h)) / (order - 1);
}

TEST(RenyiOfMultiGaussian, IsAboveQuadratureAtEveryShiftAndClose) {
  std::mt19937_64 source(20261121);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 24; ++i) {
    const double order = 1 + std::exp(std::log(0.5) + unit(source) * std::log(60));
    const double epsilon = std::exp(std::log(0.3) + unit(source) * std::log(15));
    const NoiseLaw law = multi(std::exp(std::log(0.2) + unit(source) * std::log(15)),
                               1 + static_cast<int>(source() % 9), epsilon);
    const double bound = renyi_of_multi_gaussian(order, law).amount;
    long double worst = 0;
    for (int j = 1; j <= 32; ++j) {
      const long double at = renyi_at(law, order, j / 32.0);
      EXPECT_GE(bound, at * (1 - 1e-13L)) << i << " " << order << " " << j;
      worst = std::max(worst, at);
    }
    // The scan misses a little of a peak inside.
    EXPECT_LE(bound, worst * 1.004L) << i << " order " << order << " scale " << law.scale << " K "
                                     << law.components << " " << epsilon;
  }
}

TEST(RenyiOfMultiGaussian, BothDirectionsAgree) {
  const NoiseLaw law = multi(0.4, 3, 1);
  for (double shift : {0.3, 0.7, 1.0}) {
    EXPECT_NEAR(renyi_at(law, 3, shift), renyi_at(law, 3, -shift), 1e-12);
  }
}

TEST(RenyiOfMultiGaussian, TheWorstShiftMayLieInside) {
  const NoiseLaw law = multi(0.2, 10, 2);
  const double full = static_cast<double>(renyi_at(law, 1.3, 1));
  long double worst = 0;
  for (int j = 1; j <= 64; ++j) worst = std::max(worst, renyi_at(law, 1.3, j / 64.0));
  const double bound = renyi_of_multi_gaussian(1.3, law).amount;
  EXPECT_GT(worst, 1.2 * full);
  EXPECT_GE(bound, worst);
  EXPECT_LE(bound, worst * 1.002L);
}

TEST(RenyiOfMultiGaussian, OneUnitStandsForManyComponents) {
  const NoiseLaw law = multi(0.45, 25, 0.3);
  for (double order : {2.0, 3.0}) {
    long double worst = 0;
    for (int j = 1; j <= 16; ++j) worst = std::max(worst, renyi_at(law, order, j / 16.0));
    const double bound = renyi_of_multi_gaussian(order, law).amount;
    EXPECT_GE(bound, worst);
    EXPECT_LE(bound, worst * 1.01L);
  }
}

TEST(RenyiOfMultiGaussian, NeverAboveTheGaussianAndIncreasing) {
  for (const NoiseLaw& law :
       {multi(0.3, 4, 2), multi(5.9, 20, 0.5), multi(0.01, 2, 30), multi(300, 1000, 0.001),
        multi(0.6, 1000, 0.001), multi(1e9, 2, 0), multi(1e-5, 3, 1e7)}) {
    double last = 0;
    for (double order : {1.2, 1.5, 2.0, 5.0, 30.0, 900.0, 1e6}) {
      const double rho = renyi_of_multi_gaussian(order, law).amount;
      EXPECT_GT(rho, 0);
      EXPECT_LE(rho, renyi_of_gaussian(order, 1 / law.scale).amount * (1 + 1e-11)) << law.scale;
      EXPECT_GE(rho, last * 0.998) << law.scale << " " << order;
      last = rho;
    }
  }
}

TEST(RenyiOfMultiGaussian, ScalesWithTheSensitivity) {
  const double rho = renyi_of_multi_gaussian(3, multi(0.5, 5, 1)).amount;
  EXPECT_NEAR(renyi_of_multi_gaussian(3, multi(0.5 * 0x1p600, 5, 1, 0x1p600)).amount, rho,
              1e-12 * rho);
}

// Total epsilon at delta = 1e-6 after n answers.
double total_epsilon(const NoiseLaw& law, int answers) {
  double least = HUGE_VAL;
  for (double order :
       {1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 13.0, 18.0, 25.0, 35.0, 50.0}) {
    const double rho = answers * renyi_of_multi_gaussian(order, law).amount;
    least = std::min(least, epsilon_of_renyi(order, rho, 1e-6));
  }
  return least;
}

TEST(RenyiOfMultiGaussian, TotalsOfManyAnswers) {
  // A study of the true curve gave 2.14 after 10 and 8.01 after 100 answers for (.5, 1e-6), K = 20.
  // A Renyi bound is a little above.
  const NoiseLaw law = calibrate(Family::multi_gaussian, 0.5, 1e-6, 1, 20).law;
  EXPECT_GT(total_epsilon(law, 10), 2.1);
  EXPECT_LT(total_epsilon(law, 10), 2.14 * 1.1);
  EXPECT_GT(total_epsilon(law, 100), 7.9);
  EXPECT_LT(total_epsilon(law, 100), 8.01 * 1.1);
}

TEST(RenyiOfMultiGaussian, BadParametersAreRefused) {
  const NoiseLaw law = multi(0.5, 5, 1);
  for (double order : {1.0, 0.5, -2.0, HUGE_VAL, std::nan("")}) {
    EXPECT_THROW(renyi_of_multi_gaussian(order, law), Error) << order;
  }
  EXPECT_THROW(renyi_of_multi_gaussian(2, multi(0.5, 0, 1)), Error);
  EXPECT_THROW(renyi_of_multi_gaussian(2, multi(-0.5, 1, 1)), Error);
}

TEST(RenyiOfMultiGaussian, CanBeCancelled) {
  struct Cancelled {};
  poll_hook = [] { throw Cancelled(); };
  EXPECT_THROW(renyi_of_multi_gaussian(2, multi(0.5, 5, 1)), Cancelled);
  poll_hook = nullptr;
}

}  // namespace
}  // namespace dpmix
