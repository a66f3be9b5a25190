// The least ellipsoid that covers given shifts: the semidefinite program (24) of the published
// mechanism,
//   min tr(C X)  over  X >= v v^T for every shift v.
//
// Enters: shifts that span the space, a positive definite cost C. Leaves: X, and a gap that is
// proved by the dual program
//   max over w >= 0 with sum 1 of  (tr M^(1/2))^2,   M = sum_n w_n u_n u_n^T,  u = C^(1/2) v.
// Method: multiplicative weights on all shifts, then a primal-dual interior point on those that
// matter, until no other shift is outside.
// Source: Liu, Scaglione, Peisert, "Differentially Private Distribution Release of Gaussian Mixture
// Models via KL-Divergence Minimization", eq. (20), (24).
#pragma once

#include "core/algebra/matrix.hpp"

namespace dpmix {

struct CoveringEllipsoid {
  Matrix cover;  // X: v^T X^-1 v <= 1 for every shift
  double cost;   // tr(C X)
  double gap;    // cost <= (1 + gap) times the least
};

// shifts: one a row. tolerance: the gap at which it stops, at least 1e-9; it may come out larger
// when doubles give no more (1e-5 was seen where shifts are flat, a 1000th in one direction). Error
// PV005 unless C is positive definite and the shifts span the space (no direction of u is a 10^7th
// of another). At 1000 shifts it takes a fraction of a millisecond for 3 features, a tenth of a
// second for 40, seconds for 100.
CoveringEllipsoid least_ellipsoid(const Matrix& shifts, const Matrix& cost,
                                  double tolerance = 1e-6);

}  // namespace dpmix
