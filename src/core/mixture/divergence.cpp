#include "core/mixture/divergence.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/algebra/cholesky.hpp"
#include "core/base/poll.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/mixture/density.hpp"
#include "core/mixture/sampling.hpp"

namespace dpmix {
namespace {

double gaussian_kl(const GaussianMixture::Component& a, const GaussianMixture::Component& b,
                   int d) {
  const auto root = [d](const GaussianMixture::Component& c) {
    return cholesky(Eigen::Map<const Matrix>(c.covariance.data(), d, d));
  };
  const auto la = root(a), lb = root(b);
  if (!la || !lb) {
    refuse_parameter("invalid mixture", "A covariance is not positive definite.",
                     "Release the mixture again.");
  }
  const Matrix ratio = solve_lower(*lb, *la);
  const Vector shift = solve_lower(
      *lb, Eigen::Map<const Vector>(a.mean.data(), d) - Eigen::Map<const Vector>(b.mean.data(), d));
  // |ratio|^2 - d - 2 ln det(ratio), term by term: each is >= 0 up to rounding.
  double terms = 0;
  for (int i = 0; i < d; ++i) {
    const double r = ratio(i, i), excess = (r - 1) * (r + 1);
    terms += excess - std::log1p(excess) + ratio.row(i).head(i).squaredNorm();
  }
  return (terms + shift.squaredNorm()) / 2;
}

constexpr double quantile_95 = 1.959963984540054;  // two-sided, of a normal

// (a ln(a / b) - a + b) / m, from ln a and ln b, without dividing what may have underflowed.
double term(double log_a, double log_b) {
  const double ratio = log_b - log_a;
  const double over_m = 2 / (1 + std::exp(ratio));  // a / m
  if (over_m == 0) return 2;                        // b / m is all that is left
  return over_m * (std::expm1(ratio) - ratio);
}

// Mean and variance of what is added (Welford).
struct Moments {
  double count = 0, mean = 0, squares = 0;
  void add(double v) {
    const double step = v - mean;
    count += 1;
    mean += step / count;
    squares += step * (v - mean);
  }
  double variance_of_mean() const { return squares / (count - 1) / count; }
};

}  // namespace

double gmm_kl(const GaussianMixture& a, const GaussianMixture& b, const std::vector<int>& match) {
  double sum = 0;
  for (std::size_t k = 0; k < a.components.size(); ++k) {
    poll();
    const GaussianMixture::Component& p = a.components[k];
    const GaussianMixture::Component& q = b.components[static_cast<std::size_t>(match[k])];
    sum += p.weight * (std::log(p.weight / q.weight) + gaussian_kl(p, q, a.features));
  }
  return std::max(sum, 0.);
}

KlEstimate estimate_kl(const GaussianMixture& a, const GaussianMixture& b, std::int64_t draws,
                       RandomStream& random) {
  if (a.features != b.features) {
    refuse_parameter("the mixtures cannot be compared", "They have different numbers of features.",
                     "Compare mixtures of the same.");
  }
  const MixtureDensity at_a(a), at_b(b);
  std::vector<double> x(static_cast<std::size_t>(a.features)),
      scratch(std::max(at_a.components(), at_b.components()));
  const std::int64_t half = std::max<std::int64_t>(draws / 2, 2);
  double kl = 0, variance = 0;
  for (const GaussianMixture* source : {&a, &b}) {
    GmmSampler sampler(*source);
    Moments moments;
    for (std::int64_t n = 0; n < half; ++n) {
      if (n % 64 == 0) poll();
      sampler.draw(random, x.data());
      const double log_a = at_a.log_densities(x.data(), scratch.data());
      const double log_b = at_b.log_densities(x.data(), scratch.data());
      moments.add(term(log_a, log_b));
    }
    kl += moments.mean / 2;
    variance += moments.variance_of_mean() / 4;
  }
  if (!std::isfinite(kl) || !std::isfinite(variance)) return {HUGE_VAL, HUGE_VAL};
  return {std::max(kl, 0.), quantile_95 * std::sqrt(variance)};
}

}  // namespace dpmix
