#include "core/input/bounds_scale.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/refuse_parameter.hpp"

namespace dpmix {
namespace {

BoundsScale scale_by(const Lattice& own, double lower, double upper, double reach) {
  const BoundsScale scale = {lower, upper, own.origin, reach};
  if (scale.lattice(centred_lattice(-1, 1, false)).valid()) return scale;
  refuse_parameter("bounds are too close together", "Steps between them would be no numbers.",
                   "Declare wider bounds with dpmix.declare.");
}

}  // namespace

Lattice BoundsScale::lattice(const Lattice& places) const {
  return {origin + reach * places.origin, reach * places.step, places.low, places.high};
}

BoundsScale centred_scale(double lower, double upper) {
  const Lattice own = centred_lattice(lower, upper, false);
  return scale_by(own, lower, upper, std::max(upper - own.origin, own.origin - lower));
}

BoundsScale anchored_scale(double lower, double upper) {
  return scale_by(anchored_lattice(lower, upper, false), lower, upper,
                  std::max(std::abs(lower), std::abs(upper)));
}

}  // namespace dpmix
