#include "core/noise/law.hpp"

#include <cmath>
#include <map>
#include <string>

#include <boost/math/distributions/chi_squared.hpp>
#include <gtest/gtest.h>

#include "core/noise/lattice_moments.hpp"
#include "core/noise/sampler.hpp"

namespace dpmix {
namespace {

const NoiseLaw kGaussian{.family = Family::gaussian, .sensitivity = 2, .scale = 1.7};
const NoiseLaw kMulti{Family::multi_gaussian, 2, 0.9, 3, 0.8};
const NoiseLaw kQuasi{
    .family = Family::quasi_gaussian, .sensitivity = 2, .scale = 0.9, .weight_epsilon = 0.8};
const NoiseLaw kLaplace{.family = Family::laplace, .sensitivity = 2, .scale = 1.3};

TEST(NoiseLaw, NamesGoBothWays) {
  for (Family family : {Family::gaussian, Family::multi_gaussian, Family::laplace}) {
    EXPECT_EQ(family_of(name(family)), family);
  }
  EXPECT_EQ(family_of("cauchy"), std::nullopt);
}

TEST(NoiseLaw, MomentsAreThoseOfTheCdf) {
  for (const NoiseLaw& law : {kGaussian, kMulti, kQuasi, kLaplace}) {
    const double h = 1e-3, reach = 50;
    double absolute = 0, squares = 0;
    for (double z = h / 2; z < reach; z += h) {  // int P(|Z| > z), int 2z P(|Z| > z)
      const double tail = cdf(law, -z) + 1 - cdf(law, z);
      absolute += h * tail;
      squares += h * 2 * z * tail;
    }
    EXPECT_NEAR(expected_abs(law), absolute, 1e-6) << name(law.family);
    EXPECT_NEAR(variance(law), squares, 1e-6) << name(law.family);
    EXPECT_DOUBLE_EQ(cdf(law, 0), 0.5);
  }
}

double cell(const NoiseLaw& law, double k, double step) {
  if (law.family == Family::laplace) {
    const double q = std::exp(-step / law.scale);
    return (1 - q) / (1 + q) * std::pow(q, std::fabs(k));
  }
  // The left tail, where nothing cancels; the law is symmetric.
  const double a = -std::fabs(k) * step;
  return k == 0 ? 1 - 2 * cdf(law, -step / 2) : cdf(law, a + step / 2) - cdf(law, a - step / 2);
}

TEST(LatticeMoments, AreThoseOfTheRoundedLawAcrossTheAsymptotics) {
  for (const NoiseLaw& law : {kGaussian, kMulti, kQuasi, kLaplace}) {
    // Both sides of 64 steps to the scale.
    for (double step : {2.0, 1.0, 0.5, 0.125, 1.0 / 64, 1.0 / 128}) {
      double absolute = 0, squares = 0, within = 0, quantile = -1;
      for (double k = 0; k * step < 60; ++k) {
        const double p = (k == 0 ? 1 : 2) * cell(law, k, step);
        absolute += p * k * step;
        squares += p * k * step * k * step;
        within += p;
        if (quantile < 0 && within >= 0.95) quantile = k * step;
      }
      const LatticeMoments moments = lattice_moments(law, step);
      const std::string where = std::string(name(law.family)) + " " + std::to_string(step);
      EXPECT_NEAR(moments.expected_abs / absolute, 1, 1e-9) << where;
      EXPECT_NEAR(moments.stddev / std::sqrt(squares), 1, 1e-9) << where;
      EXPECT_DOUBLE_EQ(lattice_quantile(law, step, 0.95), quantile) << where;
    }
  }
}

TEST(LatticeMoments, AcceptsScalesFarBelowAndAboveTheStep) {
  const LatticeMoments none = lattice_moments({.scale = 1e-3}, 1);
  EXPECT_EQ(none.expected_abs, 0);
  EXPECT_EQ(lattice_quantile({.scale = 1e-3}, 1, 0.95), 0);
  // Atoms at 0 and +-1.
  const LatticeMoments atoms =
      lattice_moments({.family = Family::quasi_gaussian, .scale = 1e-3, .weight_epsilon = 2}, 1);
  EXPECT_DOUBLE_EQ(atoms.expected_abs, 2 / (std::exp(2) + 2));
  EXPECT_DOUBLE_EQ(atoms.stddev, std::sqrt(2 / (std::exp(2) + 2)));
  const LatticeMoments wide = lattice_moments({.scale = 1e12}, 1e-6);
  EXPECT_NEAR(wide.stddev / 1e12, 1, 1e-12);
  EXPECT_NEAR(lattice_quantile({.scale = 1e12}, 1e-6, 0.95) / 1e12, 1.959963984540054, 1e-9);
}

// Noise that is added to u, which lies anywhere, and rounded with it.
TEST(LatticeMoments, CountRoundingOfNumbersThatLieAnywhere) {
  for (const double scale : {.06, .3, 2.}) {
    const NoiseLaw law = {.family = Family::laplace, .scale = scale};
    double squares = 0;
    constexpr int kOffsets = 1000;
    for (int i = 0; i < kOffsets; ++i) {
      const double u = (i + .5) / kOffsets;
      for (int k = -100; k <= 100; ++k) {
        squares += (k - u) * (k - u) * (cdf(law, k + .5 - u) - cdf(law, k - .5 - u)) / kOffsets;
      }
    }
    EXPECT_NEAR(moments_with_rounding(law, 1).stddev / std::sqrt(squares), 1, 1e-5) << scale;
  }
}

// Chi-square of draws against the exact probabilities; false-alarm rate 1e-9.
void expect_law(const NoiseLaw& law, int draws) {
  RandomStream::Key key{};
  key[0] = 42;
  RandomStream random(key);
  const NoiseSampler draw(law);
  std::map<long, int> counts;
  for (int i = 0; i < draws; ++i) ++counts[static_cast<long>(draw(random))];
  double statistic = 0, rest = draws;
  int cells = 0, rest_count = draws;
  for (long k = -200; k <= 200; ++k) {
    const double expected = draws * cell(law, static_cast<double>(k), 1);
    if (expected < 10) continue;
    statistic += std::pow(counts[k] - expected, 2) / expected;
    rest -= expected;
    rest_count -= counts[k];
    ++cells;
  }
  if (rest > 10) statistic += std::pow(rest_count - rest, 2) / rest, ++cells;
  const boost::math::chi_squared reference(cells - 1);
  EXPECT_GT(boost::math::cdf(boost::math::complement(reference, statistic)), 1e-9)
      << name(law.family) << " " << law.scale;
}

TEST(Draw, FollowsTheRoundedLaw) {
  expect_law({.family = Family::gaussian, .scale = 0.4}, 30'000);
  expect_law({.family = Family::gaussian, .scale = 7.3}, 30'000);
  expect_law({Family::multi_gaussian, 5, 1.4, 3, 0.5}, 30'000);
  expect_law({Family::multi_gaussian, 1, 0.3, 10, 2}, 30'000);
  const auto quasi = [](double sensitivity, double scale, double weight_epsilon) {
    return NoiseLaw{.family = Family::quasi_gaussian,
                    .sensitivity = sensitivity,
                    .scale = scale,
                    .weight_epsilon = weight_epsilon};
  };
  expect_law(quasi(1, 0.7, 0.2), 30'000);
  expect_law(quasi(5, 1.4, 0.5), 30'000);
  expect_law({.family = Family::laplace, .sensitivity = 3, .scale = 2.5}, 30'000);
  expect_law({.family = Family::laplace, .sensitivity = 1, .scale = 0.3}, 30'000);
}

}  // namespace
}  // namespace dpmix
