// The one-shot release of labelled Gaussian mixtures: exact moments of each class, seen from the
// box of the owner's bounds, to noisy ones.
//
// Enters: bounds, number of classes, adjacency and a Gaussian-DP parameter mu, all public; then the
// exact integer moments. Leaves: the moments plus rounded Gaussian noise, mu-GDP as a whole
// (docs/proofs/mixture_one_shot.md).
#pragma once

#include <vector>

#include "core/base/adjacency.hpp"
#include "core/mixture/fit/moments.hpp"
#include "core/mixture/gaussian_mixture.hpp"

namespace dpmix {

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

// Adds the plan's noise, to all classes. exact: of the plan's frame, or blank.
std::vector<NoisyMoments> add_noise(RandomStream& random, const MomentTotals& exact,
                                    const GmmPlan& plan);

}  // namespace dpmix
