#include "core/published/quasi_scale.hpp"

#include <algorithm>
#include <cmath>

#include "core/noise/gaussian/gdp.hpp"
#include "core/noise/gaussian/quasi_curve.hpp"

namespace dpmix {
namespace {

// Where `high_enough`, false at low and true at high, changes.
template <class Predicate>
double threshold(double low, double high, Predicate high_enough) {
  for (int i = 0; i < 200 && high - low > 1e-14 * (std::fabs(low) + std::fabs(high)); ++i) {
    const double middle = low + 0.5 * (high - low);
    (high_enough(middle) ? high : low) = middle;
  }
  return high;
}

// log f up to a constant, and the sign of its slope, on [0, 1].
struct LogDensity {
  double s, w;

  double operator()(double x) const {
    const double centre = w - 0.5 * (x / s) * (x / s), side = -0.5 * ((x - 1) / s) * ((x - 1) / s);
    return std::max(centre, side) + std::log1p(std::exp(-std::fabs(centre - side)));
  }
  bool rises(double x) const { return 1 / (1 + std::exp(w - (x - 0.5) / (s * s))) > x; }
};

// log of the largest over the least density on [0, 1] (Lemma 4.4: a maximum on [0, 1/2]; the
// minimum at 1, or where the slope p(x) - x turns positive again, between the places where p' = 1).
double log_range(double s, double w) {
  const LogDensity log_density{s, w};
  const double top =
      log_density(threshold(0, 0.5, [&](double x) { return !log_density.rises(x); }));
  double bottom = log_density(1);
  if (s < 0.5) {
    const double p = 0.5 + 0.5 * std::sqrt(1 - 4 * s * s);
    const double reach = s * s * std::log(p / (1 - p)), even = 0.5 + s * s * w;
    const double low = even - reach, high = even + reach;
    if (high <= 1 && log_density.rises(high)) {
      const double dip = threshold(low, high, [&](double x) { return log_density.rises(x); });
      bottom = std::min(bottom, log_density(dip));
    }
  }
  return top - bottom;
}

}  // namespace

double published_quasi_scale(double epsilon, double delta) {
  const double high = std::log(2 / gdp_mu(epsilon, delta));
  double least = -HUGE_VAL;
  // sigma_1: equation (4b) says delta(1) = delta.
  if (std::exp(epsilon) + 2 < 1 / delta) {
    least = threshold(std::log(1e-5), high, [&](double log_scale) {
      return quasi_delta_at({std::exp(log_scale), epsilon}, epsilon, 1) <= delta;
    });
  }
  // sigma_2: equation (5).
  const double flat = threshold(std::log(1e-5), std::log(1e5), [&](double log_scale) {
    return log_range(std::exp(log_scale), epsilon) <= epsilon;
  });
  return std::exp(std::max(least, flat));
}

}  // namespace dpmix
