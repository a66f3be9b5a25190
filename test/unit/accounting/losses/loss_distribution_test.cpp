#include "core/accounting/losses/loss_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "core/accounting/losses/loss_composition.hpp"
#include "core/base/error.hpp"

namespace dpmix {
namespace {

double one_delta(LossDistribution loss, double epsilon, std::int64_t times = 1) {
  LossComposition composition;
  composition.add(std::move(loss), times);
  return composition.delta(epsilon);
}

// The sum over the grid itself.
long double grid_delta(const LossDistribution& loss, double epsilon) {
  long double sum = loss.infinite;
  for (std::size_t i = 0; i < loss.mass.size(); ++i) {
    const double l = static_cast<double>(loss.first + static_cast<std::int64_t>(i)) * loss.step;
    if (l > epsilon) sum -= loss.mass[i] * std::expm1((long double){epsilon} - l);
  }
  return sum;
}

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

// delta of one draw in closed form: the loss increases in x, so the best set is a half line.
double subsampled_delta(double q, double mu, Direction direction, double epsilon) {
  const bool with = direction == Direction::with_record;
  const double odds = with ? (std::expm1(epsilon) + q) / q : (std::expm1(-epsilon) + q) / q;
  if (!(odds > 0)) return 0;
  const double x = std::log(odds) / mu + mu / 2;
  const auto mixture = [&](double tail) {  // P(N > x) or P(N < x) of the mixture
    return (1 - q) * normal_cdf(tail * -x) + q * normal_cdf(tail * (mu - x));
  };
  return with ? mixture(1) - std::exp(epsilon) * normal_cdf(-x)
              : normal_cdf(x) - std::exp(epsilon) * mixture(-1);
}

TEST(LossDistribution, OneSubsampledDrawIsTheClosedForm) {
  for (double q : {1e-3, 0.02, 0.3, 1.0}) {
    for (double mu : {0.05, 0.5, 2.0, 6.0}) {
      for (Direction direction : {Direction::with_record, Direction::without_record}) {
        const auto loss = loss_of_subsampled_gaussian(q, mu, direction, 0x1p-9, 1e-28);
        for (double epsilon : {0.0, 0.125, 0.5, 2.0, 6.0}) {
          const double truth = subsampled_delta(q, mu, direction, epsilon);
          const double found = one_delta(loss, epsilon);
          const std::string where = std::to_string(q) + " " + std::to_string(mu) + " " +
                                    std::to_string(epsilon) + " " + std::to_string(int(direction));
          EXPECT_GE(found, truth * (1 - 1e-9) - 1e-13) << where;
          // On the grid, connecting the dots is exact; the rest is the outward rounding.
          EXPECT_LE(found, truth * (1 + 1e-5) + 1e-12) << where;
        }
      }
    }
  }
}

// delta of one row with a replaced record: a half line again, whose end is found by bisection.
long double replaced_delta(long double q, long double mu, long double epsilon) {
  const auto ratio = [&](long double x) {
    if (q == 1) return 2 * mu * x;
    return std::log1p(q * std::expm1(mu * x - mu * mu / 2)) -
           std::log1p(q * std::expm1(-mu * x - mu * mu / 2));
  };
  long double low = -100, high = 100;
  for (int i = 0; i < 200; ++i) {
    const long double middle = (low + high) / 2;
    (ratio(middle) < epsilon ? low : high) = middle;
  }
  const auto beyond = [&](long double x) { return std::erfc(x / std::sqrt(2.0L)) / 2; };
  return (1 - q) * -std::expm1(epsilon) * beyond(low) +
         q * (beyond(low - mu) - std::exp(epsilon) * beyond(low + mu));
}

TEST(LossDistribution, OneReplacedRecordIsTheClosedForm) {
  for (double q : {1e-9, 1e-3, 0.02, 0.3, 0.8, 1 - 1e-9, 1.0}) {
    for (double mu : {0.02, 0.5, 2.0, 6.0, 30.0}) {
      const auto loss = loss_of_replaced_gaussian(q, mu, 0x1p-7, 1e-28);
      for (double epsilon : {0.0, 0.125, 0.5, 2.0, 6.0, 40.0}) {
        const long double truth = replaced_delta(q, mu, epsilon);
        const std::string where =
            std::to_string(q) + " " + std::to_string(mu) + " " + std::to_string(epsilon);
        const long double found = grid_delta(loss, epsilon);
        EXPECT_GE(found, truth * (1 - 1e-14L)) << where;
        EXPECT_LE(found, truth * (1 + 1e-5L) + 1e-12L) << where;
      }
    }
  }
}

// At rates near 1 the largest loss, -log(1 - rate), is what is left of a cancellation. The sum over
// the grid itself, against the closed form in long double.
TEST(LossDistribution, RatesNearOneKeepTheirLargestLoss) {
  for (double q : {1 - 1e-4, 1 - 1e-8, 1 - 1e-12}) {
    for (double mu : {1.0, 6.0, 12.0}) {
      const auto loss =
          loss_of_subsampled_gaussian(q, mu, Direction::without_record, 0x1p-7, 1e-28);
      for (double epsilon = 0; epsilon < -std::log1p(-q); epsilon += 0x1p-3) {
        const long double odds = (std::expm1(-static_cast<long double>(epsilon)) + q) / q;
        if (!(odds > 0)) break;
        const long double x = std::log(odds) / mu + mu / 2.0L, root = std::sqrt(2.0L);
        const long double tail = std::erfc(-x / root) / 2;
        const long double whole = std::erfc((mu - x) / root) / 2;
        const long double truth = tail - std::exp(static_cast<long double>(epsilon)) *
                                             ((1 - (long double){q}) * tail + q * whole);
        if (truth < 1e-9) break;
        const long double found = grid_delta(loss, epsilon);
        EXPECT_GE(found, truth * (1 - 1e-15L)) << q << " " << mu << " " << epsilon;
      }
    }
  }
}

TEST(LossDistribution, OfAGuaranteeIsTheGuarantee) {
  for (double epsilon : {0.1, 1.0, 3.7}) {
    for (double delta : {0.0, 1e-9, 0.01}) {
      const auto loss = loss_of_guarantee(epsilon, delta, 0x1p-12);
      EXPECT_GE(one_delta(loss, epsilon), delta);
      EXPECT_LE(one_delta(loss, epsilon + 0x1p-11), delta * (1 + 1e-6) + 1e-12);
      const double half =
          delta + (1 - delta) * -std::expm1(-epsilon / 2) / (1 + std::exp(-epsilon));
      EXPECT_NEAR(one_delta(loss, epsilon / 2), half, 2e-3);
      EXPECT_GE(one_delta(loss, epsilon / 2), half * (1 - 1e-12));
    }
  }
}

// sum (P(k) - e^epsilon P(k - m))_+ of the two-sided geometric law.
double geometric_delta(double rate, int m, double epsilon) {
  const double q = std::exp(-rate);
  double sum = 0;
  for (int k = -20000; k <= 20000; ++k) {
    const double p = (1 - q) / (1 + q) * std::exp(-rate * std::abs(k));
    const double shifted = (1 - q) / (1 + q) * std::exp(-rate * std::abs(k - m));
    sum += std::max(0.0, p - std::exp(epsilon) * shifted);
  }
  return sum;
}

TEST(LossDistribution, OfGeometricNoiseIsTheSumOverTheLattice) {
  for (int m : {1, 2, 7, 100}) {
    for (double total : {0.2, 1.0, 4.0}) {
      const auto loss = loss_of_geometric(total, m, 0x1p-10);
      for (double share : {0.0, 0.3, 0.8, 0.99}) {
        const double epsilon = std::floor(share * total * 1024) / 1024;
        const double truth = geometric_delta(total / m, m, epsilon);
        const double found = one_delta(loss, epsilon);
        EXPECT_GE(found, truth * (1 - 1e-11)) << m << " " << total << " " << share;
        EXPECT_LE(found, truth * (1 + 1e-6) + 1e-6) << m << " " << total << " " << share;
      }
    }
  }
}

TEST(LossDistribution, LargeLatticesAreLaplace) {
  const double epsilon = 0.5;
  const double found = one_delta(loss_of_geometric(1, 0x1p53, 0x1p-14), epsilon);
  EXPECT_NEAR(found, -std::expm1((epsilon - 1) / 2), 1e-7);
}

TEST(LossDistribution, RefusesWhatIsOutOfRange) {
  const auto with = Direction::with_record;
  EXPECT_THROW(loss_of_subsampled_gaussian(0, 1, with, 0x1p-10, 1e-20), Error);
  EXPECT_THROW(loss_of_subsampled_gaussian(1.1, 1, with, 0x1p-10, 1e-20), Error);
  EXPECT_THROW(loss_of_subsampled_gaussian(.1, 0, with, 0x1p-10, 1e-20), Error);
  EXPECT_THROW(loss_of_subsampled_gaussian(.1, 65, with, 0x1p-5, 1e-20), Error);
  EXPECT_THROW(loss_of_subsampled_gaussian(.1, 1, with, 0.3, 1e-20), Error);
  EXPECT_THROW(loss_of_subsampled_gaussian(.1, 1, with, 0x1p-30, 1e-20), Error);
  EXPECT_THROW(loss_of_subsampled_gaussian(.1, 1, with, 0x1p-10, 0), Error);
  EXPECT_THROW(loss_of_guarantee(-1, 0, 0x1p-10), Error);
  EXPECT_THROW(loss_of_guarantee(1, 2, 0x1p-10), Error);
  EXPECT_THROW(loss_of_geometric(1, 1.5, 0x1p-10), Error);
  EXPECT_THROW(loss_of_geometric(1e9, 1, 0x1p-10), Error);
}

}  // namespace
}  // namespace dpmix
