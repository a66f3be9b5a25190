#include "core/noise/steps/worst_shifts.hpp"

#include <algorithm>
#include <cmath>

namespace dpmix {

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

}  // namespace dpmix
