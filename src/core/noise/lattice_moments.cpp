#include "core/noise/lattice_moments.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/normal_tail.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/noise/steps/moments.hpp"

namespace dpmix {
namespace {

// The scale, in lattice steps, from which sums over the lattice equal integrals up to terms below
// 1e-10.
constexpr double kSmoothScale = 64;

// E|c + R| in lattice steps, R = round(sigma N), c an integer >= 0.
double rounded_folded_mean(double centre, double sigma) {
  // E|c + R| = c + 2 sum_{j >= c} P(R > j)
  double sum = 0;
  for (double j = centre;; ++j) {
    const double tail = upper_tail((j + 0.5) / sigma);
    sum += tail;
    if (tail < 1e-18 * sum || tail == 0) break;
  }
  return centre + 2 * sum;
}

double rounded_variance(double sigma) {
  // E R^2 = 2 sum_{j >= 0} (2j + 1) P(R > j)
  double sum = 0;
  for (double j = 0;; ++j) {
    const double term = (2 * j + 1) * upper_tail((j + 0.5) / sigma);
    sum += term;
    if (term < 1e-18 * sum || term == 0) break;
  }
  return 2 * sum;
}

struct Sums {
  double total = 0, absolute = 0, squares = 0;
};

Sums multi_gaussian_sums(const NoiseLaw& law, double around_centre) {
  Sums sums;
  for (int k = law.components; k >= 0; --k) {
    const double weight = (k == 0 ? 1 : 2) * std::exp(-law.weight_epsilon * k);
    const double centre = k * law.sensitivity;
    sums.total += weight;
    sums.absolute += weight * rounded_folded_mean(centre, law.scale);
    sums.squares += weight * (around_centre + centre * centre);
  }
  return sums;
}

// Each side component is cut off at 0, and E|R|, E R^2 are sums over P(R > j), j >= 0.
Sums quasi_gaussian_sums(const NoiseLaw& law, double around_centre) {
  const double m = law.sensitivity, side = std::exp(-law.weight_epsilon);
  double beyond = 0;  // sum over i >= m of (2 (i - m) + 1) P(round(sigma N) > i)
  for (double i = m;; ++i) {
    const double term = (2 * (i - m) + 1) * upper_tail((i + 0.5) / law.scale);
    beyond += term;
    if (term < 1e-18 * (beyond + around_centre) || term == 0) break;
  }
  return {1 + 2 * side * upper_tail(-m / law.scale),
          rounded_folded_mean(0, law.scale) + side * (m + rounded_folded_mean(m, law.scale)),
          around_centre + 2 * side * (m * m + around_centre - beyond)};
}

// Moments in lattice steps. Sheppard's correction for the variance, Euler-Maclaurin's for E|Z|.
struct Moments {
  double expected_abs, variance;
};
Moments rounded_moments(const NoiseLaw& law) {
  const double sigma = law.scale;
  if (sigma >= kSmoothScale) {
    const double h = 0x1p-10;  // f(0) by the mass around it
    const double density = (cdf(law, h) - cdf(law, -h)) / (2 * h);
    return {expected_abs(law) - density / 12, variance(law) + 1.0 / 12};
  }
  const double around_centre = rounded_variance(sigma);
  if (law.family == Family::gaussian) return {rounded_folded_mean(0, sigma), around_centre};
  const Sums sums = law.family == Family::quasi_gaussian ? quasi_gaussian_sums(law, around_centre)
                                                         : multi_gaussian_sums(law, around_centre);
  return {sums.absolute / sums.total, sums.squares / sums.total};
}

// The smallest integer k >= 0 for which `enough`, which stays true from there on.
template <class Enough>
double least_integer(Enough enough) {
  if (enough(0)) return 0;
  double low = 0, high = 1;
  while (!enough(high)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const double middle = std::floor(low + (high - low) / 2);
    if (middle <= low || middle >= high) break;  // steps finer than a double resolves
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

// P(K = k) proportional to q^|k|, q = e^-rate.
LatticeMoments geometric_moments(double rate, double step) {
  return {step / std::sinh(rate), step / (std::sqrt(2.0) * std::sinh(rate / 2))};
}

// P(|K| > k) = 2 q^{k+1} / (1 + q).
double geometric_quantile(double rate, double tail) {
  const double q = std::exp(-rate);
  return std::max(0.0, std::ceil(-std::log(tail * (1 + q) / 2) / rate - 1));
}

}  // namespace

LatticeMoments lattice_moments(const NoiseLaw& law, double step) {
  if (is_of_box(law)) {
    const double a = law.sensitivity / step;
    return {step * box_expected_abs(box_law(law), a),
            step * std::sqrt(box_variance(box_law(law), a))};
  }
  if (law.family == Family::laplace) return geometric_moments(step / law.scale, step);
  if (is_step(law.family)) return {expected_abs(law), std::sqrt(variance(law))};
  NoiseLaw in_steps = law;
  in_steps.scale = law.scale / step;
  in_steps.sensitivity = std::nearbyint(law.sensitivity / step);
  const Moments moments = rounded_moments(in_steps);
  return {step * moments.expected_abs, step * std::sqrt(moments.variance)};
}

LatticeMoments moments_with_rounding(const NoiseLaw& law, double step) {
  return {expected_abs(law), std::sqrt(variance(law) + step * step / 12)};
}

void check_level(double level) {
  if (level > 0 && level < 1) return;
  refuse_parameter("level out of range",
                   "level is " + shortest(level) + "; it must lie between 0 and 1, both excluded.",
                   "Choose a level such as 0.95.");
}

double lattice_quantile(const NoiseLaw& law, double step, double level) {
  check_level(level);
  return lattice_tail_quantile(law, step, 1 - level);
}

double lattice_tail_quantile(const NoiseLaw& law, double step, double asked) {
  const double tail = asked * (1 - 0x1p-38);  // more than the tails below are off by
  if (law.family == Family::laplace && !is_of_box(law))
    return step * geometric_quantile(step / law.scale, tail);
  if (is_step(law.family)) {
    const double unit = law.sensitivity / law.steps.sensitivity;
    return unit * least_integer([&](double k) { return step_tail(law.steps, k) <= tail; });
  }
  return step * least_integer([&](double k) { return lattice_tail(law, step, k) <= tail; });
}

double normal_tail_quantile(double tail) {
  constexpr double kFine = 0x1p20;
  const NoiseLaw fine{.family = Family::gaussian, .sensitivity = 1, .scale = kFine};
  return (lattice_tail_quantile(fine, 1, tail) + 1) / kFine;
}

double lattice_tail(const NoiseLaw& law, double step, double k) {
  if (is_of_box(law)) return box_tail(box_law(law), (2 * k + 1) * step / law.sensitivity);
  if (law.family == Family::laplace) {
    const double rate = step / law.scale;
    return 2 * std::exp(-rate * (k + 1)) / (1 + std::exp(-rate));
  }
  if (is_step(law.family)) {  // k in steps of its own lattice
    return step_tail(law.steps, std::floor(k * step * law.steps.sensitivity / law.sensitivity));
  }
  return 2 * cdf(law, -(k + 0.5) * step);
}

}  // namespace dpmix
