// Privacy-loss distributions on a grid (Sommer, Meiser, Mohammadi 2019; Koskela, Jalko, Honkela
// 2020), always towards more loss: for one direction (P, Q) of neighbouring outputs, the law under
// P of log dP/dQ, each loss moved to the two grid points around it so that P's and Q's masses are
// kept ("connect the dots", Doroshenko et al. 2022). What is computed dominates the truth: its
// delta(epsilon) is never smaller, and that survives composition.
// Proofs, with the roundings: docs/proofs/loss_distribution.md.
#pragma once

#include <cstdint>
#include <vector>

namespace dpmix {

struct LossDistribution {
  double step = 0;           // of the grid: a power of two
  std::int64_t first = 0;    // mass[i] has loss (first + i) step
  std::vector<double> mass;  // under P
  double infinite = 0;       // P-probability of an infinite loss
};

// with_record: P is the output with the record, Q without; without_record: the other way round.
enum class Direction { with_record, without_record };

// A power of two, 2^-36..1; else Error PV005.
void check_grid_step(double step);

// step: as there. Others as in gdp_profile.hpp.
// One draw of Poisson-subsampled Gaussian noise: (1 - rate) N(0,1) + rate N(mu,1) against N(0,1);
// rate 1 is Gaussian noise. Losses of probability below `tail` may be counted as infinite.
LossDistribution loss_of_subsampled_gaussian(double rate, double mu, Direction direction,
                                             double step, double tail);
// The same with another record in the place of one: (1 - rate) N(0,1) + rate N(mu,1) against
// (1 - rate) N(0,1) + rate N(-mu,1), either way round.
LossDistribution loss_of_replaced_gaussian(double rate, double mu, double step, double tail);
// Any (epsilon, delta)-DP release.
LossDistribution loss_of_guarantee(double epsilon, double delta, double step);
// Two-sided geometric noise that is (epsilon, 0)-DP at `steps` lattice steps (1..2^53). Any number
// of them bounds continuous Laplace noise, 2^53 closely.
LossDistribution loss_of_geometric(double epsilon, double steps, double step);

}  // namespace dpmix
