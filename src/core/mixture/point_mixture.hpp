// A mixture fitted to weighted points without privacy: for points that are public or released, such
// as the cells of a noisy histogram, or the features of a table whose labels alone are private.
#pragma once

#include "core/mixture/gaussian_mixture.hpp"
#include "core/random/stream.hpp"
#include "core/stats/weighted_points.hpp"

namespace dpmix {

struct PointMixtureOptions {
  int restarts = 3;
  int iterations = 60;        // at most, of EM from each start
  double least_variance = 0;  // added to every diagonal: of what the points are rounded by
};

// k-means++ starts, Lloyd's iterations, then EM; the likeliest of all starts. log_likelihood: the
// mean of ln density over the points' weight. Components always valid: weights positive, each
// covariance at least least_variance (and a millionth of the points' own variance) wide.
struct PointMixture {
  GaussianMixture mixture;
  double log_likelihood = 0;
};
PointMixture fit_points(const WeightedPoints& points, int components, RandomStream& random,
                        const PointMixtureOptions& options = {});

}  // namespace dpmix
