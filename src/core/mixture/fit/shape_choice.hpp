// Which shape of covariance is worth its noise. Post-processing of released numbers.
// Source: docs/proofs/mixture_staged.md ("The shape").
#pragma once

#include <span>

#include "core/algebra/matrix.hpp"
#include "core/mixture/gaussian_mixture.hpp"

namespace dpmix {

// A class as a first look has it, in coordinates that are the same for all classes: those of the
// features, but for their scales.
struct FirstLook {
  Matrix covariance;
  double noise;    // deviation of its entries on the diagonal, sqrt 2 times that of the others
  double rows;     // > 0
  double at_last;  // the same deviation as the last look will have it, where the class is about 1
  double centre;   // the same of what an error of the centre adds, to all entries together
};

// Whether the noise alone makes the shape diagonal, whatever the covariances are: not even features
// that are all the same would show. features: at least 1. Of each class only rows and at_last are
// read.
bool only_diagonal(std::span<const FirstLook> classes, int features);

// The least expected divergence of the three. sure: a full one's is far less than the others',
// which another look would hardly change.
struct ShapeChoice {
  CovarianceShape shape;
  bool sure;
};
ShapeChoice best_shape(std::span<const FirstLook> classes);

}  // namespace dpmix
