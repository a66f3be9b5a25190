// What one release costs, whatever accountant reads it.
//
// A release that is (epsilon, delta)-DP always has the Renyi profile of "reveal with probability
// delta, else epsilon-randomised response" (Kairouz, Oh, Viswanath 2015); Gaussian and Laplace noise
// have cheaper ones of their own. All values are rounded towards more cost.
// Proofs: docs/proofs/accounting.md.
#pragma once

namespace dpmix {

// Renyi divergence of order alpha in both directions, plus an added delta.
struct RenyiCost {
  double rho = 0;
  double added_delta = 0;
};
RenyiCost operator+(const RenyiCost& a, const RenyiCost& b);  // composition, rounded up

// order > 1 everywhere.
RenyiCost renyi_of_guarantee(double order, double epsilon, double delta);
RenyiCost renyi_of_gaussian(double order, double mu);        // alpha mu^2 / 2
RenyiCost renyi_of_geometric(double order, double epsilon);  // Laplace/geometric at its worst shift
// Poisson-subsampled Gaussian of rate q and mu = shift/sigma, one draw; upper bound, both
// directions (docs/proofs/subsampled_gaussian.md).
RenyiCost renyi_of_subsampled_gaussian(double order, double rate, double mu);

// The least epsilon that rho at this order proves at delta (Canonne, Kamath, Steinke 2020,
// Proposition 12), rounded up; 0 when negative.
double epsilon_of_renyi(double order, double rho, double delta);

}  // namespace dpmix
