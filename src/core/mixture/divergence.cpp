#include "core/mixture/divergence.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/poll.hpp"
#include "core/mixture/sampling.hpp"
#include "core/mixture/density.hpp"

namespace dpmix {
namespace {

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

KlEstimate estimate_kl(const GaussianMixture& a, const GaussianMixture& b, std::int64_t draws,
                       RandomStream& random) {
  if (a.features != b.features) {
    throw Error(ErrorCode::invalid_parameter, "the mixtures cannot be compared",
                "They have different numbers of features.", "Compare mixtures of the same.");
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
