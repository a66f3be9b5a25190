// What noise does to the eigenvalues of a symmetric matrix, and the variances without it.
// Post-processing. Source: docs/proofs/mixture_staged.md ("Eigenvalues").
#pragma once

#include "core/algebra/matrix.hpp"

namespace dpmix {

// noise: deviation of each entry on the diagonal, sqrt 2 times that of the others. How far it moves
// an eigenvalue; where only the diagonal is known, at most a little more than itself.
double eigenvalue_reach(int features, double noise, bool diagonal);

// Values ascend. The expected variances along the eigenvectors that were seen: noise turns these
// and pushes eigenvalues apart. Their sum stays.
Vector without_noise(const Vector& values, double noise);

}  // namespace dpmix
