#include "core/noise/steps/least_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/noise/steps/delta.hpp"
#include "core/noise/steps/moments.hpp"
#include "unit/noise/steps/brute_force.hpp"
#include "unit/noise/steps/lp_bounds.hpp"

namespace dpmix {
namespace {

double relative_error(const LeastSteps& steps) {
  return step_expected_abs(steps.law) / steps.law.sensitivity;
}

struct Family {
  LeastSteps staircase, truncated_laplace, tulap, optimal;

  Family(double epsilon, double delta, double m)
      : staircase(least_staircase(epsilon, m)),
        truncated_laplace(least_truncated_laplace(epsilon, delta, m)),
        tulap(least_tulap(epsilon, delta, m)),
        optimal(least_optimal(epsilon, delta, m)) {}
};

// Cell by cell, at every shift, and in both roundings: nothing of the certificate is used.
TEST(LeastSteps, AllLawsArePrivateByBruteForce) {
  for (const int m : {1, 2, 3, 4, 7, 16}) {
    for (const double epsilon : {0.2, 1.0, 2.2, 6.0, 30.0}) {
      for (const double delta : {1e-12, 1e-4, 0.02, 0.1, 0.5}) {
        const Family all(epsilon, delta, m);
        for (const LeastSteps* steps :
             {&all.staircase, &all.truncated_laplace, &all.tulap, &all.optimal}) {
          const test::BruteForce brute(steps->law);
          double worst = 0;
          for (int shift = 1; shift <= m; ++shift) {
            worst = std::max(worst, brute.delta(epsilon, shift));
          }
          const double asked = steps == &all.staircase ? 0 : delta;
          ASSERT_LE(steps->delta_certified, asked) << m << " " << epsilon;
          ASSERT_LE(worst, steps->delta_certified + brute.left_out()) << m << " " << epsilon;
        }
      }
    }
  }
}

TEST(LeastSteps, OptimalIsWithinThreePercentOfTheLinearProgram) {
  double worst = 1;
  for (const test::LpBound& bound : test::kLpBounds) {
    const double ratio =
        relative_error(least_optimal(bound.epsilon, bound.delta, bound.m)) / bound.expected_abs;
    EXPECT_GE(ratio, 1 - 1e-5) << bound.epsilon << " " << bound.delta << " " << bound.m;
    // On a lattice of one step in a sensitivity the best law is the truncated geometric one.
    const double best = bound.m == 1 ? 1 + 2e-5 : 1.018;
    EXPECT_LE(ratio, best) << bound.epsilon << " " << bound.delta << " " << bound.m;
    worst = std::max(worst, ratio);
  }
  EXPECT_GT(worst, 1.01);  // else the fixture lacks the hard cells
}

// The cells of one step in 32 are nearly continuous: on a lattice of 2^20 the noise is no more.
TEST(LeastSteps, AFineLatticeIsNoWorse) {
  for (const test::LpBound& bound : test::kLpBounds) {
    if (bound.m < 16 || bound.epsilon > 3) continue;
    const double fine = relative_error(least_optimal(bound.epsilon, bound.delta, 0x1p20));
    EXPECT_LE(fine, 1.02 * bound.expected_abs) << bound.epsilon << " " << bound.delta;
  }
}

TEST(LeastSteps, OptimalIsNeverWorseThanTheOthers) {
  for (const double m : {1.0, 2.0, 5.0, 12.0, 1000.0, 0x1p20, 0x1p53}) {
    for (const double epsilon : {1e-6, 1e-3, 0.3, 1.0, 2.5, 9.0, 50.0, 720.0, 1e7}) {
      for (const double delta : {1e-300, 1e-30, 1e-6, 0.03, 0.5}) {
        const Family all(epsilon, delta, m);
        const double optimal = step_expected_abs(all.optimal.law);
        for (const LeastSteps* steps : {&all.staircase, &all.truncated_laplace, &all.tulap}) {
          EXPECT_LE(optimal, step_expected_abs(steps->law)) << m << " " << epsilon << " " << delta;
          EXPECT_LE(steps->law.fall * (m / steps->law.period), epsilon);
        }
        EXPECT_LE(all.truncated_laplace.delta_certified, delta);
        EXPECT_LE(all.tulap.delta_certified, delta);
        EXPECT_LE(all.optimal.delta_certified, delta);
        EXPECT_EQ(all.staircase.delta_certified, 0);
      }
    }
  }
}

// Nothing of delta is given away: one step or a little edge less, and it is exceeded.
TEST(LeastSteps, TheCutoffIsTheLeast) {
  for (const double m : {1.0, 4.0, 1000.0}) {
    for (const double epsilon : {0.1, 1.0, 4.0}) {
      for (const double delta : {1e-9, 1e-3, 0.2}) {
        for (const LeastSteps& steps :
             {least_truncated_laplace(epsilon, delta, m), least_tulap(epsilon, delta, m)}) {
          EXPECT_GT(steps.delta_certified, delta * (1 - 1e-9));
          StepLaw less = steps.law;
          less.edge *= 1 - 1e-3;
          EXPECT_GT(step_delta_bound(less, epsilon), delta);
        }
      }
    }
  }
}

// Geng, Viswanath 2014: e^{epsilon/2}/(e^epsilon - 1). Geng, Ding, Guo, Kumar 2020: the support.
TEST(LeastSteps, FineLatticesHaveTheContinuousLaws) {
  const double m = 0x1p20;
  for (const double epsilon : {0.05, 0.5, 1.0, 2.0, 5.0, 10.0}) {
    const double staircase = std::exp(epsilon / 2) / std::expm1(epsilon);
    EXPECT_NEAR(relative_error(least_staircase(epsilon, m)) / staircase, 1, 1e-6) << epsilon;
    for (const double delta : {1e-6, 1e-2}) {
      const LeastSteps laplace = least_truncated_laplace(epsilon, delta, m);
      const double support = std::log1p(std::expm1(epsilon) / (2 * delta)) / epsilon;
      EXPECT_NEAR(laplace.law.cutoff / m / support, 1, 1e-5) << epsilon << " " << delta;
      const double q = std::exp(-epsilon * support);
      const double mean = (1 - q * (1 + epsilon * support)) / (1 - q) / epsilon;
      EXPECT_NEAR(relative_error(laplace) / mean, 1, 1e-5) << epsilon << " " << delta;
    }
  }
}

// Truncated Tulap noise on a fine lattice, computed elsewhere to three digits.
TEST(LeastSteps, TulapOfKnownCells) {
  EXPECT_NEAR(relative_error(least_tulap(0.5, 1e-2, 0x1p20)), 1.76, 0.006);
  EXPECT_NEAR(relative_error(least_tulap(1, 1e-5, 0x1p20)), 0.966, 0.0006);
  EXPECT_NEAR(relative_error(least_tulap(2, 1e-1, 0x1p20)), 0.412, 0.0006);
  EXPECT_NEAR(relative_error(least_tulap(3, 1e-3, 0x1p20 - 1)), 0.326, 0.0006);
}

// The best landing by trying all of them.
TEST(LeastSteps, StaircaseHasTheBestLanding) {
  for (const double m : {1.0, 2.0, 3.0, 4.0, 9.0, 30.0, 101.0}) {
    for (const double epsilon : {0.01, 0.5, 1.5, 4.0, 12.0}) {
      const double least = step_expected_abs(least_staircase(epsilon, m).law);
      for (double r = 0; 2 * r + 1 <= m; ++r) {
        EXPECT_LE(least, step_expected_abs(
                             {.sensitivity = m, .period = m, .fall = epsilon, .half_width = r}) *
                             (1 + 1e-13));
      }
    }
  }
}

TEST(LeastSteps, RefusesWhatIsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](double epsilon, double delta, double m) {
    int count = 0;
    for (const auto& design : {least_truncated_laplace, least_tulap, least_optimal}) {
      try {
        design(epsilon, delta, m);
      } catch (const Error& e) {
        count += e.code == ErrorCode::invalid_parameter;
      }
    }
    return count == 3;
  };
  EXPECT_FALSE(refused(1, 1e-6, 4));
  for (const double x : {0.0, 9e-7, 1.1e7, nan}) EXPECT_TRUE(refused(x, 1e-6, 4)) << x;
  for (const double x : {0.0, 1e-301, 0.51, nan}) EXPECT_TRUE(refused(1, x, 4)) << x;
  for (const double x : {0.0, 0.5, 1.5, 0x1p54, nan}) EXPECT_TRUE(refused(1, 1e-6, x)) << x;
  EXPECT_THROW(least_staircase(0, 1), Error);
  EXPECT_THROW(least_staircase(1, 0), Error);
}

}  // namespace
}  // namespace dpmix
