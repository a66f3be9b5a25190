// Published, for comparison only: the scale of quasi-Gaussian noise that the paper gives (cited in
// docs/proofs/quasi_gaussian.md), max(sigma_1, sigma_2) of its equations (4b) and (5). Nothing is
// certified here, and no release uses it.
#pragma once

namespace dpmix {

// 1e-6 <= epsilon <= 1e7, 1e-300 <= delta <= .5.
double published_quasi_scale(double epsilon, double delta);

}  // namespace dpmix
