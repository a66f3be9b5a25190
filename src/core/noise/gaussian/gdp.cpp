#include "core/noise/gaussian/gdp.hpp"

#include <cmath>
#include <limits>

#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/erf.hpp>

#include "core/base/last_answers.hpp"
#include "core/base/poll.hpp"
#include "core/base/quad.hpp"

namespace dpmix {
namespace {

// Quads, because the difference below cancels up to 60 bits when mu is far below epsilon.
using boost::math::constants::one_div_root_two;
using boost::math::constants::one_div_root_two_pi;

Quad quad_upper_tail(const Quad& x) {
  return boost::math::erfc(x * one_div_root_two<Quad>()) / 2;
}
Quad density(const Quad& x) {
  return exp(-x * x / 2) * one_div_root_two_pi<Quad>();
}

// Mills' ratio P(N > x) / density(x).
Quad mills(const Quad& x) {
  if (x < 100) return quad_upper_tail(x) / density(x);
  const Quad r = 1 / (x * x);
  Quad series = 1;  // 1 - r(1 - 3r(1 - 5r(...))): the first term left out is below 2^-110
  for (int odd = 31; odd >= 1; odd -= 2) series = 1 - odd * r * series;
  return series / x;
}

}  // namespace

double gdp_delta(double epsilon, double mu) {
  if (mu <= 0) return 0;
  if (std::isinf(mu)) return 1;
  const Quad ratio = Quad(epsilon) / mu;
  const Quad near = ratio - Quad(mu) / 2, far = ratio + Quad(mu) / 2;
  // Beyond: below the least double. The bound P(N > near) <= density(near) needs no cancellation.
  if (near > 40) return std::numeric_limits<double>::denorm_min();
  const Quad tail = quad_upper_tail(near);
  // e^epsilon density(far) = density(near), so that no e^epsilon appears. An underflow of the
  // density only enlarges the bound.
  const Quad subtracted = density(near) * mills(far);
  // Each term is within 2^-85 of the truth, relatively (docs/proofs/gaussian.md).
  const Quad error = ldexp(tail + subtracted, -85);
  const Quad delta = tail - subtracted + error;
  return std::fmin(1, round_up(delta));
}

namespace {

double search_mu(double epsilon, double delta) {
  double low = 1, high = 1;
  while (gdp_delta(epsilon, low) > delta) {
    high = low;
    low /= 4;
    poll();
  }
  while (gdp_delta(epsilon, high) <= delta) {
    low = high;
    high *= 4;
    poll();
  }
  while (high - low > 1e-10 * low) {
    const double middle = low + (high - low) / 2;
    (gdp_delta(epsilon, middle) <= delta ? low : high) = middle;
    poll();
  }
  return low;
}

}  // namespace

double gdp_mu(double epsilon, double delta) {
  if (delta >= 1) return std::numeric_limits<double>::infinity();
  static thread_local LastAnswers<2> known;
  return known.of({epsilon, delta}, [&] { return search_mu(epsilon, delta); });
}

}  // namespace dpmix
