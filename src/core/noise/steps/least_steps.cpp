// The classical step laws, and the gate that all of them pass. Proofs: docs/proofs/step_law.md.
#include "core/noise/steps/least_steps.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/next_double.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/noise/steps/cutoff.hpp"
#include "core/noise/steps/delta.hpp"
#include "core/noise/steps/moments.hpp"
#include "core/noise/steps/search.hpp"

namespace dpmix {
namespace {

void check(double epsilon, double delta, double sensitivity) {
  check_epsilon_delta(epsilon, delta);
  if (delta < kLeastDelta) {
    refuse_parameter("delta too small for a law that is cut off",
                     "delta is " + shortest(delta) + "; it must be at least 1e-300.",
                     "Use staircase noise for delta = 0, or a delta above 0.");
  }
  if (!(sensitivity >= 1 && sensitivity <= 0x1p53 && sensitivity == std::floor(sensitivity))) {
    refuse_parameter("sensitivity out of range",
                     "sensitivity is " + shortest(sensitivity) +
                         " lattice steps; it must be an integer between 1 and 2^53.",
                     "State the sensitivity in lattice steps.");
  }
}

// The shape cut off for a delta so little below the one asked that the certificate accepts it.
LeastSteps certified(const StepLaw& shape, double epsilon, double delta) {
  for (double spare = 0x1p-42; spare < 0x1p-4; spare *= 8) {
    StepLaw law = shape;
    if (law.dip < 1) law.dip += spare * (1 - law.dip);
    law.atom *= 1 - spare;
    law = cut_off(law, epsilon, delta * (1 - spare));
    const double bound = step_delta_bound(law, epsilon);
    if (bound <= delta) return {law, bound};
  }
  StepLaw pure = shape;  // delta is 0 without end, atom and dips: the way out if doubles fail
  pure.dip = std::max(1.0, pure.dip);
  pure.atom = 0;
  return {pure, step_delta_bound(pure, epsilon)};
}

// The largest double whose product with the integer m is at most epsilon.
double divided_down(double epsilon, double m) {
  const double quotient = epsilon / m;
  return std::fma(quotient, m, -epsilon) > 0 ? next_down(quotient) : quotient;
}

}  // namespace

LeastSteps least_staircase(double epsilon, double sensitivity) {
  check(epsilon, 0.5, sensitivity);
  StepLaw law{.sensitivity = sensitivity, .period = sensitivity, .fall = epsilon};
  // The continuous optimum is a landing of m/(1 + e^{epsilon/2}) to each side. E|K| is a quadratic
  // over a linear function of the width, so it has no other minimum than the one next to that.
  const double most = std::floor((sensitivity - 1) / 2);
  law.half_width =
      std::clamp(std::nearbyint(sensitivity / (1 + std::exp(epsilon / 2)) - 0.5), 0.0, most);
  double least = step_expected_abs(law);
  for (const double step : {-1.0, 1.0}) {
    for (;;) {
      StepLaw next = law;
      next.half_width += step;
      if (next.half_width < 0 || next.half_width > most) break;
      const double error = step_expected_abs(next);
      if (!(error < least)) break;
      least = error;
      law = next;
    }
  }
  return {law, step_delta_bound(law, epsilon)};
}

LeastSteps least_truncated_laplace(double epsilon, double delta, double sensitivity) {
  check(epsilon, delta, sensitivity);
  return certified({.sensitivity = sensitivity, .fall = divided_down(epsilon, sensitivity)},
                   epsilon, delta);
}

LeastSteps least_tulap(double epsilon, double delta, double sensitivity) {
  check(epsilon, delta, sensitivity);
  return certified(tulap_shape(epsilon, sensitivity), epsilon, delta);
}

LeastSteps least_optimal(double epsilon, double delta, double sensitivity) {
  check(epsilon, delta, sensitivity);
  const LeastSteps staircase = least_staircase(epsilon, sensitivity);
  LeastSteps best = certified(best_step_shape(epsilon, delta, staircase.law), epsilon, delta);
  double least = step_expected_abs(best.law);
  for (const LeastSteps& other : {staircase, least_truncated_laplace(epsilon, delta, sensitivity),
                                  least_tulap(epsilon, delta, sensitivity)}) {
    const double error = step_expected_abs(other.law);
    if (error < least) {
      least = error;
      best = other;
    }
  }
  return best;
}

}  // namespace dpmix
