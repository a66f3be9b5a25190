#include "core/accounting/losses/loss_composition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/noise/gaussian/gdp.hpp"

namespace dpmix {
namespace {

LossDistribution gaussian(double mu, double step) {
  return loss_of_subsampled_gaussian(1, mu, Direction::with_record, step, 1e-28);
}

TEST(LossComposition, OfGaussiansIsTheGaussianOfTheRootSum) {
  for (double mu : {0.02, 0.3, 1.0}) {
    for (int times : {1, 10, 1000}) {
      if (mu * std::sqrt(times) > 12) continue;
      LossComposition composition;
      composition.add(gaussian(mu, mu > 0.1 ? 0x1p-10 : 0x1p-14), times);
      const double together = mu * std::sqrt(times);
      for (double delta : {1e-2, 1e-6, 1e-10}) {
        const double epsilon = composition.epsilon(delta);
        EXPECT_LE(gdp_delta(epsilon, together), delta);
        const double less = epsilon * 0.998 - 0x1p-9;  // .2%, and the grid
        EXPECT_GT(less > 0 ? gdp_delta(less, together) : 1, delta) << mu << " " << times;
        const double found = composition.delta(epsilon);
        EXPECT_GE(found, gdp_delta(epsilon, together));
        EXPECT_LE(found, delta * (1 + 1e-6));
      }
    }
  }
}

TEST(LossComposition, KeepsItsPrecisionFarInTheTail) {
  LossComposition composition;
  composition.add(gaussian(0.25, 0x1p-10), 16);  // mu 1 together
  for (double epsilon : {8.0, 10.0}) {
    const double truth = gdp_delta(epsilon, 1);  // 3.6e-15, 5.7e-22
    EXPECT_GE(composition.delta(epsilon), truth);
    EXPECT_LE(composition.delta(epsilon), truth * 1.001 + 16 * 1e-26);
  }
}

// Losses of one step up or down, and rarely of 100 or 300 steps: all counts multiplied out.
TEST(LossComposition, SumsRareLossesSharply) {
  constexpr int kTimes = 40;
  constexpr double kStep = 0x1p-6, kLarge = 1e-9, kLargest = 1e-13;
  LossDistribution loss{kStep, -1, std::vector<double>(302), 0};
  loss.mass[0] = loss.mass[2] = .5;
  loss.mass[101] = kLarge;
  loss.mass[301] = kLargest;
  LossComposition composition;
  composition.add(loss, kTimes);
  const auto log_choose = [](int n, int k) {
    return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
  };
  for (int steps : {20, 50, 90, 150, 250, 330}) {
    const double epsilon = steps * kStep;
    double truth = 0;
    for (int a = 0; a <= 4; ++a) {
      for (int b = 0; b <= 4; ++b) {
        const int n = kTimes - a - b;
        for (int up = 0; up <= n; ++up) {
          const double above = (100 * a + 300 * b + 2 * up - n) * kStep - epsilon;
          if (above <= 0) continue;
          const double log_mass = log_choose(kTimes, a) + log_choose(kTimes - a, b) +
                                  log_choose(n, up) + a * std::log(kLarge) +
                                  b * std::log(kLargest) + n * std::log(.5);
          truth += std::exp(log_mass) * -std::expm1(-above);
        }
      }
    }
    const double delta = composition.delta(epsilon);
    EXPECT_GE(delta, truth * (1 - 1e-12)) << steps << " " << truth;
    EXPECT_LE(delta, truth * 1.001) << steps << " " << truth;
    EXPECT_NEAR(composition.epsilon(truth), epsilon, epsilon * 1e-3) << steps;
  }
}

// Kairouz, Oh, Viswanath 2015, Theorem 3.3: the optimal composition of n (epsilon, delta)-DP
// releases, at (n - 2i) epsilon.
double optimal_composition(double epsilon, double delta, int n, int i) {
  double sum = 0;
  for (int l = 0; l < i; ++l) {
    const double choose = std::lgamma(n + 1) - std::lgamma(l + 1) - std::lgamma(n - l + 1);
    sum += std::exp(choose + (n - l) * epsilon) - std::exp(choose + (n - 2 * i + l) * epsilon);
  }
  sum /= std::pow(1 + std::exp(epsilon), n);
  return 1 - std::pow(1 - delta, n) * (1 - sum);
}

TEST(LossComposition, OfGuaranteesIsTheOptimalComposition) {
  for (double delta : {0.0, 1e-6}) {
    for (auto [n, i] : {std::pair(10, 3), std::pair(30, 12), std::pair(30, 4)}) {
      LossComposition composition;
      composition.add(loss_of_guarantee(0.25, delta, 0x1p-10), n);  // 1/4 lies on the grid
      const double truth = optimal_composition(0.25, delta, n, i);
      const double found = composition.delta((n - 2 * i) * 0.25);
      EXPECT_GE(found, truth * (1 - 1e-12));
      EXPECT_LE(found, truth * (1 + 1e-5) + 1e-9);
    }
  }
}

// The same by multiplying out atoms, without a grid, a transform or a tilt.
class Atoms {
 public:
  void add(double loss, double p) { atoms_[loss] += p; }
  Atoms operator*(const Atoms& other) const {
    Atoms product;
    for (const auto& [a, p] : atoms_) {
      for (const auto& [b, q] : other.atoms_) product.add(a + b, p * q);
    }
    return product;
  }
  double delta(double epsilon) const {
    double sum = 0;
    for (const auto& [loss, p] : atoms_) {
      if (loss > epsilon) sum += p * -std::expm1(epsilon - loss);
    }
    return sum;
  }

 private:
  std::map<double, double> atoms_;
};

TEST(LossComposition, OfDifferentLawsIsNeverBelowTheirProduct) {
  // Geometric noise at 5 steps twice, randomised response three times; losses off the grid.
  const double rate = 0.11, response = 0.37;
  Atoms geometric, guarantee;
  const double q = std::exp(-rate);
  for (int k = -200; k <= 205; ++k) {
    const double loss = rate * (std::abs(k - 5) - std::abs(k));
    geometric.add(std::nearbyint(loss * 1e9) / 1e9,
                  (1 - q) / (1 + q) * std::exp(-rate * std::abs(k)));
  }
  guarantee.add(response, 1 / (1 + std::exp(-response)));
  guarantee.add(-response, 1 / (1 + std::exp(response)));
  const Atoms truth = geometric * geometric * guarantee * guarantee * guarantee;
  double excess = std::numeric_limits<double>::infinity();
  for (double step : {0x1p-6, 0x1p-9, 0x1p-12}) {
    LossComposition composition;
    composition.add(loss_of_geometric(5 * rate, 5, step), 2);
    composition.add(loss_of_guarantee(response, 0, step), 3);
    double worst = 0;
    for (double epsilon : {0.05, 0.4, 1.0, 1.7, 2.1}) {
      const double exact = truth.delta(epsilon), found = composition.delta(epsilon);
      EXPECT_GE(found, exact - 1e-9) << epsilon;
      worst = std::max(worst, found - exact);
    }
    EXPECT_LT(worst, excess / 2 + 1e-9);  // the grid is all that separates them, and nearbyint
    excess = worst;
  }
  EXPECT_LT(excess, 1e-3);
}

// By an independent accountant (numpy: FFT of untilted masses on a grid of 2e-4): 6000 draws at
// rate order/6000, shift 1/(order sigma), delta 1e-5, the worse direction.
TEST(LossComposition, OfSubsampledGaussiansAgreesWithAnIndependentAccountant) {
  struct Row {
    double order, sigma, epsilon;
  };
  constexpr Row rows[] = {{1, 0.323, 10.020913}, {4, 0.0963, 9.977399}, {64, 0.0115, 10.083736},
                          {1, 0.534, 1.003431},  {4, 0.163, 1.011423},  {512, 0.0482, 1.000768}};
  for (const Row& row : rows) {
    double worst = 0;
    for (Direction direction : {Direction::with_record, Direction::without_record}) {
      LossComposition composition;
      composition.add(loss_of_subsampled_gaussian(row.order / 6000, 1 / (row.order * row.sigma),
                                                  direction, 0x1p-12, 1e-18),
                      6000);
      worst = std::max(worst, composition.epsilon(1e-5));
    }
    EXPECT_NEAR(worst / row.epsilon, 1, 2e-3) << row.order << " " << row.sigma;
  }
}

TEST(LossComposition, DominationTellsTheLeastGaussian) {
  for (double mu : {0.05, 0.5, 3.0}) {
    for (double slack : {1e-3, 1e-7}) {
      LossComposition composition;
      composition.add(gaussian(mu / 4, mu < 0.1 ? 0x1p-14 : 0x1p-11), 16);
      EXPECT_TRUE(composition.dominated(mu * 1.01, slack)) << mu << " " << slack;
      // The slack covers 1e-3 of probability, which is little of mu.
      EXPECT_FALSE(composition.dominated(mu * 0.9 - 2 * slack, slack)) << mu << " " << slack;
    }
  }
  // The Gaussian's own tail never ends: a slack below what is counted as infinite is no proof.
  LossComposition cut;
  cut.add(loss_of_subsampled_gaussian(1, 1, Direction::with_record, 0x1p-10, 1e-6), 1);
  EXPECT_FALSE(cut.dominated(2, 1e-8));
  // Revealing with probability 1e-6 is what a slack of 1e-6 is.
  LossComposition revealing;
  revealing.add(gaussian(1, 0x1p-12), 1);
  revealing.add(loss_of_guarantee(0, 1e-6, 0x1p-12), 1);
  EXPECT_TRUE(revealing.dominated(1.01, 1.01e-6));
  EXPECT_FALSE(revealing.dominated(1.01, 0.99e-6));
}

// Losses end at times * epsilon0, so that the tilt is steep: below its mean, e^{-tilt loss} leaves
// the range of a double from one grid point to the next.
TEST(LossComposition, SteepTiltsNeverProveTooSmallAnEpsilon) {
  for (int times = 1; times <= 4; ++times) {
    for (double step : {1.0, 0x1p-4, 0x1p-6}) {
      for (double epsilon0 : {1.0, 1.3}) {
        for (double delta : {0.3, 0.1, 0.01}) {
          LossComposition composition;
          composition.add(loss_of_guarantee(epsilon0, 0, step), times);
          const double epsilon = composition.epsilon(delta);
          double truth = 0;                   // of randomised response itself
          for (int k = 0; k <= times; ++k) {  // k lies
            const double loss = (times - 2 * k) * epsilon0;
            if (loss <= epsilon) continue;
            const double p = std::exp(std::lgamma(times + 1) - std::lgamma(k + 1) -
                                      std::lgamma(times - k + 1) - k * epsilon0) /
                             std::pow(1 + std::exp(-epsilon0), times);
            truth -= p * std::expm1(epsilon - loss);
          }
          EXPECT_LE(truth, delta * (1 + 1e-12)) << times << " " << step << " " << epsilon0;
        }
      }
    }
  }
}

TEST(LossComposition, NothingCostsNothingAndRevealingEverythingCostsAll) {
  EXPECT_EQ(LossComposition().delta(0), 0);
  EXPECT_EQ(LossComposition().epsilon(1e-6), 0);
  LossComposition all;
  all.add(loss_of_guarantee(1, 1, 0x1p-10), 1);
  EXPECT_EQ(all.delta(50), 1);
  EXPECT_EQ(all.epsilon(0.5), std::numeric_limits<double>::infinity());
}

TEST(LossComposition, RefusesWhatIsOutOfRange) {
  LossComposition composition;
  EXPECT_THROW(composition.add(gaussian(1, 0x1p-10), 0), Error);
  EXPECT_THROW(composition.add(gaussian(1, 0x1p-10), (std::int64_t{1} << 30) + 1), Error);
  composition.add(gaussian(1, 0x1p-10), 1);
  EXPECT_THROW(composition.add(gaussian(1, 0x1p-11), 1), Error);
  EXPECT_THROW(composition.delta(-1), Error);
  EXPECT_THROW(composition.epsilon(0), Error);
  EXPECT_THROW(composition.epsilon(1), Error);
}

}  // namespace
}  // namespace dpmix
