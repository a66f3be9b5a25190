// A class's noisy moments joined with what public clusters say of them. Post-processing.
//
// Moments are vectors (count, sums, products of the upper triangle row by row, or squares alone).
// Source: docs/proofs/mixture_label_only.md ("Residuals").
#pragma once

#include "core/algebra/matrix.hpp"
#include "core/mixture/methods/label_only_points.hpp"

namespace dpmix {

// What is left when a model's posteriors add up: of points whose label they leave open, this part
// may be misjudged all the same way.
constexpr double kMisfit = .3;
// Deviations of a sum of squares: more than that, and noise does not explain it.
constexpr double kSurprise = 4;

// What shares in a label let expect of its moments.
struct ExpectedMoments {
  Vector clipped;                // as the label's rows are looked at
  Vector hidden, surely_hidden;  // by clipping; the second by shares squared
  Vector variance;               // of clipped
  Vector size;                   // sum of absolute values of what clipped sums up
};

// k: the label. centre, inverse, radius: of its frame, in the box.
ExpectedMoments expected_moments(const LabelledPoints& points, Eigen::Index k, const Vector& centre,
                                 const Matrix& inverse, double radius, bool diagonal);

struct JoinedMoments {
  Vector moments, variance;  // whole ones, and what is not known of them
};
// Joins what is expected with clipped moments seen under independent noise of these variances.
JoinedMoments join(const ExpectedMoments& expected, const Vector& seen, const Vector& noise);

}  // namespace dpmix
