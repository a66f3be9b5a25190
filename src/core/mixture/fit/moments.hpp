// Moments of a class, seen from the box of the owner's bounds: exact integers to noisy numbers in
// units of the box, z = (x - centre) / half width, in [-1, 1]^d.
#pragma once

#include <vector>

#include "core/input/moment_frame.hpp"
#include "core/random/stream.hpp"
#include "core/stats/moment_totals.hpp"

namespace dpmix {

// Standard deviations of the noise of each kind of sum.
struct MomentNoise {
  double count, sum, square, product;  // square: of z_i^2; product: of z_i z_j, 0 when diagonal
};

// Noisy sums of one class, in units of the box. products: d x d, symmetric.
struct NoisyMoments {
  double count;
  std::vector<double> sums, products;
};

// The box as a frame: z in [-1, 1]^d, the same for all classes. Error PV005 for bounds too close or
// too far apart, and for more than MomentFrame allows.
MomentFrame box_frame(const std::vector<double>& lower, const std::vector<double>& upper,
                      int classes);

// Exact sums of one class in the same form. exact: NULL for a class that was not seen.
NoisyMoments exact_moments(const MomentTotals::Class* exact, int features, double step);

// Adds noise (in lattice units; 0: that kind of sum is not released) to the sums of one class, each
// integer drawn exactly. exact: NULL for a class that was not seen. step: of the lattice.
NoisyMoments add_noise(RandomStream& random, const MomentTotals::Class* exact, int features,
                       const MomentNoise& noise, double step);

}  // namespace dpmix
