// The Renyi divergence of Gaussian noise on a Poisson sample of rows.
// Proof: docs/proofs/subsampled_gaussian.md.
#pragma once

#include "core/accounting/cost.hpp"

namespace dpmix {

// Poisson-subsampled Gaussian of rate q, 0 < q <= 1, and mu = shift/sigma, one draw; a bound on
// both directions (docs/proofs/subsampled_gaussian.md), sharp to 1e-6 of the value or 1e-13.
// Bounded work: from alpha mu^2 of about 1000 on, and where (alpha-1) rho passes 11000, a coarser
// bound by convexity, at most log(1/q)/(alpha-1) below the whole Gaussian's.
Cost renyi_of_subsampled_gaussian(double order, double rate, double mu);

}  // namespace dpmix
