// The Poisson-subsampled Gaussian against its integral (another rule, 50 digits) and, at integer
// orders, against the binomial sum: never below, in either direction, and not far above.
#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <random>

#include "core/accounting/renyi_of_subsampled_gaussian.hpp"
#include "core/accounting/renyi_profile.hpp"

namespace dpmix {
namespace {

using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>,
                                           boost::multiprecision::et_off>;

// E over x ~ N(0,1) of (1 - q + q e^{mu x - mu^2/2})^power, by Gauss-Legendre on panels.
Wide moment(double power, double rate, double mu, double furthest) {
  const auto integrand = [&](const Wide& x) -> Wide {
    const Wide ratio = 1 - Wide(rate) + Wide(rate) * exp(Wide(mu) * x - Wide(mu) * mu / 2);
    return exp(Wide(power) * log(ratio) - x * x / 2);
  };
  Wide sum = 0;
  const double width = std::min(1.0, 1 / mu);
  for (double x = -14; x < furthest; x += width) {
    sum += boost::math::quadrature::gauss<Wide, 20>::integrate(integrand, Wide(x), Wide(x + width));
  }
  return sum / sqrt(2 * boost::math::constants::pi<Wide>());
}

TEST(SubsampledGaussian, BoundsBothDirectionsAtAnyOrder) {
  struct Case {
    double order, rate, mu;
  };
  for (const auto& [order, rate, mu] :
       {Case{1.0625, .01, .8}, Case{1.5, .3, .1}, Case{1.5, .001, 2}, Case{2.5, .02, 1.27},
        Case{7.4954, .001, 1.27}, Case{7.4954, .0006, .3}, Case{7.4954, .9, .02},
        Case{8.25, 1e-4, 2}, Case{23.25, .01, .25}, Case{40.5, .05, .1}}) {
    SCOPED_TRACE(testing::Message() << order << " " << rate << " " << mu);
    const double rho = renyi_of_subsampled_gaussian(order, rate, mu).amount;
    const Wide upward = log(moment(order, rate, mu, order * mu + 14)) / (Wide(order) - 1);
    const Wide downward = log(moment(1 - order, rate, mu, 14)) / (Wide(order) - 1);
    EXPECT_GE(Wide(rho), upward);
    EXPECT_GE(Wide(rho), downward);
    EXPECT_GE(upward, downward);
    EXPECT_LE(Wide(rho), upward * (1 + Wide(1e-6)));
  }
}

// A - 1 = sum over k >= 2 of C(n,k) (1-q)^(n-k) q^k (e^{k(k-1)mu^2/2} - 1): no cancellation.
Wide binomial_rho(int order, double rate, double mu) {
  Wide sum = 0, binomial = order;
  for (int k = 2; k <= order; ++k) {
    binomial = binomial * (order - k + 1) / k;
    sum += binomial * pow(1 - Wide(rate), order - k) * pow(Wide(rate), k) *
           (exp(Wide(mu) * mu * k * (k - 1) / 2) - 1);
  }
  return log(1 + sum) / (order - 1);
}

TEST(SubsampledGaussian, MatchesTheBinomialSumAtIntegerOrders) {
  for (const int order : {2, 3, 8, 33, 150}) {
    for (const double rate : {1e-5, 1e-3, .03, .5, .999}) {
      for (const double mu : {1e-3, .05, .79}) {
        SCOPED_TRACE(testing::Message() << order << " " << rate << " " << mu);
        const double rho = renyi_of_subsampled_gaussian(order, rate, mu).amount;
        const Wide truth = binomial_rho(order, rate, mu);
        EXPECT_GE(Wide(rho), truth);
        // 1e-13 is nothing to a budget, even 10^6 times.
        EXPECT_LE(Wide(rho), truth * (1 + Wide(1e-6)) + Wide(1e-13));
      }
    }
  }
}

TEST(SubsampledGaussian, NeverBelowTheBinomialSumWhereItIsCoarse) {
  // Large moments, many nodes: the bound by convexity.
  for (const int order : {2, 20, 400}) {
    for (const double rate : {1e-300, 1e-9, .01, 1 - 0x1p-53}) {
      for (const double mu : {5.0, 40.0, 100.0}) {
        SCOPED_TRACE(testing::Message() << order << " " << rate << " " << mu);
        const double rho = renyi_of_subsampled_gaussian(order, rate, mu).amount;
        EXPECT_GE(Wide(rho), binomial_rho(order, rate, mu));
        EXPECT_LE(rho, renyi_of_gaussian(order, mu).amount);
      }
    }
  }
}

TEST(SubsampledGaussian, GrowsWithEachParameterAndEndsAtTheGaussian) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform;
  for (int trial = 0; trial < 400; ++trial) {
    const double order = 1 + std::exp(8 * uniform(random) - 3),
                 rate = std::exp(-9 * uniform(random)), mu = std::exp(-6 * uniform(random) + 1),
                 more = 1 + uniform(random);
    SCOPED_TRACE(testing::Message() << order << " " << rate << " " << mu << " " << more);
    const double rho = renyi_of_subsampled_gaussian(order, rate, mu).amount;
    const double slack = 1 + 1e-7;
    EXPECT_GE(renyi_of_subsampled_gaussian(order * more, rate, mu).amount * slack, rho);
    EXPECT_GE(renyi_of_subsampled_gaussian(order, std::min(1.0, rate * more), mu).amount * slack,
              rho);
    EXPECT_GE(renyi_of_subsampled_gaussian(order, rate, mu * more).amount * slack, rho);
    EXPECT_LE(rho, renyi_of_gaussian(order, mu).amount);
  }
  EXPECT_EQ(renyi_of_subsampled_gaussian(5, 1, .3).amount, renyi_of_gaussian(5, .3).amount);
  EXPECT_EQ(renyi_of_subsampled_gaussian(5, .1, 0).amount, 0);
}

TEST(SubsampledGaussian, IsFiniteAndQuickFromEndToEnd) {
  const std::clock_t start = std::clock();  // of this process alone
  int calls = 0;
  for (const double order : {1 + 0x1p-52, 1 + 0x1p-12, 2.0, 1e3, 1e9, 1e15}) {
    for (const double rate : {1e-300, 1e-6, .1, .9}) {
      for (const double mu : {1e-300, 1e-9, 1e-3, 1.0, 1e3, 1e9}) {
        const double rho = renyi_of_subsampled_gaussian(order, rate, mu).amount;
        EXPECT_TRUE(rho > 0 && std::isfinite(rho)) << order << " " << rate << " " << mu;
        ++calls;
      }
    }
  }
  // 2 ms a call at most in an optimised build; this one is sanitized.
  EXPECT_LT(double(std::clock() - start) / CLOCKS_PER_SEC / calls, .1);
}

}  // namespace
}  // namespace dpmix
