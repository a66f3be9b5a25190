#include "core/noise/gaussian/quasi.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "core/noise/gaussian/quasi_sampler.hpp"
#include "core/random/rounded_normal.hpp"
#include "statistical/goodness_of_fit.hpp"

namespace dpmix {
namespace {

using test::Edge;
using test::Moments;

constexpr double false_alarm = 1e-9;

// P(round(Z) >= k).
double rounded_tail(double sigma, double sensitivity, double weight_epsilon, double k) {
  const QuasiGaussian unit{sigma / sensitivity, weight_epsilon};
  return quasi_cdf(unit, -(k - .5) / sensitivity);
}

double p_value_of(double claimed_sigma, double sigma, double sensitivity, double weight_epsilon,
                  std::uint64_t trials) {
  const auto tail = [&](double k) {
    return rounded_tail(claimed_sigma, sensitivity, weight_epsilon, k);
  };
  const double reach = sensitivity + 12 * sigma + 2;
  Moments moments{0, 0, 0};
  std::vector<Edge> edges;
  const double stride = std::ceil(reach / 400);
  for (double k = -std::ceil(reach); k <= reach; ++k) {
    const double p = k > 0 ? tail(k) - tail(k + 1) : tail(-k) - tail(-k + 1);
    moments.variance += p * k * k;
    moments.fourth_central += p * k * k * k * k;
    const double above = k > 0 ? tail(k) : 1 - tail(1 - k),
                 below = k > 0 ? 1 - tail(k) : tail(1 - k);
    if (std::fmod(k, stride) == 0 && std::min(above, below) > 1e-8)
      edges.push_back({k, below, above});
  }
  RandomStream random({7});
  return test::fit_p_value(trials, edges, moments, [&] {
    return static_cast<double>(draw_quasi(random, sigma, sensitivity, weight_epsilon));
  });
}

TEST(QuasiGaussianDraws, FollowTheRoundedLaw) {
  const struct {
    double sigma, sensitivity, weight_epsilon;
  } laws[] = {{.7, 1, 0},   {.39225, 1, 2}, {3.5, 2, .5},        {.2, 1, .3},
              {30, 10, .1}, {2.5, 7, 1},    {700.25, 1000, .01}, {1.3, 1, 20}};
  for (const auto& [sigma, sensitivity, weight_epsilon] : laws) {
    EXPECT_GT(p_value_of(sigma, sigma, sensitivity, weight_epsilon, test::draws(1'000'000)),
              false_alarm)
        << sigma << " " << sensitivity << " " << weight_epsilon;
  }
}

// These tests would notice a deviation 1% off, and sides that are folded instead of rejected.
TEST(QuasiGaussianDraws, FitRejectsOtherLaws) {
  EXPECT_LT(p_value_of(.7 * 1.01, .7, 1, 0, 1'000'000), false_alarm);
  EXPECT_LT(p_value_of(700.25 * .99, 700.25, 1000, .01, 1'000'000), false_alarm);
  const double sigma = 3.5, sensitivity = 2, weight_epsilon = .5;
  const auto tail = [&](double k) { return rounded_tail(sigma, sensitivity, weight_epsilon, k); };
  RandomStream random({8});
  std::uint64_t zeros = 0;
  const std::uint64_t trials = 1'000'000;
  const auto side = [&] {
    const Int128 drawn = 2 + rounded_normal(random, sigma);
    return drawn < 0 ? -drawn : drawn;
  };
  const double centre = 1 / (1 + 2 * std::exp(-weight_epsilon));
  for (std::uint64_t i = 0; i < trials; ++i) {
    const bool is_centre = static_cast<double>(random.next64()) < centre * 0x1p64;
    zeros += (is_centre ? rounded_normal(random, sigma) : side()) == 0;
  }
  EXPECT_LT(test::binomial_p_value(trials, 1 - 2 * tail(1), zeros), false_alarm);
}

TEST(QuasiGaussianDraws, FlooredNormal) {
  for (const double sigma : {.3, 1.0, 7.77, 0x1.3p45}) {
    for (const int digit_bits : {1, 3, 64}) {
      std::vector<Edge> edges;
      const double stride = std::ceil(sigma / 8);
      for (double k = -48 * stride; k <= 48 * stride; k += stride) {
        const double above = std::erfc(k / sigma / std::sqrt(2)) / 2;
        const double below = std::erfc(-k / sigma / std::sqrt(2)) / 2;
        if (std::min(above, below) > 1e-8) edges.push_back({k, below, above});
      }
      // Of floor(sigma N) + 1/2, which is symmetric; by sums where it is coarse.
      Moments moments{0, sigma * sigma + 1. / 12,
                      3 * std::pow(sigma, 4) + sigma * sigma / 2 + 1. / 80};
      if (sigma < 10) {
        moments = {0, 0, 0};
        for (double k = 0; k < 40 * sigma + 40; ++k) {
          const double p =
              std::erfc(k / sigma / std::sqrt(2)) - std::erfc((k + 1) / sigma / std::sqrt(2));
          moments.variance += p * std::pow(k + .5, 2);
          moments.fourth_central += p * std::pow(k + .5, 4);
        }
      }
      for (Edge& edge : edges) edge.at += .5;
      RandomStream random({9, static_cast<std::uint8_t>(digit_bits)});
      const RoundedNormal floored(sigma, Rounding::down, digit_bits);
      const auto draw = [&] { return static_cast<double>(floored(random)) + .5; };
      EXPECT_GT(test::fit_p_value(test::draws(300'000), edges, moments, draw), false_alarm)
          << sigma << " " << digit_bits;
    }
  }
}

}  // namespace
}  // namespace dpmix
