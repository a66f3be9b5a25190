#include "core/noise/steps/law.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/noise/steps/delta.hpp"
#include "core/noise/steps/excess.hpp"
#include "core/noise/steps/moments.hpp"
#include "core/noise/steps/search.hpp"
#include "unit/noise/steps/brute_force.hpp"

namespace dpmix {
namespace {

using test::BruteForce;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class RandomLaws {
 public:
  explicit RandomLaws(unsigned seed) : engine_(seed) {}

  double uniform(double low, double high) {
    return std::uniform_real_distribution<>(low, high)(engine_);
  }
  int below(int bound) { return static_cast<int>(engine_() % static_cast<unsigned>(bound)); }

  StepLaw next() {
    StepLaw law;
    const int m = 1 + below(below(5) == 0 ? 40 : 12);
    law.sensitivity = m;
    law.period = below(4) == 0 ? 1 : m;
    law.fall = (below(10) == 0 ? 50 : 1) * std::exp(uniform(-4, 2)) * law.period / m;
    law.half_width = below((static_cast<int>(law.period) + 1) / 2);
    switch (below(5)) {
      case 0:
        break;
      case 1:
        law.dip = std::min(1e300, 1 + std::expm1(std::min(law.fall, 600.0)) * uniform(0, 0.99));
        break;
      case 2:
        law.dip = 1e-5 * uniform(1e-300, 1);
        break;
      default:
        law.dip = uniform(0.1, 1);
    }
    if (below(10) > 0) law.cutoff = 1 + below(5 * m);
    if (below(3) > 0) law.edge = uniform(1e-9, 1);
    if (below(2) == 0) law.atom = uniform(0, below(2) == 0 ? 0.99 : 1e-3);
    return law;
  }
  double epsilon(const StepLaw& law) {
    switch (below(5)) {
      case 0:
      case 1:
        return law.fall * law.sensitivity / law.period;
      case 2:
        return below(3) == 0 ? 0 : uniform(0, 0.1);
      default:
        return std::exp(uniform(-4, 2));
    }
  }

 private:
  std::mt19937 engine_;
};

// The bound is above every shift, and no more than rounding above the largest.
TEST(StepLaw, DeltaOfRandomLawsIsThatOfBruteForce) {
  RandomLaws laws(1);
  for (int i = 0; i < 400; ++i) {
    const StepLaw law = laws.next();
    const double epsilon = laws.epsilon(law);
    const BruteForce brute(law);
    const double slack = brute.left_out();
    double worst = 0;
    for (int shift = 1; shift <= law.sensitivity; ++shift) {
      const double expected = brute.delta(epsilon, shift);
      worst = std::max(worst, expected);
      const double at = step_delta_at(law, epsilon, shift);
      ASSERT_NEAR(at, expected, 1e-12 * expected + slack) << i << " " << shift;
    }
    const double bound = step_delta_bound(law, epsilon);
    ASSERT_GE(bound, worst - slack) << i;
    ASSERT_LE(bound, worst * (1 + 1e-12) + slack) << i;
  }
}

TEST(StepLaw, MomentsAndTailsOfRandomLawsAreThoseOfBruteForce) {
  RandomLaws laws(2);
  for (int i = 0; i < 400; ++i) {
    const StepLaw law = laws.next();
    const BruteForce brute(law);
    ASSERT_NEAR(step_expected_abs(law) / brute.moment(1), 1, 1e-11) << i;
    ASSERT_NEAR(step_variance(law) / brute.moment(2), 1, 1e-11) << i;
    for (const int k : {0, 1, 2, 5, 20}) {
      const double expected = brute.tail(k);
      ASSERT_NEAR(step_tail(law, k), expected, 1e-12 * expected + brute.left_out())
          << i << " " << k;
    }
  }
}

// The proof says that between two neighbours of this list delta is linear in the shift.
TEST(StepLaw, DeltaIsLinearBetweenTheShiftsThatAreLookedAt) {
  StepLaw law{.sensitivity = 1000, .period = 1000, .fall = 1.5, .half_width = 300, .dip = 0.8};
  law.cutoff = 2345;
  law.edge = 0.4;
  law.atom = 0.003;
  std::vector<Int128> shifts = worst_step_shifts(law);
  shifts.insert(shifts.begin(), 0);
  ASSERT_GT(shifts.size(), 10u);
  for (std::size_t i = 1; i < shifts.size(); ++i) {
    const auto low = static_cast<double>(shifts[i - 1]), high = static_cast<double>(shifts[i]);
    const double at_low = step_delta_at(law, 1.4, low), at_high = step_delta_at(law, 1.4, high);
    const double middle = std::floor((low + high) / 2);
    const double chord = at_low + (at_high - at_low) * (middle - low) / (high - low);
    EXPECT_NEAR(step_delta_at(law, 1.4, middle), chord, 1e-14) << low << " " << high;
  }
}

// A dip as deep as the double next to e^(fall - epsilon): 1 - e^(epsilon - fall) dip cancels, and
// what rounding may take from it is more than the relative margin of the sum gives back.
TEST(StepLaw, TheBoundHoldsWhereAStairMeetsADip) {
  using Wide = boost::multiprecision::cpp_bin_float_100;
  for (const double rise : {2.0, 20.0, 100.0, 300.0, 500.0, 690.0, 700.0}) {
    for (const double fall : {300.0, 850.5, 2668.25}) {
      StepLaw law{.sensitivity = 2, .period = 2, .fall = fall, .cutoff = 2};
      const double epsilon = fall + rise;  // what 0 gains over the dip at 1
      for (law.dip = std::exp(-rise); exp(Wide(epsilon) - fall) * law.dip >= 1;) {
        law.dip = std::nextafter(law.dip, 0);
      }
      const Wide q = exp(-Wide(fall)), ratio = exp(Wide(epsilon) - fall) * law.dip;
      const Wide gain = (1 - ratio) / (1 + 2 * q * law.dip + 2 * q);
      ASSERT_GT(gain, 0);
      ASSERT_LT(gain, 1e-14);
      EXPECT_GE(Wide(step_delta_bound(law, epsilon)), gain) << rise << " " << fall;
    }
  }
}

// Exact signs: a ratio of e^epsilon is allowed, and one double more is not.
TEST(StepLaw, PureStaircasesHaveDeltaZeroExactly) {
  for (const double epsilon : {1e-6, 0.1, 1.0, 3.7, 800.0, 1e7}) {
    for (const double m : {1.0, 2.0, 7.0, 0x1p20, 0x1p53}) {
      const StepLaw law{
          .sensitivity = m, .period = m, .fall = epsilon, .half_width = std::floor((m - 1) / 3)};
      EXPECT_EQ(step_delta_bound(law, epsilon), 0);
      EXPECT_GT(step_delta_bound(law, std::nextafter(epsilon, 0)), 0);
      EXPECT_EQ(step_delta_bound(tulap_shape(epsilon, m), epsilon), 0);
      // A shift of m lowers the stair of all k >= -half_width by one.
      const double weaker = epsilon / 2;
      const double lowered = 1 - step_tail(law, law.half_width) / 2;
      const double expected = -std::expm1(weaker - epsilon) * lowered;
      EXPECT_NEAR(step_delta_bound(law, weaker) / expected, 1, 1e-12);
    }
  }
}

TEST(StepLaw, HoldsAtTheEndsOfTheRange) {
  for (const double m : {1.0, 0x1p20, 0x1p53}) {
    for (const double fall : {1e-6, 1.0, 1e7}) {
      StepLaw law{.sensitivity = m, .period = m, .fall = fall};
      law.half_width = std::floor((m - 1) / 4);
      law.dip = 0.9;
      for (const double cutoff : {m, 3 * m, 1e6 * m, kInfinity}) {
        law.cutoff = cutoff;
        const double mean = step_expected_abs(law), square = step_variance(law);
        EXPECT_GE(mean, 0);
        EXPECT_LE(mean * mean, square * (1 + 1e-12));
        const double bound = step_delta_bound(law, fall);
        EXPECT_GE(bound, 0);
        EXPECT_LE(bound, 1);
        EXPECT_GE(step_tail(law, 0), step_tail(law, 2 * m));
      }
    }
  }
  // Period 1: sums over 2^53 cells between the two landings.
  StepLaw law{.sensitivity = 0x1p53, .fall = 0x1p-53};
  // In the limit: Laplace noise of scale 1 at epsilon .5, delta = 1 - e^{(.5 - 1)/2}.
  EXPECT_NEAR(step_delta_bound(law, 0.5), -std::expm1(-0.25), 1e-12);
  EXPECT_NEAR(step_expected_abs(law) / 0x1p53, 1, 1e-12);
  EXPECT_NEAR(step_variance(law) / 0x1p107, 1, 1e-12);
  EXPECT_EQ(step_delta_bound(law, 1), 0);
}

TEST(StepLaw, RefusesWhatIsNoLaw) {
  const StepLaw good{.sensitivity = 8,
                     .period = 8,
                     .fall = 1,
                     .half_width = 2,
                     .dip = 0.9,
                     .cutoff = 30,
                     .edge = 0.5,
                     .atom = 0.01};
  EXPECT_NO_THROW(check_step_law(good));
  const auto refused = [&](auto change) {
    StepLaw law = good;
    change(law);
    try {
      check_step_law(law);
    } catch (const Error& e) {
      return e.code == ErrorCode::invalid_parameter;
    }
    return false;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double x : {0.0, -1.0, 1.5, 0x1p54, nan, kInfinity}) {
    EXPECT_TRUE(refused([x](StepLaw& law) { law.sensitivity = law.period = x; })) << x;
  }
  EXPECT_TRUE(refused([](StepLaw& law) { law.period = 4; }));
  for (const double x : {0.0, -1.0, 1e-30, 1e10, nan, kInfinity}) {
    EXPECT_TRUE(refused([x](StepLaw& law) { law.fall = x; })) << x;
  }
  for (const double x : {-1.0, 0.5, 4.0, nan, kInfinity}) {
    EXPECT_TRUE(refused([x](StepLaw& law) { law.half_width = x; })) << x;
  }
  for (const double x : {0.0, -1.0, 2.72, nan, kInfinity}) {
    EXPECT_TRUE(refused([x](StepLaw& law) { law.dip = x; })) << x;
  }
  for (const double x : {0.0, -1.0, 2.5, 0x1p101, nan}) {
    EXPECT_TRUE(refused([x](StepLaw& law) { law.cutoff = x; })) << x;
  }
  for (const double x : {0.0, -1.0, 1.5, nan}) {
    EXPECT_TRUE(refused([x](StepLaw& law) { law.edge = x; })) << x;
  }
  for (const double x : {-1.0, 1.0, nan}) {
    EXPECT_TRUE(refused([x](StepLaw& law) { law.atom = x; })) << x;
  }
  EXPECT_THROW(step_delta_bound(good, -1), Error);
  EXPECT_THROW(step_delta_bound(good, nan), Error);
  EXPECT_THROW(step_delta_at(good, 1, 9), Error);
  EXPECT_THROW(step_delta_at(good, 1, 0.5), Error);
  EXPECT_EQ(step_delta_at(good, 1, 0), 0);
}

}  // namespace
}  // namespace dpmix
