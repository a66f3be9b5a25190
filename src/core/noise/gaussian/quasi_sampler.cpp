#include "core/noise/gaussian/quasi_sampler.hpp"

#include "core/base/refuse_parameter.hpp"
#include "core/random/bernoulli_exp.hpp"
#include "core/random/rounded_normal.hpp"

namespace dpmix {

Int128 draw_quasi(RandomStream& random, double sigma, double sensitivity, double weight_epsilon) {
  if (!(sigma > 0 && sigma <= 0x1p89 && sensitivity >= 1 && sensitivity <= 0x1p89)) {
    refuse_parameter("quasi-Gaussian noise out of range",
                     "In lattice steps the deviation is " + shortest(sigma) +
                         " and the sensitivity " + shortest(sensitivity) +
                         "; they must be positive and at most 2^89, the sensitivity at least 1.",
                     "Use a larger epsilon, a smaller sensitivity or a coarser lattice.");
  }
  const auto centre = static_cast<Int128>(sensitivity);
  for (;;) {
    // The centre, or one of two sides of e^-w its weight; a side that falls beyond 0 is rejected.
    if (random.below(3) == 0) return rounded_normal(random, sigma);
    if (!bernoulli_exp(random, {weight_epsilon})) continue;
    // Half steps make both 0 and the borders of the rounding borders of the cells.
    const Int128 halves = 2 * centre + floored_normal(random, 2 * sigma);
    if (halves < 0) continue;
    const Int128 rounded = (halves + 1) / 2;
    return random.bit() ? -rounded : rounded;
  }
}

}  // namespace dpmix
