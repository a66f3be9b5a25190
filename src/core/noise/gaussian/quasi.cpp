#include "core/noise/gaussian/quasi.hpp"

#include <cmath>

#include "core/base/normal_tail.hpp"

namespace dpmix {
namespace {

// The weights of the two components: on z > 0, f = centre N(0, s^2) + side N(1, s^2).
struct Weights {
  double centre, side;
};

Weights weights(const QuasiGaussian& law) {
  const double ratio = std::exp(-law.weight_epsilon);
  const double centre = 1 / (1 + 2 * ratio * upper_tail(-1 / law.scale));
  return {centre, ratio * centre};
}

}  // namespace

double quasi_expected_abs(const QuasiGaussian& law) {
  const double s = law.scale;
  const auto [centre, side] = weights(law);
  return 2 *
         (centre * s * normal_density(0) + side * (upper_tail(-1 / s) + s * normal_density(1 / s)));
}

double quasi_variance(const QuasiGaussian& law) {
  const double s = law.scale;
  const auto [centre, side] = weights(law);
  return centre * s * s + 2 * side * ((1 + s * s) * upper_tail(-1 / s) + s * normal_density(1 / s));
}

double quasi_cdf(const QuasiGaussian& law, double z) {
  const auto [centre, side] = weights(law);
  const double x = std::fabs(z);
  const double tail = centre * upper_tail(x / law.scale) + side * upper_tail((x - 1) / law.scale);
  return z <= 0 ? tail : 1 - tail;
}

}  // namespace dpmix
