#include "core/noise/steps/delta.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/poll.hpp"
#include "core/base/quad.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/noise/steps/excess.hpp"

namespace dpmix {
namespace {

void check_epsilon(double epsilon) {
  require_in_range(epsilon >= 0 && !std::isinf(epsilon), "epsilon", epsilon,
                   "finite and at least 0");
}

}  // namespace

double step_delta_at(const StepLaw& law, double epsilon, double shift) {
  check_step_law(law);
  check_epsilon(epsilon);
  if (!(shift >= 0 && shift <= law.sensitivity && shift == std::floor(shift))) {
    refuse_parameter("shift out of range",
                     "shift is " + shortest(shift) + "; it must be an integer between 0 and " +
                         shortest(law.sensitivity) + ".",
                     "Choose a shift of at most the sensitivity, in lattice steps.");
  }
  if (shift == 0) return 0;
  const StepExcess<Quad> excess(law, epsilon);
  return std::min(1.0, excess.delta(static_cast<Int128>(shift)).convert_to<double>());
}

double step_delta_bound(const StepLaw& law, double epsilon) {
  check_step_law(law);
  check_epsilon(epsilon);
  const StepExcess<Quad> excess(law, epsilon);
  Quad worst = 0;
  for (const Int128 shift : worst_step_shifts(law)) {
    worst = std::max<Quad>(worst, excess.delta(shift));
    poll();
  }
  // Relative error below 2^-80, of which signs near 0 are taken care of in StepExcess.
  return std::fmin(1, round_up(worst + ldexp(worst, -79)));
}

}  // namespace dpmix
