#include "core/accounting/losses/loss_of_curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "core/accounting/losses/loss_composition.hpp"
#include "core/accounting/losses/loss_of_noise.hpp"
#include "core/base/error.hpp"
#include "core/noise/calibration.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/noise/privacy_curve.hpp"
#include "core/noise/step_family.hpp"

namespace dpmix {
namespace {

// delta of the masses themselves, also below epsilon 0, in long double.
long double delta_of(const LossDistribution& loss, long double epsilon) {
  long double sum = loss.infinite;
  for (std::size_t i = 0; i < loss.mass.size(); ++i) {
    const long double l =
        static_cast<long double>(loss.first + static_cast<std::int64_t>(i)) * loss.step;
    if (l > epsilon) sum -= loss.mass[i] * std::expm1(epsilon - l);
  }
  return sum;
}

// The curve, mirrored below 0.
long double mirrored(const std::function<double(double)>& delta, double epsilon) {
  if (epsilon >= 0) return delta(epsilon);
  return -std::expm1((long double){epsilon}) + std::exp((long double){epsilon}) * delta(-epsilon);
}

// One direction's curve over epsilon >= 0 and its mirror image below: never beneath the truth, and
// little above the masses that it was made of.
TEST(LossOfCurve, BothOrdersKeepTheCurveOfOne) {
  for (double rate : {.01, .3, 1.}) {
    for (double mu : {.1, 1., 4.}) {
      const LossDistribution one =
          loss_of_subsampled_gaussian(rate, mu, Direction::with_record, 0x1p-8, 1e-20);
      const LossDistribution both = loss_of_both_orders(one);
      for (double epsilon : {0., .01, .3, 1., 2.5, 7.}) {
        const long double there = delta_of(one, epsilon);
        EXPECT_GE(delta_of(both, epsilon), there * (1 - 1e-17L));
        EXPECT_LE(delta_of(both, epsilon), there * (1 + 1e-12L));
        const long double mirror =
            -std::expm1((long double){-epsilon}) + std::exp((long double){-epsilon}) * there;
        EXPECT_GE(delta_of(both, -epsilon), mirror * (1 - 1e-17L)) << rate << mu << epsilon;
        EXPECT_LE(delta_of(both, -epsilon), mirror * (1 + 1e-9L));
      }
    }
  }
  // Whatever is below 0 does not count; nothing may be there at all.
  EXPECT_EQ(loss_of_both_orders({.5, -3, {.5, .5}, 0}).mass, std::vector<double>{1 + 0x1p-48});
}

TEST(LossOfCurve, LiesAboveTheCurveEverywhereAndCloseToIt) {
  for (double mu : {0.05, 0.7, 3.0}) {
    const auto curve = [&](double epsilon) { return gdp_delta(epsilon, mu); };
    const double step = mu < 0.1 ? 0x1p-13 : 0x1p-10;
    const LossDistribution loss = loss_of_curve(curve, step, 1e-20);
    for (double z = -6; z < 8; z += 0.37) {
      const double epsilon = z * mu;
      const long double truth = mirrored(curve, epsilon);
      if (truth < 1e-15L) continue;
      const long double found = delta_of(loss, epsilon);
      EXPECT_GE(found, truth * (1 - 1e-14L)) << mu << " " << epsilon;
      EXPECT_LE(found, truth * (1 + 1e-3L) + 1e-19L) << mu << " " << epsilon;
    }
  }
}

// A plan of Gaussians, each known by its curve alone.
TEST(LossOfCurve, ComposesAsTheLawDoes) {
  const double mu = 0.3;
  for (int times : {1, 7, 100}) {
    LossComposition plan;
    plan.add(loss_of_curve([&](double epsilon) { return gdp_delta(epsilon, mu); }, 0x1p-11, 1e-20),
             times);
    for (double delta : {0.1, 1e-4, 1e-8, 1e-12}) {
      const double together = mu * std::sqrt(times), epsilon = plan.epsilon(delta);
      if (epsilon == 0) continue;
      const double truth = gdp_delta(epsilon, together);
      EXPECT_LE(truth, delta * (1 + 1e-12));
      EXPECT_GE(truth, delta * (1 - 2e-3)) << times << " " << delta;
    }
  }
}

// Bounds that jump up and down by a share are still bounds, and the convex curve evens them out.
TEST(LossOfCurve, LooseBoundsStayBounds) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto truth = [](double epsilon) { return gdp_delta(epsilon, 1); };
  for (double looseness : {1e-12, 1e-4, 0.3}) {
    std::vector<CurvePoint> points;
    for (std::int64_t i = 0; i <= 8192; i += 1 + static_cast<std::int64_t>(8 * uniform(random))) {
      const double above =
          truth(static_cast<double>(i) * 0x1p-10) * (1 + looseness * uniform(random));
      points.push_back({i, std::min(1.0, above)});
    }
    const LossDistribution loss = loss_of_curve(points, 0x1p-10);
    long double sum = loss.infinite;
    for (double mass : loss.mass) sum += mass;
    EXPECT_GE(sum, 1 - 1e-15L);
    EXPECT_LE(sum, 1 + 1e-9L);
    for (double epsilon = -8; epsilon < 8; epsilon += 0.0137) {
      const long double least = mirrored(truth, epsilon), found = delta_of(loss, epsilon);
      EXPECT_GE(found, least * (1 - 1e-14L)) << looseness << " " << epsilon;
      if (epsilon < 0) continue;
      EXPECT_LE(found, least * (1 + looseness + 1e-3L) + 1e-9L) << looseness << " " << epsilon;
    }
  }
}

TEST(LossOfCurve, OfAGuaranteeAloneIsTheGuarantee) {
  // delta(0) of an (epsilon, delta)-DP pair is the mirrored chord: (width + 2 delta) / (width + 2).
  const LossDistribution loss = loss_of_curve({{0, 1}, {1024, 1e-3}}, 0x1p-10);
  const LossDistribution known = loss_of_guarantee(1, 1e-3, 0x1p-10);
  for (double epsilon : {0.0, 0.3, 0.9, 1.0, 2.0}) {
    EXPECT_NEAR(static_cast<double>(delta_of(loss, epsilon) / delta_of(known, epsilon)), 1, 1e-6);
  }
}

TEST(LossOfCurve, RefusesWhatIsNoCurve) {
  EXPECT_THROW(loss_of_curve(std::vector<CurvePoint>{}, 0x1p-10), Error);
  EXPECT_THROW(loss_of_curve({{1, .5}}, 0x1p-10), Error);
  EXPECT_THROW(loss_of_curve({{0, .5}, {0, .4}}, 0x1p-10), Error);
  EXPECT_THROW(loss_of_curve({{0, .5}, {3, -.1}}, 0x1p-10), Error);
  EXPECT_THROW(loss_of_curve({{0, 1.5}}, 0x1p-10), Error);
  EXPECT_THROW(loss_of_curve({{0, std::numeric_limits<double>::quiet_NaN()}}, 0x1p-10), Error);
  EXPECT_THROW(loss_of_curve({{0, .5}, {513, .4}}, 1), Error);
  EXPECT_THROW(loss_of_curve({{0, .5}}, .3), Error);
  EXPECT_THROW(loss_of_curve([](double) { return .5; }, 0x1p-10, 0), Error);
}

// Every family: no shift of the law, no matter on which side of 0 epsilon lies, shows more than the
// loss distribution says; at the worst one it is close.
TEST(LossOfNoise, IsAboveEveryShiftOfEveryFamily) {
  for (Family family : kFamilies) {
    const bool lattice = family == Family::laplace;
    const double sensitivity = lattice ? 64 : 1;
    const auto components = family == Family::multi_gaussian ? std::optional(2) : std::nullopt;
    const NoiseLaw law = calibrate(family, 1.5, 1e-3, sensitivity, components).law;
    const LossDistribution loss = loss_of_noise(law, 0x1p-9, 1e-16);
    for (double epsilon : {0.0, 0.3, 0.9, 1.4, 1.6, 3.0}) {
      const double found = static_cast<double>(delta_of(loss, epsilon));
      double worst = 0;
      for (int i = 0; i <= 16; ++i) {
        const double at = delta_at(law, epsilon, sensitivity * i / 16);
        EXPECT_GE(found, at * (1 - 1e-11)) << name(family) << " " << epsilon << " " << i;
        worst = std::max(worst, at);
      }
      EXPECT_LE(found, worst * 1.02 + 1e-3 * worst + 1e-12) << name(family) << " " << epsilon;
    }
  }
}

}  // namespace
}  // namespace dpmix
