#include "core/noise/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/base/next_double.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/noise/gaussian/mixture_least_scale.hpp"
#include "core/noise/gaussian/quasi.hpp"
#include "core/noise/gaussian/quasi_least_scale.hpp"
#include "core/noise/privacy_curve.hpp"
#include "core/noise/steps/least_steps.hpp"

namespace dpmix {
namespace {

constexpr int kMostComponents = 1000;

// Raises the scale, from one that is right up to rounding, until the certificate accepts the law.
Calibration certified(NoiseLaw law, double epsilon, double delta) {
  for (double growth = 0x1p-52;; growth *= 2) {
    if (const auto bound = certificate(law, epsilon, delta)) return {law, *bound};
    law.scale *= 1 + growth;
  }
}

NoiseLaw laplace_law(double epsilon, double sensitivity) {
  // The least double b with epsilon * b >= sensitivity.
  int exponent = 0;
  const double significand = std::frexp(sensitivity, &exponent);
  double b = significand / epsilon;
  if (std::fma(epsilon, b, -significand) < 0) {
    b = next_up(b);
  }
  return {.family = Family::laplace, .sensitivity = sensitivity, .scale = std::ldexp(b, exponent)};
}

// The least K with P(K) <= delta: with fewer, the outermost component alone breaks delta unless
// the scale is nearly a Gaussian's.
int saturating_components(double epsilon, double delta) {
  double total = 1;
  for (int k = 1; k < kMostComponents; ++k) {
    const double weight = std::exp(-epsilon * k);
    total += 2 * weight;
    if (weight <= delta * total) return k;
  }
  return kMostComponents;
}

NoiseLaw multi_gaussian_law(double epsilon, double delta, double sensitivity, int components) {
  return {.family = Family::multi_gaussian,
          .sensitivity = sensitivity,
          .scale = least_scale(epsilon, delta, components).scale * sensitivity,
          .components = components,
          .weight_epsilon = epsilon};
}

// E|Z| falls steeply until the components saturate, then changes little and without a jump. With
// one component it can be less still, at large delta.
NoiseLaw best_multi_gaussian_law(double epsilon, double delta, double sensitivity) {
  const auto law_of = [&](int k) { return multi_gaussian_law(epsilon, delta, sensitivity, k); };
  NoiseLaw best = law_of(1);
  double least = expected_abs(best);
  double last = std::numeric_limits<double>::infinity();
  for (int k = std::max(2, saturating_components(epsilon, delta)); k <= kMostComponents; ++k) {
    const NoiseLaw law = law_of(k);
    const double error = expected_abs(law);
    if (error < least) {
      least = error;
      best = law;
    }
    if (error > last * (1 - 1e-3)) break;
    last = error;
  }
  return best;
}

void check_components(Family family, std::optional<int> components) {
  if (!components) return;
  if (family != Family::multi_gaussian) {
    refuse_parameter("components given for " + std::string(name(family)),
                     "Only multi_gaussian has components.", "Leave components out.");
  }
  if (*components < 1 || *components > kMostComponents) {
    refuse_parameter(
        "components out of range",
        "components is " + std::to_string(*components) + "; it must be between 1 and 1000.",
        "Leave components out to get the number with the least expected error.");
  }
}

// The step laws are laws on integers, so their lattice is part of the question.
Calibration step_calibration(Family family, double epsilon, double delta, double sensitivity,
                             double lattice_steps) {
  const LeastSteps least = [&] {
    switch (family) {
      case Family::staircase:
        return least_staircase(epsilon, lattice_steps);
      case Family::truncated_laplace:
        return least_truncated_laplace(epsilon, delta, lattice_steps);
      case Family::tulap:
        return least_tulap(epsilon, delta, lattice_steps);
      default:
        return least_optimal(epsilon, delta, lattice_steps);
    }
  }();
  const StepLaw& steps = least.law;
  const NoiseLaw law{.family = family,
                     .sensitivity = sensitivity,
                     .scale = sensitivity / steps.sensitivity * steps.period / steps.fall,
                     .steps = steps};
  check_law(law);
  return {law, least.delta_certified};
}

Calibration calibrate_on(double lattice_steps, Family family, double epsilon, double delta,
                         double sensitivity, std::optional<int> components) {
  check_epsilon_delta(epsilon, delta);
  check_components(family, components);
  if (!(std::isnormal(sensitivity) && sensitivity > 0)) {
    refuse_parameter(
        "sensitivity out of range",
        "sensitivity is " + shortest(sensitivity) + "; it must be finite and greater than 0.",
        "State how much one privacy unit can change the statistic.");
  }
  if (!is_pure(family) && delta < kLeastDelta) {
    refuse_parameter("delta too small for " + std::string(name(family)),
                     "delta is " + shortest(delta) + "; " + std::string(name(family)) +
                         " needs at least 1e-300: it is not (epsilon, 0)-DP at any scale.",
                     "Use mechanism laplace or staircase for delta = 0, or a delta above 0.");
  }
  if (is_step(family)) {
    return step_calibration(family, epsilon, delta, sensitivity, lattice_steps);
  }
  NoiseLaw law;
  switch (family) {
    case Family::gaussian:
      law = {.family = family,
             .sensitivity = sensitivity,
             .scale = sensitivity / gdp_mu(epsilon, delta)};
      break;
    case Family::multi_gaussian:
      law = components ? multi_gaussian_law(epsilon, delta, sensitivity, *components)
                       : best_multi_gaussian_law(epsilon, delta, sensitivity);
      break;
    case Family::quasi_gaussian: {
      const LeastQuasi least = least_quasi(epsilon, delta);
      law = {.family = family,
             .sensitivity = sensitivity,
             .scale = least.law.scale * sensitivity,
             .weight_epsilon = least.law.weight_epsilon};
      break;
    }
    default:
      law = laplace_law(epsilon, sensitivity);
  }
  check_law(law);
  return certified(law, epsilon, is_pure(family) ? 0 : delta);
}

}  // namespace

Calibration calibrate(Family family, double epsilon, double delta, double sensitivity,
                      std::optional<int> components) {
  return calibrate_on(kFineLattice, family, epsilon, delta, sensitivity, components);
}

Calibration calibrate_on_lattice(Family family, double epsilon, double delta, double sensitivity,
                                 std::optional<int> components) {
  if (is_step(family) &&
      !(sensitivity >= 1 && sensitivity <= 0x1p53 && sensitivity == std::floor(sensitivity))) {
    refuse_parameter("sensitivity out of range",
                     "sensitivity is " + shortest(sensitivity) +
                         " lattice steps; it must be an integer between 1 and 2^53.",
                     "State the sensitivity in lattice steps.");
  }
  return calibrate_on(sensitivity, family, epsilon, delta, sensitivity, components);
}

}  // namespace dpmix
