// The privacy curve of quasi-Gaussian noise: its value at a shift, and a bound over all of them.
#include <algorithm>
#include <cmath>

#include "core/mechanism/quasi_gaussian.hpp"
#include "core/mechanism/quasi_gaussian_cover.hpp"
#include "core/mechanism/quasi_gaussian_shift.hpp"

namespace dpmix {
namespace {

constexpr double kLeast = 1e-300;  // bounds need not be sharp below

}  // namespace

double quasi_delta_at(const QuasiGaussian& law, double epsilon, double shift) {
  QuasiStick found{0, 0, 1};
  for (double tolerance = 1e-6; tolerance > kLeast;) {
    found = quasi_stick(law, epsilon, shift, tolerance);
    if (found.upper - found.value <= 1e-12 * found.value) break;
    tolerance = std::min(1e-3 * tolerance, found.value > 0 ? 1e-13 * found.value : found.upper);
  }
  return found.value;
}

double quasi_delta_bound(const QuasiGaussian& law, double epsilon) {
  // Look around more and more closely, until what is seen stands out.
  double seen = 0;
  for (double tolerance = 1e-7; tolerance > 1e-7 * kLeast;) {
    seen = std::max(seen, look_for_quasi_peak(law, epsilon, tolerance).delta);
    if (tolerance <= 1e-4 * seen) break;
    tolerance = std::min(1e-3 * tolerance * tolerance, seen > 0 ? 1e-5 * seen : 1.0);
  }
  double limit = std::max(seen, kLeast);
  for (double growth = 1.0005; limit * growth < 1; growth *= growth) {
    limit *= growth;
    const QuasiCover cover = cover_quasi_shifts(law, epsilon, limit);
    if (cover.proved) return cover.bound;
  }
  return 1;
}

std::optional<double> quasi_certificate(const QuasiGaussian& law, double epsilon, double delta) {
  if (!(delta > 0)) return std::nullopt;
  const QuasiCover cover = cover_quasi_shifts(law, epsilon, delta);
  if (!cover.proved) return std::nullopt;
  return cover.bound;
}

}  // namespace dpmix
