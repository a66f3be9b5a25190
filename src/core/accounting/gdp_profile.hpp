// What one release costs under Gaussian differential privacy: (mu^2, added delta). But for an event
// of probability at most added_delta, telling neighbours apart by its output is no easier than
// telling N(0,1) from N(mu,1).
//
// Enters: public parameters of a release (epsilon and mu >= 0, 0 <= delta <= 1, steps >= 1), else
// Error PV005. Leaves: its cost, rounded up by less than 1e-9 of the value. Composition adds up.
// Proofs: docs/proofs/accounting.md.
#pragma once

#include "core/accounting/cost.hpp"

namespace dpmix {

Cost gdp_of_gaussian(double mu);
// Randomised response that reveals with probability delta: mu = 2 quantile(e^epsilon /
// (1 + e^epsilon)).
Cost gdp_of_guarantee(double epsilon, double delta);
// Two-sided geometric noise that is (epsilon, 0)-DP at an L1 sensitivity of so many lattice steps;
// one vector counts once. Fewer steps cost more: 1 is right for any number, and is randomised
// response; the limit of many is Laplace noise, mu = 2 quantile(1 - e^{-epsilon/2} / 2).
Cost gdp_of_geometric(double epsilon, double steps = 1);
// A choice whose log ratios between neighbours lie in some interval of length epsilon, like the
// exponential mechanism's: mu = 2 quantile(1 / (1 + e^{-epsilon/2})), which is randomised response
// of epsilon/2. Proof: docs/proofs/bounded_range.md.
Cost gdp_of_bounded_range(double epsilon);
// Its inverse, for mu up to 1e4: the largest epsilon that costs at most mu^2, rounded down by less
// than 1e-9 of it.
double bounded_range_of_gdp(double mu);

// The least epsilon that a sum of mu^2 proves at delta, 0 < delta < 1, rounded up by about 1e-12.
// Does not fall as the sum grows.
double epsilon_of_gdp(double mu_squared, double delta);
// Its inverse: a sum of mu^2, rounded down, that proves epsilon at delta.
double gdp_of_budget(double epsilon, double delta);

}  // namespace dpmix
