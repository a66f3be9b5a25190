// One feature of a mixture by itself: a weighted normal distribution for each component, for
// plotting. In the feature's units (dates: days, timestamps: seconds, both since 2000-01-01).
#pragma once

#include <vector>

#include "core/mixture/gaussian_mixture.hpp"

namespace dpmix {

struct MarginalComponent {
  double weight, mean, deviation;

  double density(double x) const;  // of all rows: integrates to the weight
};

// feature counts from 0.
std::vector<MarginalComponent> marginal_of(const GaussianMixture& mixture, int feature);

struct MarginalRange {
  double low, high;
};
// Where the components are: from the least to the greatest of their quantiles at 0.0005 and 0.9995,
// within the feature's bounds (the bounds themselves if that leaves nothing).
MarginalRange marginal_range(const std::vector<MarginalComponent>& components, double lower,
                             double upper);

// points >= 2, equally far apart, the first and last at the ends of the range.
std::vector<double> marginal_grid(const MarginalRange& range, int points);

}  // namespace dpmix
