#include "core/query/noise_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/noise/calibration.hpp"
#include "core/noise/steps/moments.hpp"

namespace dpmix {
namespace {

// P(|noise| <= k), from quantiles, which family_noise_test.cpp compares with direct sums.
double mass(const NoiseLaw& law, int k) {
  // From distribution functions: independent of what NoiseSum uses.
  if (is_step(law.family))
    return (step_tail(law.steps, std::abs(k) - 1) - step_tail(law.steps, std::abs(k))) /
           (k == 0 ? 1 : 2);
  if (law.family == Family::laplace) {
    const double q = std::exp(-1 / law.scale);
    return (1 - q) / (1 + q) * std::pow(q, std::abs(k));
  }
  return cdf(law, k + 0.5) - cdf(law, k - 0.5);
}

// The law of the sum, weights being multiples of 1/4: by exact convolution.
double tail_beyond(const std::vector<NoiseLaw>& laws, const std::vector<NoiseTerm>& terms,
                   double reach) {
  constexpr int kSpan = 400;
  std::vector<double> sum(2 * 4 * kSpan * 4 + 1);
  const int zero = 4 * kSpan * 4;
  sum[static_cast<std::size_t>(zero)] = 1;
  for (const NoiseTerm& term : terms) {
    const int quarters = static_cast<int>(std::lround(4 * term.weight));
    for (int n = 0; n < term.count; ++n) {
      std::vector<double> next(sum.size());
      for (int k = -60; k <= 60; ++k) {
        const double chance = mass(laws[static_cast<std::size_t>(term.law)], k);
        if (chance < 1e-15) continue;
        for (int i = 0; i < static_cast<int>(sum.size()); ++i) {
          const int to = i + k * quarters;
          if (to >= 0 && to < static_cast<int>(sum.size())) {
            next[static_cast<std::size_t>(to)] += chance * sum[static_cast<std::size_t>(i)];
          }
        }
      }
      sum = next;
    }
  }
  double tail = 0;
  for (int i = 0; i < static_cast<int>(sum.size()); ++i) {
    if ((i - zero) / 4.0 > reach + 1e-9) tail += sum[static_cast<std::size_t>(i)];
  }
  return tail;
}

// The least r with P(sum > r) <= chance.
double exact_reach(const std::vector<NoiseLaw>& laws, const std::vector<NoiseTerm>& terms,
                   double chance) {
  double low = -1, high = 200;  // in quarters
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (tail_beyond(laws, terms, middle / 4) <= chance ? high : low) = middle;
  }
  return high / 4;
}

const std::vector<NoiseTerm> kTerms = {{0, 1, 2}, {0, -0.5, 3}, {1, 0.75, 2}, {1, 0.25, 5}};

TEST(NoiseSum, TailsAreNotAboveWhatIsClaimed) {
  const NoiseLaw gaussian = {.family = Family::gaussian, .sensitivity = 1, .scale = 2.4};
  const NoiseLaw small = {.family = Family::gaussian, .sensitivity = 1, .scale = 0.4};
  const NoiseLaw geometric = {.family = Family::laplace, .sensitivity = 1, .scale = 1.5};
  const NoiseLaw mixture = {Family::multi_gaussian, 2, 1.1, 2, 0.8};
  const NoiseLaw steps = calibrate_on_lattice(Family::optimal, 1, 1e-4, 1, std::nullopt).law;
  for (const std::vector<NoiseLaw>& laws : {std::vector{gaussian, gaussian},
                                            {gaussian, small},
                                            {small, small},
                                            {geometric, geometric},
                                            {geometric, gaussian},
                                            {mixture, mixture},
                                            {steps, steps}}) {
    for (double tail : {0.25, 0.025, 1e-3}) {
      const std::vector tails = {tail * 2, tail};
      const NoiseSum noise(laws, 40, tails);
      const double reach = noise.reach(kTerms, 1);
      EXPECT_LE(noise.reach(kTerms, 0), reach);
      const double left = tail_beyond(laws, kTerms, reach);
      EXPECT_LE(left, tail * (1 + 1e-9)) << name(laws[0].family) << " " << tail << " " << reach;
      EXPECT_LE(reach, 1.03 * exact_reach(laws, kTerms, 0.9 * tail))
          << name(laws[0].family) << " " << tail << " " << reach;
    }
  }
}

TEST(NoiseSum, WideGaussianSumsReachAsFarAsNormalOnes) {
  const NoiseLaw law = {.family = Family::gaussian, .sensitivity = 1, .scale = 500};
  const std::vector<NoiseLaw> laws = {law, law};
  double norm = 0;
  for (const NoiseTerm& term : kTerms) norm += term.count * term.weight * term.weight;
  const double exact = 1.959963984540054 * 500 * std::sqrt(norm);
  const double reach = NoiseSum(laws, 12, std::vector{0.025}).reach(kTerms, 0);
  EXPECT_GT(reach, exact);
  EXPECT_LT(reach, exact * 1.02);
}

// Against the law of the sum of two: by adding up over one.
TEST(NoiseSum, WideNoiseIsCoarsened) {
  const NoiseLaw law = {.family = Family::laplace, .sensitivity = 1, .scale = 3000};
  const NoiseSum noise(std::vector{law}, 2, std::vector{0.025});
  const double reach = noise.reach(std::vector<NoiseTerm>{{0, 1, 2}}, 0);
  // P(A + B > r) of two Laplace variables is e^-x (2 + x) / 4, x = r / scale.
  const double x = reach / 3000, left = std::exp(-x) * (2 + x) / 4;
  EXPECT_LE(left, 0.025);
  EXPECT_GT(left, 0.025 * 0.9);
}

TEST(NoiseSum, FarTailsAreBoundedToo) {
  const NoiseLaw law = {.family = Family::gaussian, .sensitivity = 1, .scale = 2.4};
  for (const double tail : {1e-6, 1e-10}) {
    const double reach = NoiseSum(std::vector{law, law}, 12, std::vector{tail}).reach(kTerms, 0);
    const double left = tail_beyond({law, law}, kTerms, reach);
    EXPECT_LE(left, tail);
    EXPECT_GT(left, tail / (tail < 1e-8 ? 50 : 1.5));  // the inversion is no finer than 1e-8
  }
}

TEST(NoiseSum, NoiseThatIsHardlyEverThereReachesNowhere) {
  const NoiseLaw law = {.family = Family::laplace, .sensitivity = 1, .scale = 0.01};
  EXPECT_EQ(NoiseSum(std::vector{law, law}, 5000, std::vector{0.025}).reach(kTerms, 0), 0);
  EXPECT_GT(NoiseSum(std::vector{law, law}, 5000, std::vector{1e-44}).reach(kTerms, 0), 0);
}

}  // namespace
}  // namespace dpmix
