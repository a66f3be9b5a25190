#include "core/noise/step_family.hpp"

#include <cmath>
#include <string>

#include "core/base/refuse_parameter.hpp"
#include "core/noise/steps/least_steps.hpp"

namespace dpmix {
namespace {

// The stairs of a family that fall by e^-fall over a sensitivity: those that its calibration to
// epsilon = fall has, whatever its delta.
StepLaw stairs(Family family, double fall) {
  switch (family) {
    case Family::staircase:
      return least_staircase(fall, kFineLattice).law;
    case Family::truncated_laplace:
      return least_truncated_laplace(fall, kLeastDelta, kFineLattice).law;
    default:
      return least_tulap(fall, kLeastDelta, kFineLattice).law;
  }
}

}  // namespace

NoiseLaw step_family_law(Family family, double scale, double sensitivity, double cutoff) {
  if (family == Family::optimal) {
    refuse_parameter("optimal has more parameters than a scale",
                     "Its landing, dip, atom and cutoff are chosen together for epsilon and delta.",
                     "Use dpmix.calibrate, which returns its delta_certified.");
  }
  require_in_range(std::isnormal(sensitivity) && sensitivity > 0, "sensitivity", sensitivity,
                   "finite and greater than 0");
  const double fall = sensitivity / scale;
  require_in_range(fall >= 1e-6 && fall <= 1e7, "scale", scale,
                   "between 1e-7 and 1e6 times the sensitivity for " + std::string(name(family)));
  const double last = std::floor(cutoff / sensitivity * kFineLattice);
  if (family != Family::staircase) {
    // Beyond 2^53 steps a double names no single one.
    require_in_range(last >= 0 && (last <= 0x1p53 || std::isinf(cutoff)), "cutoff", cutoff,
                     "at least 0, and at most 2^33 times the sensitivity or infinite");
  }
  NoiseLaw law{.family = family, .sensitivity = sensitivity, .scale = scale};
  law.steps = stairs(family, fall);
  if (family != Family::staircase) {
    law.steps.cutoff = last;
    law.steps.edge = 1;
  }
  check_law(law);
  return law;
}

}  // namespace dpmix
