// The published release of labelled Gaussian mixtures, Algorithm 1 in full. For comparison and
// reproduction only: IT IS NOT PRIVATE, whatever epsilon and delta it is given
// (docs/proofs/published_gmm.md has the counterexamples, each with its test).
//
// Enters: rows with labels, in memory; epsilon, delta. Leaves: what the algorithm would release,
// and all that it decided on the way, so that it can be compared.
// Source: Liu, Scaglione, Peisert, "Differentially Private Distribution Release of Gaussian Mixture
// Models via KL-Divergence Minimization". Numbers in brackets are its equations.
#pragma once

#include <vector>

#include "core/algebra/matrix.hpp"
#include "core/mixture/gaussian_mixture.hpp"
#include "core/published/mixture_weights.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

struct LabelledRows {
  int features = 0, classes = 0;
  std::vector<int> label;     // of each row, 0 to classes - 1
  std::vector<double> value;  // row by row, finite

  Eigen::Map<const Vector> row(std::size_t n) const {
    return {value.data() + n * static_cast<std::size_t>(features), features};
  }
};

// (2): counts, means, sample covariances (n - 1), with the inverse of the covariance.
struct PublishedClass {
  int rows = 0;
  Vector mean;
  Matrix covariance, precision;
};
// Error PV005: fewer than two classes, or a class of fewer than features + 2 rows or with a
// singular covariance: there (2) and (24) are not defined for every neighbour.
std::vector<PublishedClass> published_fit(const LabelledRows& rows);

// Whose presence the noise of the means is made for.
enum class PublishedLevel {
  label,   // one label changes: shifts of this table's means, (10)
  record,  // one row's features change: the norm of rows, (29) to (33), with 8 B^2 for the 8 B
           // that (33) prints; rows are clipped to it first, and the weights are released as they
           // are
};

struct PublishedDesign {
  PublishedLevel level;
  std::vector<PublishedClass> fit;
  double epsilon0;                          // of the weights; 0 at record level
  std::vector<double> epsilon_mean, gamma;  // epsilon_k and gamma_k of each class
  std::vector<Matrix> mean_noise;           // Gamma_k^-1
  PublishedWeights weights;                 // empty at record level
  double smoothing = 1e-3;                  // lambda of (16)
  double claimed_kl;                        // (13), without the smoothing's share
  int iterations;
  double gap;  // the largest of the programs (24)
};

struct PublishedOptions {
  PublishedLevel level = PublishedLevel::label;
  double clip = 0;          // B, > 0 at record level
  double tolerance = 1e-6;  // gap of (24)
  int iterations = 20;      // at most; it stops when (13) changes by 1e-3 or less
};
// (23) to (28), alternating. epsilon > 0, 0 < delta < 1.
PublishedDesign design_published(const LabelledRows& rows, double epsilon, double delta,
                                 const PublishedOptions& options = {});

// x_n min(1, B / |x_n|), as section V-E clips.
LabelledRows clip_rows(LabelledRows rows, double bound);

// How far each label's change would move the mean of class k, a row each.
Matrix label_shifts(const LabelledRows& rows, const PublishedClass& fit, int k);

// (5), (6) and the weights' mapping: one release.
GaussianMixture draw_published(RandomStream& random, const PublishedDesign& design);

// The fit itself, without noise.
GaussianMixture mixture_of(const std::vector<PublishedClass>& fit);

}  // namespace dpmix
