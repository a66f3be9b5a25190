// What one release costs in Renyi divergence, the accountant `renyi`: (rho, added delta).
//
// Enters: public parameters of a release (order > 1, epsilon and mu >= 0, 0 <= delta <= 1), else
// Error PV005. Leaves: its Renyi profile (rho, added delta): but for an event of probability at
// most added_delta, the outputs on neighbours have Renyi divergence of that order at most rho, in
// both directions; in nats.
//
// A release that is (epsilon, delta)-DP always has the profile of "reveal with probability delta,
// else epsilon-randomised response" (Kairouz, Oh, Viswanath 2015); Gaussian and Laplace noise have
// cheaper ones of their own. All values are rounded towards more cost, by less than 1e-9 of the
// value unless said otherwise. Proofs: docs/proofs/accounting.md.
#pragma once

#include "core/accounting/cost.hpp"

namespace dpmix {

Cost renyi_of_guarantee(double order, double epsilon, double delta);
Cost renyi_of_gaussian(double order, double mu);  // alpha mu^2 / 2
// Two-sided geometric noise that is (epsilon, 0)-DP at an L1 sensitivity of so many lattice steps;
// one vector counts once. Fewer steps cost more: 1 is right for any number, and is randomised
// response; the limit of many is Laplace noise.
Cost renyi_of_geometric(double order, double epsilon, double steps = 1);
// A choice whose log ratios between neighbours lie in some interval of length epsilon, like the
// exponential mechanism's; below alpha epsilon^2 / 8. Proof: docs/proofs/bounded_range.md.
Cost renyi_of_bounded_range(double order, double epsilon);

// The least epsilon that rho at this order proves at delta, 0 < delta < 1 (Canonne, Kamath, Steinke
// 2020, Proposition 12), rounded up; 0 when negative.
double epsilon_of_renyi(double order, double rho, double delta);
// Its inverse: a rho, rounded down, that proves epsilon at delta; 0 when there is none.
double renyi_of_budget(double order, double epsilon, double delta);

}  // namespace dpmix
