// Profiles against the definitions, evaluated with 50 digits from the laws themselves: never below,
// and not far above.
#include "core/accounting/renyi_profile.hpp"

#include <gtest/gtest.h>

#include <boost/math/quadrature/sinh_sinh.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/accounting/renyi_of_subsampled_gaussian.hpp"
#include "core/base/error.hpp"

namespace dpmix {
namespace {

using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>,
                                           boost::multiprecision::et_off>;

// Orders, epsilons: the whole range that tables and releases use, and both of its ends.
const std::vector<double> kOrders = {1 + 0x1p-40, 1.0003, 1.1, 1.5, 2, 2.5, 7.4954, 64, 1e4, 1.3e9};
const std::vector<double> kEpsilons = {1e-6, 1e-3, .1, 1, 4, 30, 1e3, 1e7};

// bound is at least truth, and above it by at most `slack` of it.
void expect_bound(double bound, const Wide& truth, double slack) {
  EXPECT_GE(Wide(bound), truth);
  EXPECT_LE(Wide(bound), truth * (1 + Wide(slack)) + Wide(1e-320));
}

// sum of p^alpha q^(1-alpha), by its logarithm's terms; log of it over alpha - 1.
Wide divergence(const std::vector<Wide>& log_p, const std::vector<Wide>& log_q, double order) {
  const Wide alpha = order;
  Wide most = -Wide(1e30), sum = 0;
  std::vector<Wide> terms;
  for (std::size_t i = 0; i < log_p.size(); ++i) {
    terms.push_back(alpha * log_p[i] + (1 - alpha) * log_q[i]);
    most = std::max(most, terms.back());
  }
  for (const Wide& term : terms) sum += exp(term - most);
  return (most + log(sum)) / (alpha - 1);
}

TEST(Profile, GuaranteeIsRandomisedResponse) {
  for (const double order : kOrders) {
    for (const double epsilon : kEpsilons) {
      SCOPED_TRACE(testing::Message() << order << " " << epsilon);
      const Wide log_truth = -log(1 + exp(-Wide(epsilon))), log_lie = log_truth - Wide(epsilon);
      const Cost cost = renyi_of_guarantee(order, epsilon, 1e-9);
      expect_bound(cost.amount, divergence({log_truth, log_lie}, {log_lie, log_truth}, order),
                   1e-9);
      EXPECT_EQ(cost.added_delta, 1e-9);
    }
    EXPECT_EQ(renyi_of_guarantee(order, 0, 0).amount, 0);
  }
}

TEST(Profile, GuaranteeBoundsRandomMechanisms) {
  // Two random laws on a few outcomes, with the loss they happen to have.
  std::mt19937_64 random(7);
  std::exponential_distribution<double> weight(1);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> p(2 + trial % 5), q(p.size());
    double p_sum = 0, q_sum = 0;
    for (double& x : p) p_sum += x = weight(random);
    for (double& x : q) q_sum += x = weight(random);
    std::vector<Wide> log_p, log_q;
    double epsilon = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      log_p.push_back(log(Wide(p[i]) / Wide(p_sum)));
      log_q.push_back(log(Wide(q[i]) / Wide(q_sum)));
      epsilon = std::max(epsilon, std::abs(static_cast<double>(log_p[i] - log_q[i])));
    }
    for (const double order : {1.2, 3.0, 17.5}) {
      EXPECT_GE(Wide(renyi_of_guarantee(order, epsilon * (1 + 1e-12), 0).amount) * (1 + Wide(1e-8)),
                divergence(log_p, log_q, order));
    }
  }
}

TEST(Profile, GaussianMatchesItsIntegral) {
  boost::math::quadrature::sinh_sinh<Wide> integrator;
  for (const double order : {1.25, 2.0, 7.5}) {
    for (const double mu : {1e-3, .02, .8, 3.0}) {
      SCOPED_TRACE(testing::Message() << order << " " << mu);
      // x is centred where the integrand peaks, so that the rule sees it.
      const auto integrand = [&](const Wide& y) -> Wide {
        const Wide x = y + Wide(order) * Wide(mu);
        return exp(-Wide(order) * (x - Wide(mu)) * (x - Wide(mu)) / 2 +
                   (Wide(order) - 1) * x * x / 2);
      };
      const Wide normal = sqrt(2 * boost::math::constants::pi<Wide>());
      const Wide moment = integrator.integrate(integrand, Wide(1e-25)) / normal;
      const Cost cost = renyi_of_gaussian(order, mu);
      expect_bound(cost.amount, log(moment) / (Wide(order) - 1), 1e-9);
      EXPECT_EQ(cost.added_delta, 0);
    }
  }
  EXPECT_EQ(renyi_of_gaussian(3, 0).amount, 0);
}

// The law itself on a lattice, cut where r^|k| is below 1e-50.
Wide geometric_divergence(double order, double epsilon, int steps, int shift) {
  const Wide rate = Wide(epsilon) / steps;
  const int tail = static_cast<int>(116 / static_cast<double>(rate)) + 1;
  const Wide log_mass = log(1 - exp(-rate)) - log(1 + exp(-rate));
  std::vector<Wide> log_p, log_q;
  for (int k = -tail; k <= tail + shift; ++k) {
    log_p.push_back(log_mass - rate * std::abs(k));
    log_q.push_back(log_mass - rate * std::abs(k - shift));
  }
  return divergence(log_p, log_q, order);
}

TEST(Profile, GeometricMatchesItsSum) {
  for (const double order : {1.01, 2.0, 7.4954, 40.0}) {
    for (const double epsilon : {2.0, 9.0}) {
      for (const int steps : {1, 2, 5}) {
        SCOPED_TRACE(testing::Message() << order << " " << epsilon << " " << steps);
        const double rho = renyi_of_geometric(order, epsilon, steps).amount;
        expect_bound(rho, geometric_divergence(order, epsilon, steps, steps), 1e-9);
        // No smaller shift, and no shift spread over several coordinates, costs more.
        Wide split = 0;
        for (int shift = 1; shift < steps; ++shift) {
          const Wide alone = geometric_divergence(order, epsilon, steps, shift);
          EXPECT_LE(alone, Wide(rho));
          split =
              std::max(split, alone + geometric_divergence(order, epsilon, steps, steps - shift));
        }
        EXPECT_LE(split, Wide(rho));
      }
    }
  }
}

TEST(Profile, GeometricStaysBetweenLaplaceAndRandomisedResponse) {
  for (const double order : kOrders) {
    for (const double epsilon : kEpsilons) {
      SCOPED_TRACE(testing::Message() << order << " " << epsilon);
      const Wide alpha = order, e = epsilon;
      const Wide laplace =
          ((alpha - 1) * e + log(alpha / (2 * alpha - 1) +
                                 (alpha - 1) / (2 * alpha - 1) * exp(-(2 * alpha - 1) * e))) /
          (alpha - 1);
      double last = renyi_of_guarantee(order, epsilon, 0).amount;
      EXPECT_EQ(renyi_of_geometric(order, epsilon).amount, last);
      for (const double steps : {2.0, 5.0, 1000.0, 0x1p40, 0x1p100}) {
        const double rho = renyi_of_geometric(order, epsilon, steps).amount;
        EXPECT_GE(Wide(rho), laplace);
        EXPECT_LE(rho, last * (1 + 1e-9));
        last = rho;
      }
      EXPECT_LE(Wide(last), laplace * (1 + Wide(1e-6)));
    }
  }
}

// The moment bounds of the supplement of Park, Foulds, Chaudhuri, Welling (DP-EM), lambda =
// alpha-1.
TEST(Profile, MomentsOfTheDpEmSupplement) {
  for (const double lambda : {.5, 1.0, 4.0, 20.0}) {
    for (const double epsilon : {.1, 1.0, 3.0}) {
      const Wide l = lambda, e = epsilon;
      const Wide moment = (l + 1) / (2 * l + 1) * exp(l * e) + l / (2 * l + 1) * exp(-(l + 1) * e);
      const double rho = renyi_of_geometric(lambda + 1, epsilon, 0x1p80).amount;
      expect_bound(rho, log(moment) / l, 1e-9);
    }
    for (const double sigma : {.5, 4.0, 100.0}) {
      const Wide log_moment = (Wide(lambda) + Wide(lambda) * lambda) / (2 * Wide(sigma) * sigma);
      EXPECT_NEAR(renyi_of_gaussian(lambda + 1, 1 / sigma).amount * lambda,
                  static_cast<double>(log_moment), 1e-11 * static_cast<double>(log_moment));
    }
  }
}

TEST(Profile, CompositionRoundsUp) {
  const Cost sum = Cost{.1, 0} + Cost{.2, 1e-9};
  EXPECT_GT(Wide(sum.amount), Wide(.1) + Wide(.2));
  EXPECT_LE(sum.amount, .3 * (1 + 1e-15));
  EXPECT_EQ(sum.added_delta, 1e-9);
}

// delta of Proposition 12: e^{(alpha-1)(rho-eps)} / (alpha-1) (1 - 1/alpha)^alpha.
Wide log_delta(double order, const Wide& rho, const Wide& epsilon) {
  const Wide alpha = order;
  return (alpha - 1) * (rho - epsilon) - log(alpha - 1) + alpha * (log(alpha - 1) - log(alpha));
}

TEST(Profile, EpsilonOfRenyiInvertsProposition12) {
  for (const double order : kOrders) {
    for (const double rho : {0.0, 1e-6, .3, 2.2175174, 50.0, 1e6}) {
      for (const double delta : {1e-300, 1e-12, 5e-7, .1, .9}) {
        SCOPED_TRACE(testing::Message() << order << " " << rho << " " << delta);
        const double epsilon = epsilon_of_renyi(order, rho, delta);
        const Wide target = log(Wide(delta));
        // The epsilon given suffices; one that is a little smaller does not.
        EXPECT_LE(log_delta(order, rho, epsilon), target);
        if (epsilon > 0) {
          const double less = epsilon - 1e-9 * (epsilon + rho - std::log(delta) / (order - 1));
          EXPECT_GT(log_delta(order, rho, less), target);
        }
        // The budget's rho is the other way round.
        const double budget = renyi_of_budget(order, epsilon, delta);
        if (budget > 0) {
          EXPECT_LE(log_delta(order, budget, epsilon), target);
        }
        if (epsilon > 0) {
          EXPECT_NEAR(budget, rho, 1e-9 * (1 + rho + epsilon - std::log(delta) / (order - 1)));
        }
      }
    }
  }
  // By hand: alpha = 2, delta = e^-3: rho + log(1/2) + 3 - log 2.
  EXPECT_NEAR(epsilon_of_renyi(2, 1, std::exp(-3.0)), 4 - 2 * std::log(2.0), 1e-10);
  EXPECT_EQ(epsilon_of_renyi(64, 0, .5), 0);
}

TEST(Profile, ConversionHoldsForTheGaussian) {
  // The exact curve of Gaussian noise, delta(eps; mu), never exceeds what the conversion claims.
  for (const double mu : {.05, .5, 2.0}) {
    for (const double order : {1.5, 4.0, 30.0}) {
      for (const double delta : {1e-9, 1e-3}) {
        const Wide m = mu, e = epsilon_of_renyi(order, renyi_of_gaussian(order, mu).amount, delta);
        const auto upper_tail = [](const Wide& x) { return erfc(x / sqrt(Wide(2))) / 2; };
        EXPECT_LE(upper_tail(e / m - m / 2) - exp(e) * upper_tail(e / m + m / 2), Wide(delta));
      }
    }
  }
}

TEST(Profile, RefusesWhatHasNoMeaning) {
  for (const double order : {1.0, .5, double(NAN), double(INFINITY)}) {
    EXPECT_THROW(renyi_of_guarantee(order, 1, 0), Error);
    EXPECT_THROW(renyi_of_gaussian(order, 1), Error);
    EXPECT_THROW(renyi_of_geometric(order, 1), Error);
    EXPECT_THROW(renyi_of_subsampled_gaussian(order, .1, 1), Error);
    EXPECT_THROW(epsilon_of_renyi(order, 1, .1), Error);
    EXPECT_THROW(renyi_of_budget(order, 1, .1), Error);
  }
  EXPECT_THROW(renyi_of_guarantee(2, -1, 0), Error);
  EXPECT_THROW(renyi_of_guarantee(2, NAN, 0), Error);
  EXPECT_THROW(renyi_of_guarantee(2, 1, 1.5), Error);
  EXPECT_THROW(renyi_of_gaussian(2, -1), Error);
  EXPECT_THROW(renyi_of_geometric(2, 1, .5), Error);
  for (const double rate : {0.0, -.1, 1.1, double(NAN)}) {
    EXPECT_THROW(renyi_of_subsampled_gaussian(2, rate, 1), Error);
  }
  for (const double delta : {0.0, 1.0, double(NAN)}) {
    EXPECT_THROW(epsilon_of_renyi(2, 1, delta), Error);
  }
}

}  // namespace
}  // namespace dpmix
