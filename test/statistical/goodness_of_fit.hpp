// Does a sampler follow a law? Exact binomial tests of the distribution function at every edge,
// tails included, chi-square over the cells between edges, and two moments.
//
// Enters: draws, edges and the law at the edges. Leaves: a p-value corrected for the number of
// tests, so that a right sampler is rejected at level 1e-9 with probability at most 1e-9.
// Chi-square and moments use their limit laws, only where these understate the tail at 1e-10 less
// than tenfold (cells that expect 1000, moments as lively as a count that expects 1000), and at a
// tenth of the level.
#pragma once

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace dpmix::test {

// One edge e, with P(X < e) and P(X >= e) apart so that neither tail loses its digits.
struct Edge {
  double at, below, above;
};

inline std::uint64_t draws(std::uint64_t usual) {
  const char* soak = std::getenv("DPMIX_SOAK");
  return soak != nullptr && *soak == '1' ? 10 * usual : usual;
}

inline double two_sided(double lower, double upper) {
  return std::min(1., 2 * std::min(lower, upper));
}

inline double binomial_p_value(std::uint64_t trials, double p, std::uint64_t successes) {
  const auto n = static_cast<double>(trials), k = static_cast<double>(successes);
  if (p <= 0) return successes == 0;
  if (p >= 1) return successes == trials;
  const boost::math::binomial law(n, p);
  const double lower = cdf(law, k);
  const double upper = successes == 0 ? 1 : cdf(complement(law, k - 1));
  return two_sided(lower, upper);
}

inline double normal_p_value(double z) {
  return std::erfc(std::abs(z) / std::sqrt(2));
}

// Cells that expect too little are pooled with their neighbours on the right, the last with those
// on the left.
inline double chi_square_p_value(std::uint64_t trials, const std::vector<double>& probability,
                                 const std::vector<std::uint64_t>& count) {
  std::vector<double> expected;
  std::vector<double> observed;
  bool open = false;
  for (std::size_t i = 0; i < count.size(); ++i) {
    if (!open) {
      expected.push_back(0);
      observed.push_back(0);
    }
    expected.back() += probability[i] * static_cast<double>(trials);
    observed.back() += static_cast<double>(count[i]);
    open = expected.back() < 1000;
  }
  if (open && expected.size() > 1) {
    const double rest = expected.back(), seen = observed.back();
    expected.pop_back();
    observed.pop_back();
    expected.back() += rest;
    observed.back() += seen;
  }
  if (expected.size() < 2) return 1;
  double statistic = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    statistic += (observed[i] - expected[i]) * (observed[i] - expected[i]) / expected[i];
  }
  const boost::math::chi_squared law(static_cast<double>(expected.size() - 1));
  return std::min(1., 10 * cdf(complement(law, statistic)));
}

// The mass between two edges from the smaller tail.
inline double mass_between(const Edge& left, const Edge& right) {
  return left.below < right.above ? right.below - left.below : left.above - right.above;
}

struct Moments {
  double mean, variance, fourth_central;
};

// Half of the level for the edges, a quarter each for chi-square and for moments with the serial
// correlation. `draw` returns a double; edges ascend.
template <class Draw>
double fit_p_value(std::uint64_t trials, const std::vector<Edge>& edges, const Moments& law,
                   const Draw& draw) {
  std::vector<std::uint64_t> count(edges.size() + 1);
  double sum = 0, squares = 0, products = 0, previous = 0;
  for (std::uint64_t i = 0; i < trials; ++i) {
    const double x = draw();
    const auto cell =
        std::upper_bound(edges.begin(), edges.end(), x,
                         [](double value, const Edge& edge) { return value < edge.at; });
    ++count[static_cast<std::size_t>(cell - edges.begin())];
    const double centred = x - law.mean;
    sum += centred;
    squares += centred * centred;
    products += centred * previous;
    previous = centred;
  }
  double p_value = 1;
  std::uint64_t below = 0;
  std::vector<double> probability{edges.front().below};
  for (std::size_t i = 0; i < edges.size(); ++i) {
    below += count[i];
    const double p = edges[i].below < edges[i].above
                         ? binomial_p_value(trials, edges[i].below, below)
                         : binomial_p_value(trials, edges[i].above, trials - below);
    p_value = std::min(p_value, 2 * static_cast<double>(edges.size()) * p);
    probability.push_back(i + 1 < edges.size() ? mass_between(edges[i], edges[i + 1])
                                               : edges[i].above);
  }
  p_value = std::min(p_value, 4 * chi_square_p_value(trials, probability, count));
  const double n = static_cast<double>(trials), root = std::sqrt(n);
  if (1000 * law.fourth_central < n * law.variance * law.variance) {
    const double spread = std::sqrt(law.fourth_central - law.variance * law.variance);
    p_value = std::min({p_value, 12 * normal_p_value(sum / root / std::sqrt(law.variance)),
                        12 * normal_p_value((squares / n - law.variance) * root / spread),
                        12 * normal_p_value(products / root / law.variance)});
  }
  return p_value;
}

}  // namespace dpmix::test
