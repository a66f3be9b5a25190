// The samplers of core/random against their exact laws. A right sampler fails any one of these with
// probability at most 1e-9; keys are fixed. DPMIX_SOAK=1 draws 10 times as much.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "core/noise/sampler.hpp"
#include "core/random/bernoulli_exp.hpp"
#include "core/random/geometric.hpp"
#include "core/random/normal_point.hpp"
#include "core/random/rounded_normal.hpp"
#include "core/random/stream.hpp"
#include "statistical/goodness_of_fit.hpp"

namespace dpmix {
namespace {

using test::Edge;
using test::fit_p_value;
using test::Moments;

constexpr double false_alarm = 1e-9;

// Tail masses of the edges: e.g. 10 draws of a million lie beyond 1e-5.
const std::vector<double> tails = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, .03, .06,
                                   .1,   .15,  .2,   .25,  .3,   .35,  .4,   .45, .5};

// Integer edges k at which P(X >= k) comes close to each of `tails`, from both sides of a symmetric
// law; or every integer, when there are few.
template <class UpperTail>
std::vector<Edge> symmetric_edges(const UpperTail& upper_tail, double scale) {
  std::vector<double> at;
  if (scale < 20) {
    for (double k = 1; upper_tail(k) > 1e-9; ++k) at.push_back(k);
    if (at.empty()) at.push_back(1);
  } else {
    for (auto tail = tails.rbegin(); tail != tails.rend(); ++tail) {
      double low = 0, high = 1;
      while (upper_tail(high) > *tail) high *= 2;
      while (high - low > 1 && high - low > 1e-9 * high) {
        const double middle = std::floor((low + high) / 2);
        (upper_tail(middle) > *tail ? low : high) = middle;
      }
      if (high > (at.empty() ? 0 : at.back())) at.push_back(high);
    }
  }
  std::vector<Edge> edges;
  for (auto k = at.rbegin(); k != at.rend(); ++k) {  // X < 1 - k is -X >= k
    edges.push_back({1 - *k, upper_tail(*k), 1 - upper_tail(*k)});
  }
  for (const double k : at) edges.push_back({k, 1 - upper_tail(k), upper_tail(k)});
  return edges;
}

// Moments of a symmetric integer law of small scale, by summation.
template <class UpperTail>
Moments symmetric_moments(const UpperTail& upper_tail, double limit) {
  Moments m{0, 0, 0};
  for (double k = 1; k < limit; ++k) {
    const double p = 2 * (upper_tail(k) - upper_tail(k + 1));
    m.variance += p * k * k;
    m.fourth_central += p * k * k * k * k;
  }
  return m;
}

template <class Draw>
double normal_p_value_of_draws(double claimed_sigma, std::uint64_t trials, const Draw& draw) {
  const auto upper_tail = [claimed_sigma](double k) {
    return std::erfc((k - .5) / claimed_sigma / std::sqrt(2)) / 2;
  };
  // Above scale 100, rounding to integers adds 1/12 to the variance up to a factor e^-2000.
  const double v = claimed_sigma * claimed_sigma;
  const Moments moments = claimed_sigma < 100
                              ? symmetric_moments(upper_tail, 40 * claimed_sigma + 40)
                              : Moments{0, v + 1. / 12, 3 * v * v + v / 2 + 1. / 80};
  return fit_p_value(trials, symmetric_edges(upper_tail, claimed_sigma), moments, draw);
}

double normal_p_value_of(double claimed_sigma, double sigma, int digit_bits, std::uint64_t trials) {
  RandomStream random({1, static_cast<std::uint8_t>(digit_bits)});
  const RoundedNormal normal(sigma, Rounding::nearest, digit_bits);
  return normal_p_value_of_draws(claimed_sigma, trials,
                                 [&] { return static_cast<double>(normal(random)); });
}

TEST(Samplers, RoundedNormal) {
  for (const double sigma : {.1, .4, 3.731, 1000.5, 0x1.3p45, 0x1p90}) {
    EXPECT_GT(normal_p_value_of(sigma, sigma, 64, test::draws(10'000'000)), false_alarm) << sigma;
  }
}

// The sampler works in strips of 1/64 of the deviation: 64 steps of this lattice.
TEST(Samplers, RoundedNormalWithinTheStrips) {
  constexpr double sigma = 4096;
  const auto cdf = [](double x) { return std::erfc(-x / sigma / std::sqrt(2)) / 2; };
  std::vector<double> probability(64);
  for (int k = -40000; k <= 40000; ++k) {
    const double below = -std::abs(k);
    probability[static_cast<std::size_t>(std::abs(k) % 64)] += cdf(below + .5) - cdf(below - .5);
  }
  RandomStream random({8});
  const RoundedNormal normal(sigma);
  const std::uint64_t trials = test::draws(10'000'000);
  std::vector<std::uint64_t> count(64);
  for (std::uint64_t i = 0; i < trials; ++i) {
    ++count[static_cast<std::size_t>(std::abs(static_cast<long>(normal(random))) % 64)];
  }
  EXPECT_GT(test::chi_square_p_value(trials, probability, count), false_alarm);
  // The slope of the curve within a strip is seen: were it flat, the test would notice.
  for (double& p : probability) p = 1. / 64;
  EXPECT_LT(test::chi_square_p_value(trials, probability, count), false_alarm);
}

// Ties and undecided roundings, rare with 64-bit digits, are everywhere with these.
TEST(Samplers, RoundedNormalWithShortDigits) {
  for (const double sigma : {.5, 3.731, 0x1.3p45}) {
    for (const int digit_bits : {1, 3}) {
      EXPECT_GT(normal_p_value_of(sigma, sigma, digit_bits, test::draws(300'000)), false_alarm)
          << sigma << " " << digit_bits;
    }
  }
}

// These tests would notice: a deviation 1% off, a normal rounded down, a discrete Gaussian.
TEST(Samplers, FitRejectsOtherLaws) {
  EXPECT_LT(normal_p_value_of(3.731 * 1.01, 3.731, 64, 1'000'000), false_alarm);
  EXPECT_LT(normal_p_value_of(1000.5 * .99, 1000.5, 64, 1'000'000), false_alarm);
  const auto rounded_tail = [](double k) { return std::erfc((k - .5) / .5 / std::sqrt(2)) / 2; };
  double total = 0;
  for (int k = -20; k <= 20; ++k) total += std::exp(-2. * k * k);
  const auto discrete_tail = [total](double k) {
    double sum = 0;
    for (; k < 20; ++k) sum += std::exp(-2 * k * k);
    return sum / total;
  };
  const auto p_value = [](const auto& upper_tail) {
    RandomStream random({2});
    const RoundedNormal normal(.5);
    return fit_p_value(1'000'000, symmetric_edges(upper_tail, .5),
                       symmetric_moments(upper_tail, 20),
                       [&] { return static_cast<double>(normal(random)); });
  };
  EXPECT_GT(p_value(rounded_tail), false_alarm);
  EXPECT_LT(p_value(discrete_tail), false_alarm);
}

// Where sigma exceeds the first 64 digits, the digits that follow fill the low bits.
TEST(Samplers, RoundedNormalLowBitsAreUniform) {
  RandomStream random({3});
  for (const double sigma : {0x1p20, 0x1.8p66, 0x1p90}) {
    const std::uint64_t trials = test::draws(300'000);
    std::vector<std::uint64_t> count(256);
    for (std::uint64_t i = 0; i < trials; ++i) {
      ++count[static_cast<std::size_t>(rounded_normal(random, sigma) & 255)];
    }
    const std::vector<double> flat(256, 1. / 256);
    EXPECT_GT(test::chi_square_p_value(trials, flat, count), false_alarm) << sigma;
  }
}

// Two integers of one normal number: round(sigma A) and round(part A + rest B).
struct Shared {
  double sigma, part, rest;
};

std::pair<double, double> draw_shared(RandomStream& random, const Shared& of, int digit_bits) {
  NormalPoint a = normal_point(random, digit_bits), b = normal_point(random, digit_bits);
  const NormalTerm alone = {of.sigma, &a};
  const std::array sum = {NormalTerm{of.part, &a}, NormalTerm{of.rest, &b}};
  const auto first = static_cast<double>(rounded_sum(random, {&alone, 1}));
  return {first, static_cast<double>(rounded_sum(random, sum))};
}

// Of both integers, by Simpson's rule over the first number.
double shared_mass(const Shared& of, int first, int second) {
  constexpr int steps = 128;
  const auto cdf = [](double x) { return std::erfc(-x / std::sqrt(2)) / 2; };
  const auto at = [&](double z) {  // sigma A = z
    const double mean = of.part / of.sigma * z;
    return std::exp(-z * z / (2 * of.sigma * of.sigma)) / (of.sigma * std::sqrt(2 * M_PI)) *
           (cdf((second + .5 - mean) / of.rest) - cdf((second - .5 - mean) / of.rest));
  };
  double sum = 0;
  for (int i = 0; i <= steps; ++i) {
    const double weight = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;
    sum += weight * at(first - .5 + static_cast<double>(i) / steps);
  }
  return sum / (3. * steps);
}

double shared_p_value(const Shared& claimed, const Shared& of, int digit_bits,
                      std::uint64_t trials) {
  constexpr int reach = 12, side = 2 * reach + 1;
  std::vector<double> probability(side * side + 1);
  std::vector<std::uint64_t> count(probability.size());
  double rest = 1;
  for (int i = 0; i < side * side; ++i) {
    probability[static_cast<std::size_t>(i)] =
        shared_mass(claimed, i / side - reach, i % side - reach);
    rest -= probability[static_cast<std::size_t>(i)];
  }
  probability.back() = std::max(rest, 0.);
  RandomStream random({9, static_cast<std::uint8_t>(digit_bits)});
  for (std::uint64_t i = 0; i < trials; ++i) {
    const auto [first, second] = draw_shared(random, of, digit_bits);
    const bool near = std::abs(first) <= reach && std::abs(second) <= reach;
    const double cell = near ? (first + reach) * side + second + reach : side * side;
    ++count[static_cast<std::size_t>(cell)];
  }
  return test::chi_square_p_value(trials, probability, count);
}

TEST(Samplers, IntegersOfSharedNormals) {
  for (const Shared& of : {Shared{.6, .6, .8}, Shared{2, 2, 1.5}, Shared{1.3, .65, .9}}) {
    EXPECT_GT(shared_p_value(of, of, 64, test::draws(3'000'000)), false_alarm) << of.sigma;
    EXPECT_GT(shared_p_value(of, of, 3, test::draws(200'000)), false_alarm) << of.sigma;
  }
  // Each on its own is a normal number that was rounded once, tails included.
  for (const Shared& of : {Shared{.4, .4, .3}, Shared{4, 4, 3}, Shared{0x1p60, 0x1p59, 0x1.8p60}}) {
    for (const bool sum : {false, true}) {
      RandomStream random({10});
      EXPECT_GT(normal_p_value_of_draws(sum ? std::hypot(of.part, of.rest) : of.sigma,
                                        test::draws(2'000'000),
                                        [&] {
                                          const auto [first, second] = draw_shared(random, of, 64);
                                          return sum ? second : first;
                                        }),
                false_alarm)
          << of.sigma << " " << sum;
    }
  }
  // It would notice a count of rows whose noise were rounded twice, or another share.
  EXPECT_LT(shared_p_value({.6, .6, .8}, {.6, .6 * .98, .8}, 64, 3'000'000), false_alarm);
  RandomStream random({11});
  const auto twice = [&random] {
    return static_cast<double>(rounded_normal(random, .4) + rounded_normal(random, .3));
  };
  EXPECT_LT(normal_p_value_of_draws(.5, 1'000'000, twice), false_alarm);
}

TEST(Samplers, BernoulliExp) {
  RandomStream random({4});
  const struct {
    ExactRate rate;
    double x;
  } cases[] = {{{1e-6}, 1e-6},     {{1e-3}, 1e-3}, {{.5}, .5},      {{1, 1, 3}, 1. / 3}, {{1}, 1},
               {{.7, 3, 2}, 1.05}, {{2.75}, 2.75}, {{2, 5, 1}, 10}, {{.1, 10, 1}, 1}};
  for (const auto& c : cases) {
    for (const double slack : {0x1p-40, .5}) {  // decided by doubles, or by exact integers
      const std::uint64_t trials = test::draws(slack == .5 ? 100'000 : 1'000'000);
      std::uint64_t tails_up = 0;
      for (std::uint64_t i = 0; i < trials; ++i)
        tails_up += !bernoulli_exp(random, c.rate, 1, slack);
      EXPECT_GT(test::binomial_p_value(trials, -std::expm1(-c.x), tails_up), false_alarm)
          << c.x << " " << slack;
    }
  }
}

double rate_of(const ExactRate& rate) {
  return rate.rate * static_cast<double>(rate.times) / static_cast<double>(rate.divisor);
}

// Of P(k) = p q^k, k = 0, 1, ..., with q = 1 - p.
Moments geometric_moments(double p, double q) {
  const double variance = q / (p * p);
  return {q / p, variance, variance * (p * p + 9 * q) / (p * p)};
}

TEST(Samplers, Geometric) {
  for (const ExactRate& rate :
       {ExactRate{3}, ExactRate{1}, ExactRate{.49}, ExactRate{.1, 7, 3}, ExactRate{1e-3},
        ExactRate{0x1.8p-20}, ExactRate{0x1.8p-21}, ExactRate{1e-6, 1, std::uint64_t{1} << 30},
        ExactRate{1e-6, 1, std::uint64_t{1} << 53}}) {
    const double r = rate_of(rate);
    std::vector<Edge> edges;
    for (auto tail = tails.rbegin(); tail != tails.rend(); ++tail) {
      const double k = std::max(1., std::ceil(-std::log(*tail) / r));
      if (edges.empty() || k > edges.back().at) {
        edges.push_back({k, -std::expm1(-r * k), std::exp(-r * k)});
      }
    }
    const Moments moments = geometric_moments(-std::expm1(-r), std::exp(-r));
    RandomStream random({5});
    const Geometric sampler(rate);
    EXPECT_GT(fit_p_value(test::draws(1'000'000), edges, moments,
                          [&] { return static_cast<double>(sampler(random)); }),
              false_alarm)
        << r;
  }
}

TEST(Samplers, TwoSidedGeometric) {
  for (const ExactRate& rate : {ExactRate{2}, ExactRate{1, 1, 3}, ExactRate{1e-2},
                                ExactRate{1e-6, 1, std::uint64_t{1} << 53}}) {
    const double r = rate_of(rate);
    const auto upper_tail = [r](double k) { return std::exp(-r * k) / (1 + std::exp(-r)); };
    // P(k) = p/(1+q) q^|k|, from the sums of k^2 q^k and k^4 q^k.
    const double p = -std::expm1(-r), q = std::exp(-r);
    const Moments moments{0, 2 * q / (p * p), 2 * q * (1 + 10 * q + q * q) / (p * p * p * p)};
    RandomStream random({6});
    const TwoSidedGeometric sampler(rate);
    EXPECT_GT(fit_p_value(test::draws(1'000'000), symmetric_edges(upper_tail, 1 / r), moments,
                          [&] { return static_cast<double>(sampler(random)); }),
              false_alarm)
        << r;
  }
}

TEST(Samplers, TruncatedTwoSidedGeometric) {
  const struct {
    double rate;
    int limit;
  } cases[] = {{0, 3}, {.02, 40}, {.5, 28}, {2, 10}, {1, 1}, {1e-6, 1000}, {.01, 1000}};
  for (const auto& c : cases) {
    const auto weight = [&](double k) { return std::exp(-c.rate * std::abs(k)); };
    double total = 0;
    for (int k = -c.limit; k <= c.limit; ++k) total += weight(k);
    std::vector<double> tail(static_cast<std::size_t>(c.limit) + 2);
    for (int k = c.limit; k >= 1; --k) tail[k] = tail[k + 1] + weight(k) / total;
    const auto upper_tail = [&](double k) { return k > c.limit ? 0 : tail[static_cast<int>(k)]; };
    RandomStream random({7});
    const TruncatedTwoSidedGeometric sampler(c.rate, c.limit);
    EXPECT_GT(fit_p_value(
                  test::draws(1'000'000), symmetric_edges(upper_tail, c.limit < 100 ? 1 : c.limit),
                  symmetric_moments(upper_tail, c.limit + 1), [&] { return sampler(random); }),
              false_alarm)
        << c.rate << " " << c.limit;
  }
}

// Mixtures as releases draw them, out to tails of 1e-9.
TEST(Samplers, MultiGaussian) {
  const NoiseLaw laws[] = {{Family::multi_gaussian, 1, .3, 10, 2},
                           {Family::multi_gaussian, 1, .358, 20, 1},
                           {Family::multi_gaussian, 5, 1.4, 10, .5},
                           {Family::multi_gaussian, 3, 12, 2, 0}};
  for (const NoiseLaw& law : laws) {
    std::vector<double> weight;
    double total = 0;
    for (int k = 0; k <= law.components; ++k) {
      weight.push_back(std::exp(-law.weight_epsilon * k));
      total += k == 0 ? 1 : 2 * weight.back();
    }
    const auto upper_tail = [&](double k) {
      double sum = 0;
      for (int j = -law.components; j <= law.components; ++j) {
        const double z = (k - .5 - law.sensitivity * j) / law.scale;
        sum += weight[static_cast<std::size_t>(std::abs(j))] * std::erfc(z / std::sqrt(2)) / 2;
      }
      return sum / total;
    };
    RandomStream random({9});
    const NoiseSampler draw(law);
    EXPECT_GT(fit_p_value(test::draws(3'000'000), symmetric_edges(upper_tail, 1),
                          symmetric_moments(upper_tail, 1000),
                          [&] { return static_cast<double>(draw(random)); }),
              false_alarm)
        << law.scale;
  }
}

}  // namespace
}  // namespace dpmix
