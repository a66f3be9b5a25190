// The Renyi curve of multi-Gaussian noise, over all shifts and both directions:
//   rho(alpha) = sup over |t| <= 1 of log F(t) / (alpha - 1),
//   F(t) = int f(z)^alpha f(z + t)^(1 - alpha) dz,   in units of the sensitivity.
// Rounded up, at most alpha/2 (sensitivity/scale)^2, and mostly within .2% of the truth. Bounded
// work: where it does not suffice the bound is looser, at worst that Gaussian one.
// Proof: docs/proofs/multi_gaussian.md, "The Rényi curve".
#pragma once

#include "core/accounting/cost.hpp"
#include "core/noise/law.hpp"

namespace dpmix {

// 1 < order < infinity, a valid law of family multi_gaussian; else Error PV005.
Cost renyi_of_multi_gaussian(double order, const NoiseLaw& law);

}  // namespace dpmix
