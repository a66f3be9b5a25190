// Standard normal rows clipped to a ball: how much of their moments is left, and which radius and
// weights cost a mixture least. Pure functions of public or released numbers.
// Source: docs/proofs/mixture_staged.md ("What clipping does", "Weights").
#pragma once

#include <span>
#include <vector>

namespace dpmix {

// z ~ N(0, I_d), y = z min(1, r/|z|).
double clipped_variance(int d, double r);  // E |y|^2 / d: what is left of a variance
double clipped_slope(int d, double r);     // dE[y]/d(mean): what is left of a small shift
double radius_of(int d, double share);     // P(|z| <= radius) = share

// Weights of (1, z, z z^T) with a^2 + b^2 r^2 + c^2 r^4 = 1, of about the least expected divergence
// cost * (sigma / n)^2 of a whitened class of n rows under noise of deviation sigma. The count's is
// the same for all radii, so that its noise is public. diagonal: the products are d squares.
struct MomentWeights {
  double count, sum, square, cost;
};
MomentWeights moment_weights(int d, double r, bool diagonal = false);

// What goes with a radius.
struct Clip {
  double radius, slope, kept;
  MomentWeights weights;
};
Clip clip_at(int d, double radius, bool diagonal);
// A grid of clips, by ascending radius.
std::vector<Clip> clips(int d, bool diagonal);
// The clip at which noise (relative: sigma / n) and what clipping hides cost least together.
const Clip& best_clip(std::span<const Clip> clips, int d, double relative_noise);
double best_radius(int d, double relative_noise, bool diagonal = false);

}  // namespace dpmix
