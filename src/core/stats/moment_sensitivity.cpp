#include "core/stats/moment_sensitivity.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/refuse_parameter.hpp"

namespace dpmix {
namespace {

// Fewer than 30 operations on terms that are never subtracted, but for two that cancel at most
// half: each loses 2^-53, so 2^-47 covers them, and what underflows besides the largest term.
constexpr double outward = 1 + 0x1p-47;

[[noreturn]] void refuse() {
  refuse_parameter("invalid weights of class moments",
                   "Weights must be finite and at least 0, the radius finite and above 0, and the "
                   "weighted moments of a row neither 0 nor beyond a double's range.",
                   "Scale weights and radius to ordinary numbers.");
}

}  // namespace

double moment_sensitivity(Adjacency adjacency, double a, double b, double c, double r) {
  if (!(a >= 0 && b >= 0 && c >= 0 && r > 0)) refuse();
  const double r2 = r * r;
  const double largest = std::max({a, b * r, c * r2});
  if (!std::isnormal(r2) || !std::isnormal(largest)) refuse();
  // All is in units of the largest term. With z = r u: (count, linear u, square u u^T).
  const double count = a / largest, linear = b * r / largest, square = c * r2 / largest;
  const double l2 = linear * linear, s2 = square * square;
  const double one_row = count * count + l2 + s2;
  double squared = one_row;
  if (adjacency != Adjacency::add_remove) squared = 2 * one_row;
  if (adjacency == Adjacency::replace) {
    // max over t = u.u' in [-1, 1] of l2 (2 - 2t) + s2 (2 - 2t^2), concave in t.
    const double within_class = l2 >= 2 * s2 ? 4 * l2 : 2 * l2 + 2 * s2 + l2 / s2 * l2 / 2;
    squared = std::max(squared, within_class);
  }
  const double change = std::sqrt(squared) * largest * outward;
  if (!std::isnormal(change)) refuse();
  return change;
}

}  // namespace dpmix
