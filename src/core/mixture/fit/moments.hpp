// The one-shot release of labelled Gaussian mixtures: exact moments of each class, seen from the
// box of the owner's bounds, to noisy ones.
//
// Enters: bounds, number of classes, adjacency and a Gaussian-DP parameter mu, all public; then the
// exact integer moments. Leaves: the moments plus rounded Gaussian noise, mu-GDP as a whole
// (docs/proofs/mixture_one_shot.md). In units of the box: z = (x - centre) / half width, in [-1, 1]^d.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/adjacency.hpp"
#include "core/input/moment_frame.hpp"
#include "core/base/int128.hpp"
#include "core/random/stream.hpp"
#include "core/stats/class_moments.hpp"

namespace dpmix {

enum class CovarianceShape { full, diagonal };
std::optional<CovarianceShape> covariance_shape_of(std::string_view name);

// Standard deviations of the noise of each kind of sum.
struct MomentNoise {
  double count, sum, square, product;  // square: of z_i^2; product: of z_i z_j, 0 when diagonal
};

struct GmmPlan {
  CovarianceShape shape;
  MomentFrame frame;
  MomentNoise noise;  // in lattice units

  double step() const { return frame.step(0); }  // of z
  MomentNoise box_noise() const;                 // in units of the box
};

// Error PV005 for adjacency label, and for more than MomentFrame allows. mu > 0.
GmmPlan plan_gmm(const std::vector<double>& lower, const std::vector<double>& upper, int classes,
                 CovarianceShape shape, Adjacency adjacency, double mu);

// Noisy sums of one class, in units of the box. products: d x d, symmetric.
struct NoisyMoments {
  double count;
  std::vector<double> sums, products;
};

// The box as a frame: z in [-1, 1]^d, the same for all classes. Error PV005 as plan_gmm.
MomentFrame box_frame(const std::vector<double>& lower, const std::vector<double>& upper,
                      int classes);

// Exact sums of one class in the same form. exact: NULL for a class that was not seen.
NoisyMoments exact_moments(const MomentTotals::Class* exact, int features, double step);

// Adds noise (in lattice units; 0: that kind of sum is not released) to the sums of one class, each
// integer drawn exactly. exact: NULL for a class that was not seen. step: of the lattice.
NoisyMoments add_noise(RandomStream& random, const MomentTotals::Class* exact, int features,
                       const MomentNoise& noise, double step);
// Adds the plan's noise, to all classes. exact: of the plan's frame, or blank.
std::vector<NoisyMoments> add_noise(RandomStream& random, const MomentTotals& exact,
                                    const GmmPlan& plan);

}  // namespace dpmix
