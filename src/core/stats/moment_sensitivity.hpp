// How far one row moves the weighted moments of a class (a, b z, c z z^T), |z| <= r.
//
// Enters: the weights and the radius, in any one unit of length (for the integers that are
// released: r = resolution and weights per lattice step). Leaves: the largest Euclidean change of
// the moments of all classes together, products in the Frobenius norm (an off-diagonal counts
// twice), rounded up. Source: docs/proofs/stats.md.
#pragma once

#include "core/base/adjacency.hpp"

namespace dpmix {

// add_remove: sqrt(a^2 + b^2 r^2 + c^2 r^4), a vector of one class. label, and replace across
// classes: sqrt 2 times that. replace within a class: b^2 |z-z'|^2 + c^2 |zz^T-z'z'^T|^2 can exceed
// it when b^2 > 2ac. Throws Error PV005 unless a, b, c >= 0 and r > 0 are finite and the result is
// a normal number.
double moment_sensitivity(Adjacency adjacency, double a, double b, double c, double r);

}  // namespace dpmix
