// The noise that makes sums of placed rows mu-Gaussian-DP, from their weights.
//
// Enters: adjacency, mu and weights, all public. Leaves: deviations, rounded up, in lattice units.
// Proof: docs/proofs/mixture_staged.md, mixture_em.md (there all times MixtureFrame::whole, the
// unit of shares) and mixture_label_only.md.
#pragma once

#include "core/base/adjacency.hpp"
#include "core/mixture/fit/moments.hpp"
#include "core/mixture/gaussian_mixture.hpp"

namespace dpmix {

// The noise of moments: a, b, c weigh a count, sums and products, per lattice step (c = 0: no
// products); r: the resolution. Calibrated to the bound that moment_sensitivity gives.
MomentNoise moment_noise(Adjacency adjacency, CovarianceShape shape, double mu, double a, double b,
                         double c, double r);

// The deviation of each count, where a row is in one bin of one class, or in one cell.
double bin_noise(Adjacency adjacency, double mu);

}  // namespace dpmix
