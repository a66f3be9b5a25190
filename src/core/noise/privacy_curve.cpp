#include "core/noise/privacy_curve.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/next_double.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/noise/gaussian/mixture_full_shift.hpp"
#include "core/noise/gaussian/mixture_worst_shift.hpp"
#include "core/noise/gaussian/quasi.hpp"
#include "core/noise/gaussian/quasi_curve.hpp"
#include "core/noise/steps/delta.hpp"

namespace dpmix {
namespace {

// delta never increases in the scale, so a scale rounded down gives a bound.
UnitMixture unit_below(const NoiseLaw& law) {
  return {next_down(law.scale / law.sensitivity), law.components, law.weight_epsilon};
}

// That delta never increases in the scale is not known here, but its bounds hold for every scale
// within 2^-50.
QuasiGaussian unit_quasi(const NoiseLaw& law) {
  return {law.scale / law.sensitivity, law.weight_epsilon};
}

void check(const NoiseLaw& law, double epsilon) {
  check_law(law);
  require_in_range(epsilon >= 0 && epsilon <= 1e7, "epsilon", epsilon, "between 0 and 1e7");
}

double multi_gaussian_at(const NoiseLaw& law, double epsilon, double shift) {
  const UnitMixture unit(law.scale / law.sensitivity, law.components, law.weight_epsilon);
  if (shift == law.sensitivity) return hockey_stick_full_shift(unit, epsilon).value;
  return sharp_value([&](double tolerance) {
    return hockey_stick(unit, epsilon, shift / law.sensitivity, tolerance);
  });
}

double multi_gaussian_bound(const NoiseLaw& law, double epsilon, double spare) {
  const UnitMixture unit = unit_below(law);
  const HockeyStick full = hockey_stick_full_shift(unit, epsilon);
  if (full_shift_is_worst(unit, epsilon)) return std::min(1.0, full.upper);
  // Look around more and more closely, starting from what the joint convexity says.
  double tolerance = 1e-5 * gdp_delta(epsilon, next_up(1 / unit.scale()));
  double seen = full.lower;
  while (tolerance > kLeastBound) {
    seen = std::max(seen, look_for_peak(unit, epsilon, 0, tolerance).delta);
    if (tolerance <= 2e-5 * seen) break;
    tolerance = std::min(1e-5 * tolerance, seen > 0 ? 1e-5 * seen : 1.0);
  }
  return bound_above(seen, spare,
                     [&](double limit) { return cover_all_shifts(unit, epsilon, limit); });
}

double laplace_at(const NoiseLaw& law, double epsilon, double shift) {
  return std::max(0.0, -std::expm1((epsilon - shift / law.scale) / 2));
}

double laplace_bound(const NoiseLaw& law, double epsilon) {
  // The sign of epsilon * scale - sensitivity is exact: the fused product rounds once, and the
  // common power of two keeps it from underflowing.
  int exponent = 0;
  const double sensitivity = std::frexp(law.sensitivity, &exponent);
  const double scale = std::ldexp(law.scale, -exponent);
  const double spare = std::fma(epsilon, scale, -sensitivity);
  if (spare >= 0) return 0;
  return std::min(1.0, -std::expm1(spare / scale / 2) * (1 + 0x1p-49));
}

}  // namespace

double delta_at(const NoiseLaw& law, double epsilon, double shift) {
  check(law, epsilon);
  switch (law.family) {
    case Family::gaussian:
      return gdp_delta(epsilon, shift / law.scale);
    case Family::multi_gaussian:
      return multi_gaussian_at(law, epsilon, shift);
    case Family::quasi_gaussian:
      return quasi_delta_at(unit_quasi(law), epsilon, shift / law.sensitivity);
    case Family::laplace:
      return laplace_at(law, epsilon, shift);
    default:
      return step_delta_at(law.steps, epsilon,
                           std::nearbyint(shift / law.sensitivity * law.steps.sensitivity));
  }
}

double delta_bound(const NoiseLaw& law, double epsilon, double spare) {
  check(law, epsilon);
  switch (law.family) {
    case Family::gaussian:
      return gdp_delta(epsilon, next_up(law.sensitivity / law.scale));
    case Family::multi_gaussian:
      return multi_gaussian_bound(law, epsilon, spare);
    case Family::quasi_gaussian:
      return quasi_delta_bound(unit_quasi(law), epsilon, spare);
    case Family::laplace:
      return laplace_bound(law, epsilon);
    default:
      return step_delta_bound(law.steps, epsilon);
  }
}

std::optional<double> certificate(const NoiseLaw& law, double epsilon, double delta) {
  if (law.family == Family::multi_gaussian) {
    check(law, epsilon);
    if (!(delta > 0)) return std::nullopt;
    const ShiftCover cover = cover_all_shifts(unit_below(law), epsilon, delta);
    if (!cover.proved) return std::nullopt;
    return cover.bound;
  }
  if (law.family == Family::quasi_gaussian) {
    check(law, epsilon);
    return quasi_certificate(unit_quasi(law), epsilon, delta);
  }
  const double bound = delta_bound(law, epsilon);
  if (!(bound <= delta)) return std::nullopt;
  return bound;
}

bool certify(const NoiseLaw& law, double epsilon, double delta) {
  return certificate(law, epsilon, delta).has_value();
}

}  // namespace dpmix
