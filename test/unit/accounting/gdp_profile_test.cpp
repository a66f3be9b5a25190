// Costs under Gaussian differential privacy against trade-off curves computed with 50 digits from
// the laws themselves: never below the least mu, and not far above.
#include "core/accounting/gdp_profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "core/accounting/accountant.hpp"
#include "core/base/error.hpp"
#include "core/noise/gaussian/gdp.hpp"

namespace dpmix {
namespace {

using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>,
                                           boost::multiprecision::et_off>;

const std::vector<double> kEpsilons = {1e-6, 1e-3, .1, .5, 1, 2, 4, 30, 200};

// z with P(N > z) = alpha: bisection in double, then two of Newton's steps.
Wide quantile(const Wide& alpha) {
  double low = -37, high = 37;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) / 2 > static_cast<double>(alpha) ? low : high) = middle;
  }
  Wide z = low;
  const Wide root_two = sqrt(Wide(2));
  for (int i = 0; i < 2; ++i) {
    const Wide density = exp(-z * z / 2) / sqrt(2 * boost::math::constants::pi<Wide>());
    z += (erfc(z / root_two) / 2 - alpha) / density;
  }
  return z;
}

// The least mu of two laws on finitely many outcomes, from the vertices of their trade-off curve.
Wide least_mu(const std::vector<Wide>& p, const std::vector<Wide>& q) {
  std::vector<std::size_t> order(p.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return p[a] * q[b] < p[b] * q[a]; });
  Wide most = 0, alpha = 0, beta = 1;  // reject P where it is least likely first
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    alpha += p[order[i]];
    beta -= q[order[i]];
    if (beta <= Wide(1e-40)) break;
    most = std::max(most, quantile(alpha) + quantile(beta));
  }
  return most;
}

void expect_bound(double mu_squared, const Wide& mu, double slack) {
  EXPECT_GE(Wide(mu_squared), mu * mu);
  EXPECT_LE(Wide(mu_squared), mu * mu * (1 + Wide(slack)));
}

TEST(GdpProfile, GuaranteeIsRandomisedResponse) {
  for (const double epsilon : kEpsilons) {
    SCOPED_TRACE(epsilon);
    const Wide lie = 1 / (1 + exp(Wide(epsilon)));
    const Cost cost = gdp_of_guarantee(epsilon, 1e-9);
    expect_bound(cost.amount, 2 * quantile(lie), 1e-9);
    EXPECT_EQ(cost.added_delta, 1e-9);
    if (epsilon > 30) continue;  // the curve is computed from 1 - lie
    const Wide truth = 1 - lie;
    expect_bound(cost.amount, least_mu({truth, lie}, {lie, truth}), 1e-9);
  }
  EXPECT_EQ(gdp_of_guarantee(0, 0).amount, 0);
  // Far out a tail is its leading term: z^2 = 2 (epsilon - log z - log sqrt(2 pi)) and a bit less.
  for (const double epsilon : {1e4, 1e7}) {
    const double z2 = gdp_of_guarantee(epsilon, 0).amount / 4;
    const double leading = 2 * epsilon - std::log(z2) - std::log(2 * M_PI);
    EXPECT_LE(z2, leading * (1 + 1e-9));
    EXPECT_GE(z2, leading - 3 / z2);
  }
}

TEST(GdpProfile, GrowsWithEpsilonWithoutAStep) {
  double last = 0;
  for (double epsilon = 1e-6; epsilon < 1e7; epsilon *= 1.01) {
    const double amount = gdp_of_guarantee(epsilon, 0).amount;
    EXPECT_GT(amount, last);
    if (last > 0) {
      EXPECT_LT(amount, last * 1.0202) << epsilon;  // at most epsilon^2
    }
    last = amount;
  }
}

TEST(GdpProfile, GuaranteeBoundsRandomMechanisms) {
  std::mt19937_64 random(11);
  std::exponential_distribution<double> weight(1);
  for (int trial = 0; trial < 30; ++trial) {
    std::vector<Wide> p(2 + trial % 4), q(p.size());
    Wide p_sum = 0, q_sum = 0;
    for (Wide& x : p) p_sum += x = weight(random);
    for (Wide& x : q) q_sum += x = weight(random);
    double epsilon = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      p[i] /= p_sum;
      q[i] /= q_sum;
      epsilon = std::max(epsilon, std::abs(static_cast<double>(log(p[i] / q[i]))));
    }
    const Wide mu = sqrt(Wide(gdp_of_guarantee(epsilon * (1 + 1e-12), 0).amount));
    EXPECT_GE(mu, least_mu(p, q));
    EXPECT_GE(mu, least_mu(q, p));
  }
}

// Two-sided geometric noise and its shift, one outcome for each likelihood ratio.
Wide geometric_mu(double epsilon, int steps, int shift) {
  const Wide rate = Wide(epsilon) / steps, ratio = exp(-rate);
  std::vector<Wide> p, q;
  const Wide mass = (1 - ratio) / (1 + ratio);
  p.push_back(1 / (1 + ratio));  // k <= 0
  q.push_back(pow(ratio, shift) / (1 + ratio));
  for (int k = 1; k < shift; ++k) {
    p.push_back(mass * pow(ratio, k));
    q.push_back(mass * pow(ratio, shift - k));
  }
  p.push_back(pow(ratio, shift) / (1 + ratio));  // k >= shift
  q.push_back(1 / (1 + ratio));
  return least_mu(p, q);
}

TEST(GdpProfile, GeometricMatchesItsCurve) {
  for (const double epsilon : {.2, 1.0, 2.4}) {
    for (const int steps : {5, 6, 9}) {
      SCOPED_TRACE(testing::Message() << epsilon << " " << steps);
      const double amount = gdp_of_geometric(epsilon, steps).amount;
      const Wide exact = geometric_mu(epsilon, steps, steps);
      EXPECT_GE(Wide(amount), exact * exact);
      // Sharp where the middle is a vertex.
      EXPECT_LE(Wide(amount), exact * exact * (1 + Wide(steps % 2 == 1 ? 1e-9 : .02)));
      for (int shift = 1; shift < steps; ++shift) {
        const Wide alone = geometric_mu(epsilon, steps, shift);
        EXPECT_LE(alone, exact);
        const Wide rest = geometric_mu(epsilon, steps, steps - shift);
        EXPECT_LE(alone * alone + rest * rest, Wide(amount));
      }
    }
  }
}

// What a vector costs as one coordinate, at the coarsest lattice for which that is claimed; beyond
// it, the whole generic cost. Just past it the claim would still be true, far past it not.
TEST(GdpProfile, VectorsCostNoMoreThanOneCoordinate) {
  const auto loses = [](double step) {
    const Wide one = geometric_mu(step, 1, 1), two = geometric_mu(2 * step, 2, 2);
    return 2 * one * one > two * two;
  };
  for (const double step : {1e-3, .1, .3, .5}) EXPECT_FALSE(loses(step)) << step;
  EXPECT_TRUE(loses(12));
  EXPECT_LT(gdp_of_geometric(2.5, 5).amount, gdp_of_guarantee(2.5, 0).amount);
  EXPECT_EQ(gdp_of_geometric(2.5, 4).amount, gdp_of_guarantee(2.5, 0).amount);
}

TEST(GdpProfile, GeometricStaysBetweenLaplaceAndRandomisedResponse) {
  for (const double epsilon : kEpsilons) {
    SCOPED_TRACE(epsilon);
    const Wide laplace = 2 * quantile(exp(-Wide(epsilon) / 2) / 2);
    double last = gdp_of_guarantee(epsilon, 0).amount;
    EXPECT_EQ(gdp_of_geometric(epsilon).amount, last);
    for (const double steps : {2.0, 5.0, 1000.0, 0x1p40, 0x1p100}) {
      const double amount = gdp_of_geometric(epsilon, steps).amount;
      EXPECT_GE(Wide(amount), laplace * laplace);
      EXPECT_LE(amount, last * (1 + 1e-11));
      last = amount;
    }
    EXPECT_LE(Wide(last), laplace * laplace * (1 + Wide(1e-9)));
  }
}

TEST(GdpProfile, EpsilonOfGdpInvertsTheCurve) {
  double last = 0;
  for (const double delta : {1e-300, 1e-12, 5e-7, .1, .9}) {
    last = 0;
    for (double mu = 1e-6; mu < 5000; mu *= 3.7) {
      SCOPED_TRACE(testing::Message() << mu << " " << delta);
      const double epsilon = epsilon_of_gdp(mu * mu, delta);
      EXPECT_LE(gdp_delta(epsilon, mu), delta);
      if (epsilon > 1e-11) {
        EXPECT_GT(gdp_delta(epsilon * (1 - 1e-9), mu), delta);
      }
      EXPECT_GE(epsilon, last);
      last = epsilon;
      if (epsilon < 1e-6) continue;
      const double budget = gdp_of_budget(epsilon, delta);
      EXPECT_LE(gdp_delta(epsilon, std::sqrt(budget)), delta * (1 + 1e-12));
      EXPECT_NEAR(budget, mu * mu, 1e-7 * mu * mu);
    }
    EXPECT_EQ(epsilon_of_gdp(0, delta), 0);
  }
  // Neighbouring sums keep their order.
  for (double sum = .5; sum < .5000001; sum = std::nextafter(sum + 1e-8, 1)) {
    const double epsilon = epsilon_of_gdp(sum, 1e-6);
    EXPECT_GE(epsilon, epsilon_of_gdp(std::nextafter(sum, 0), 1e-6));
  }
}

TEST(GdpProfile, GaussianIsItself) {
  for (const double mu : {1e-9, .02, 1.0, 77.7}) {
    expect_bound(gdp_of_gaussian(mu).amount, Wide(mu), 1e-11);
  }
  EXPECT_EQ(gdp_of_gaussian(0).amount, 0);
}

// The mixture's components move a Gaussian by independent amounts: no easier to tell apart.
TEST(GdpProfile, MultiGaussianCostsItsComponent) {
  const Accounting gdp{Accountant::gdp, 0};
  const NoiseLaw law{.family = Family::multi_gaussian,
                     .sensitivity = 3,
                     .scale = 6,
                     .components = 4,
                     .weight_epsilon = 1};
  EXPECT_GE(cost_of_multi_gaussian(gdp, law).amount, .25);
  EXPECT_LE(cost_of_multi_gaussian(gdp, law).amount, .25 * (1 + 1e-11));
}

TEST(GdpProfile, DispatchFollowsTheAccountant) {
  const Accounting basic{Accountant::basic, 0}, gdp{Accountant::gdp, 0};
  EXPECT_FALSE(basic.counts_cost());
  EXPECT_TRUE(gdp.counts_cost());
  EXPECT_EQ(cost_of_gaussian(basic, 1).amount, 0);
  EXPECT_EQ(cost_of_guarantee(basic, 1, .1).added_delta, 0);
  EXPECT_EQ(cost_of_geometric(basic, 1, 2).amount, 0);
  EXPECT_EQ(cost_of_gaussian(gdp, 1).amount, gdp_of_gaussian(1).amount);
  EXPECT_EQ(cost_of_guarantee(gdp, 1, .1).added_delta, .1);
  EXPECT_EQ(cost_of_geometric(gdp, 1, 8).amount, gdp_of_geometric(1, 8).amount);
}

TEST(GdpProfile, RefusesWhatHasNoMeaning) {
  EXPECT_THROW(gdp_of_guarantee(-1, 0), Error);
  EXPECT_THROW(gdp_of_guarantee(NAN, 0), Error);
  EXPECT_THROW(gdp_of_guarantee(1, 1.5), Error);
  EXPECT_THROW(gdp_of_gaussian(-1), Error);
  EXPECT_THROW(gdp_of_geometric(1, .5), Error);
  EXPECT_THROW(gdp_of_geometric(INFINITY, 1), Error);
  for (const double delta : {0.0, 1.0, double(NAN)}) {
    EXPECT_THROW(epsilon_of_gdp(1, delta), Error);
    EXPECT_THROW(gdp_of_budget(1, delta), Error);
  }
  EXPECT_THROW(epsilon_of_gdp(-1, .1), Error);
}

}  // namespace
}  // namespace dpmix
