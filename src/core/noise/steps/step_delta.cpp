// The certificate of the step laws. Proof: docs/proofs/step_law.md.
#include <algorithm>
#include <cmath>

#include "core/base/refuse_parameter.hpp"
#include "core/base/quad.hpp"
#include "core/noise/steps/step_excess.hpp"
#include "core/base/poll.hpp"

namespace dpmix {
namespace {

void check_epsilon(double epsilon) {
  if (epsilon >= 0 && !std::isinf(epsilon)) return;
  refuse_parameter("epsilon out of range",
                   "epsilon is " + shortest(epsilon) + "; it must be finite and at least 0.",
                   "Choose epsilon in this range.");
}

}  // namespace

std::vector<Int128> worst_step_shifts(const StepLaw& law) {
  const auto period = static_cast<Int128>(law.period);
  if (is_unimodal(law)) return {static_cast<Int128>(law.sensitivity)};
  // A boundary b lies between the cells b - 1 and b.
  const auto half_width = static_cast<Int128>(law.half_width);
  std::vector<Int128> boundaries = {half_width + 1, -half_width};
  if (!std::isinf(law.cutoff)) {
    const auto cutoff = static_cast<Int128>(law.cutoff);
    boundaries.insert(boundaries.end(), {cutoff, cutoff + 1, -cutoff, 1 - cutoff});
  }
  if (law.atom > 0) boundaries.insert(boundaries.end(), {1, 0});
  std::vector<Int128> shifts = {period};
  for (const Int128 a : boundaries) {
    for (const Int128 b : boundaries) {
      const Int128 shift = ((a - b) % period + period) % period;
      if (shift > 0) shifts.push_back(shift);
    }
  }
  std::sort(shifts.begin(), shifts.end());
  shifts.erase(std::unique(shifts.begin(), shifts.end()), shifts.end());
  return shifts;
}

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
