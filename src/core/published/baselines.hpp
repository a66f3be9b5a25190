// The mechanisms that the published release is compared with, and all of them by one name.
//
// Honest ones, private for one row more or less, from exact integer moments of the box of the
// owner's bounds with exact noise, a third of the budget each for counts, sums and second moments:
//   iid_laplace   L1 sensitivities 1, d, d (d + 1) / 2 in half widths of the bounds
//   iid_gaussian  L2 sensitivities 1, sqrt d, sqrt(d (d + 1) / 2)
// Ones as published, not private: their noise of the means depends on the rows at hand. Weights
// and covariances are those of iid_gaussian at 2/3 of (epsilon, delta); means are given 1/3:
//   coloured_gaussian  least total variance over the label's shifts: (24) with C = I in half
//                      widths of the bounds
//                      (Ravi et al., "Differentially Private k-means Clustering Applied to Meter
//                      Data Analysis and Synthesis", eq. 12)
//   r1smg              rank-one noise in a random direction (Ji, Li, "Less is More", eq. 9), scaled
//   to
//                      the longest of the label's shifts; not private on its own either
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/algebra/matrix.hpp"
#include "core/input/moment_frame.hpp"
#include "core/published/gmm.hpp"

namespace dpmix {

enum class PublishedMethod {
  published,  // Algorithm 1, one label changes
  record,     // its variant for one row's features, (29) to (33)
  iid_laplace,
  iid_gaussian,
  coloured_gaussian,
  r1smg,
};
std::string_view name(PublishedMethod method);
std::optional<PublishedMethod> published_method_of(std::string_view name);

struct PublishedRelease {
  GaussianMixture mixture;  // always valid: weights sum to 1, covariances positive definite
  bool is_private;
  std::string note;  // begins with NOT PRIVATE where it is not
};

struct PublishedRequest {
  PublishedMethod method = PublishedMethod::published;
  double epsilon = 0, delta = 0;     // delta 0 for iid_laplace alone
  std::optional<double> clip;        // B: for record, and there only
  std::vector<double> lower, upper;  // of the features; published and record do not look at them
};

// Error PV005: a clip that is not positive, missing for record, or given elsewhere; r1smg of fewer
// than three features; what published_fit refuses, of all but the iid ones.
PublishedRelease release_published(RandomStream& random, const LabelledRows& rows,
                                   const PublishedRequest& request);

// How far one row moves the sums of its class, in lattice steps of the box; counts move by 1. The
// products are those of the upper triangle, each once.
struct IidSensitivity {
  std::uint64_t sum_l1, product_l1;
  double sum_l2, product_l2;
};
IidSensitivity iid_sensitivity(const MomentFrame& box);

// The iid Gaussian baseline as mu-Gaussian-DP.
GaussianMixture iid_gaussian(RandomStream& random, const LabelledRows& rows,
                             const std::vector<double>& lower, const std::vector<double>& upper,
                             double mu);

// Noise for a vector of three or more numbers. As published, "(epsilon, delta)".
Vector r1smg_noise(RandomStream& random, int numbers, double sensitivity, double epsilon,
                   double delta);

}  // namespace dpmix
