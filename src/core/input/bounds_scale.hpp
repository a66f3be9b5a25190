// Values with several bounds as parts of their own bounds, so that sums of any of them lie on one
// lattice, and move by as much (docs/proofs/category_bounds.md).
//
// Enters: bounds of a category, from the owner alone. Leaves: a scale; a value's place in it,
// within
// [-1, 1] whatever the value; and the lattice on which the placed sums of that category are read.
#pragma once

#include "core/base/clamped.hpp"
#include "core/input/lattice.hpp"

namespace dpmix {

struct BoundsScale {
  double lower, upper;
  double origin, reach;  // a value is read as origin + reach * its place

  double place(double value) const {  // value is not NaN
    return (clamped(value, lower, upper) - origin) / reach;
  }
  // Of sums of placed values on a lattice of places.
  Lattice lattice(const Lattice& places) const;
};

// Error PV005: bounds that are not finite with lower < upper, or so close together that a step
// between them is no normal number. From the middle of the bounds, and from 0.
BoundsScale centred_scale(double lower, double upper);
BoundsScale anchored_scale(double lower, double upper);

}  // namespace dpmix
