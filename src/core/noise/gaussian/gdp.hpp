// Gaussian-DP (Dong, Roth, Su 2022): a mechanism is mu-GDP when telling neighbours apart is no
// easier than telling N(0,1) from N(mu,1). Gaussian noise of deviation sigma on sensitivity Delta
// is (Delta/sigma)-GDP; adaptive composition is mu^2 = sum mu_t^2 (docs/proofs/gaussian.md).
#pragma once

namespace dpmix {

// delta(eps; mu) = Phi(-eps/mu + mu/2) - e^eps Phi(-eps/mu - mu/2), rounded up.
double gdp_delta(double epsilon, double mu);
// The largest double mu found with gdp_delta(epsilon, mu) <= delta: certified, at most 1e-9
// (relative) below the exact root. delta > 0.
double gdp_mu(double epsilon, double delta);

}  // namespace dpmix
