#include "core/noise/gaussian/quasi_curve.hpp"

#include <algorithm>

#include "core/noise/gaussian/quasi_shift.hpp"
#include "core/noise/gaussian/quasi_worst_shift.hpp"

namespace dpmix {
double quasi_delta_at(const QuasiGaussian& law, double epsilon, double shift) {
  return sharp_value([&](double tolerance) { return quasi_stick(law, epsilon, shift, tolerance); });
}

double quasi_delta_bound(const QuasiGaussian& law, double epsilon, double spare) {
  // Look around more and more closely, until what is seen stands out.
  double seen = 0;
  for (double tolerance = 1e-7; tolerance > 1e-7 * kLeastBound;) {
    seen = std::max(seen, look_for_quasi_peak(law, epsilon, tolerance).delta);
    if (tolerance <= 1e-4 * seen) break;
    tolerance = std::min(1e-3 * tolerance * tolerance, seen > 0 ? 1e-5 * seen : 1.0);
  }
  return bound_above(seen, spare,
                     [&](double limit) { return cover_quasi_shifts(law, epsilon, limit); });
}

std::optional<double> quasi_certificate(const QuasiGaussian& law, double epsilon, double delta) {
  if (!(delta > 0)) return std::nullopt;
  const ShiftCover cover = cover_quasi_shifts(law, epsilon, delta);
  if (!cover.proved) return std::nullopt;
  return cover.bound;
}

}  // namespace dpmix
