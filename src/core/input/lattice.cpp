#include "core/input/lattice.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <numeric>
#include <string>

#include "core/base/refuse_parameter.hpp"

namespace dpmix {
namespace {

constexpr double resolution = 1073741824;             // 2^30 steps over the reach from the origin
constexpr double max_exact_bound = 4503599627370496;  // 2^52: half-integers are doubles up to here

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

void check_bounds(double lower, double upper) {
  if (std::isfinite(lower) && std::isfinite(upper) && lower < upper) return;
  refuse_parameter(
      "bounds must be finite with lower < upper",
      "The lower bound is " + text_of(lower) + ", the upper bound is " + text_of(upper) + ".",
      "Declare the range that values can have, from public knowledge, with dpmix.set_bounds.");
}

bool exact(double bound) {
  return std::abs(bound) <= max_exact_bound && bound == std::floor(bound);
}

// The step of the finest lattice on which `reach` is 2^30 steps. A step below the least normal
// number would lose the digits that make reach / step meaningful, so tiny reaches get fewer steps.
double step_for(double reach) {
  return std::max(reach / resolution, std::numeric_limits<double>::min());
}

}  // namespace

bool Lattice::valid() const {
  return std::isfinite(origin) && std::isnormal(step) && step > 0 && low <= high &&
         low >= -max_index && high <= max_index;
}

std::int64_t sensitivity_add_remove(const Lattice& lattice) {
  return std::max(std::abs(lattice.low), std::abs(lattice.high));
}

std::int64_t sensitivity_replace(const Lattice& lattice) {
  return std::max(lattice.high - lattice.low, sensitivity_add_remove(lattice));
}

Lattice centred_lattice(double lower, double upper, bool integral) {
  check_bounds(lower, upper);
  if (integral && exact(lower) && exact(upper)) {
    // 2x - (lower + upper) is an integer for every integer x, and even with the sum of the bounds.
    const double doubled = upper - lower;
    const bool whole = std::fmod(doubled, 2) == 0;
    const auto high = static_cast<std::int64_t>(whole ? doubled / 2 : doubled);
    return {lower / 2 + upper / 2, whole ? 1.0 : 0.5, -high, high};
  }
  const double origin = std::midpoint(lower, upper);  // does not overflow
  const double reach = std::max(upper - origin, origin - lower);
  const double step = step_for(reach);
  const auto high = static_cast<std::int64_t>(std::ceil(reach / step));
  return {origin, step, -high, high};
}

Lattice anchored_lattice(double lower, double upper, bool integral) {
  check_bounds(lower, upper);
  Lattice lattice;
  if (!(integral && exact(lower) && exact(upper))) {
    lattice.step = step_for(std::max(std::abs(lower), std::abs(upper)));
  }
  // Outwards, so that bounds of any size leave at least one step, hence a sensitivity above 0.
  lattice.low = static_cast<std::int64_t>(std::floor(lower / lattice.step));
  lattice.high = static_cast<std::int64_t>(std::ceil(upper / lattice.step));
  return lattice;
}

}  // namespace dpmix
