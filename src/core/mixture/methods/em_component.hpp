// What is known of a component of an unlabelled mixture between two passes of soft moments, how the
// next pass looks at it, and what it learns there.
//
// Enters: noisy moments of shares, all released. Leaves: frames, densities and noise of the next
// pass, and in the end a valid mixture. Post-processing, but for the noise that soft_pass() asks
// for: docs/proofs/mixture_em.md. Units: those of the box (box_frame), in which a component is seen
// as x = centre + axes z.
#pragma once

#include <vector>

#include "core/algebra/matrix.hpp"
#include "core/base/adjacency.hpp"
#include "core/input/mixture_frame.hpp"
#include "core/mixture/fit/gmm_fit.hpp"
#include "core/mixture/fit/moments.hpp"
#include "core/mixture/fit/place.hpp"
#include "core/mixture/gaussian_mixture.hpp"
#include "core/random/stream.hpp"
#include "core/stats/class_moments.hpp"

namespace dpmix {

struct GmmComponent {
  Vector centre;
  Matrix axes;
  Matrix covariance;               // of z; of the rows around the centre
  double mean_variance = 1;        // of the centre's error, per coordinate of z
  double covariance_variance = 1;  // of the error of each entry of the covariance
  double rows = 0, rows_variance = HUGE_VAL;

  double divisor() const;
};

// One pass of soft moments and the noise it gets, in lattice units and shares of 1/whole.
struct SoftPass {
  MixtureFrame frame;
  std::vector<MomentNoise> noise;
};

struct SoftPassRequest {
  Adjacency adjacency;
  double mu;              // of this pass
  CovarianceShape shape;  // which products are released
  double inside = 0;      // share of a normal component within the radius; 0: the cheapest radius
  bool squares = true;    // false: counts and sums alone
};

// The box as one component, of which counts and sums are released.
SoftPass box_pass(const MomentFrame& box, const SoftPassRequest& request);
// Placement by centre and axes, shares by the normal densities of the components.
SoftPass soft_pass(const MomentFrame& box, const std::vector<GmmComponent>& components,
                   const SoftPassRequest& request);
// Noisy moments, in rows and units of z.
std::vector<NoisyMoments> add_noise(RandomStream& random, const MomentTotals& exact,
                                    const SoftPass& pass);

// Joins what a pass saw to what was known, by precisions.
void absorb(std::vector<GmmComponent>& components, const std::vector<NoisyMoments>& moments,
            const SoftPass& pass, CovarianceShape shape);
// Axes in which the covariance is about the identity: wider where noise may hide more.
void rewhiten(GmmComponent& component, CovarianceShape shape);

GmmFit mixture_of(const std::vector<GmmComponent>& components, const MomentFrame& box,
                  CovarianceShape shape, GmmObjective objective);

}  // namespace dpmix
