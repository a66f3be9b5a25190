// Rows drawn from a mixture. Post-processing: any number of rows costs nothing.
#pragma once

#include <vector>

#include "core/mixture/gaussian_mixture.hpp"
#include "core/random/rounded_normal.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

class GmmSampler {
 public:
  // Error PV005 unless the weights are positive and the covariances positive definite.
  explicit GmmSampler(const GaussianMixture& mixture);

  // Returns the component; x gets one value per feature.
  int draw(RandomStream& random, double* x);

 private:
  struct Component {
    std::vector<double> mean, factor;  // lower triangle of the Cholesky factor, row by row
  };
  std::size_t features_;
  std::vector<double> cumulative_;  // of the weights
  std::vector<Component> components_;
  RoundedNormal normal_;
  std::vector<double> normals_;
};

}  // namespace dpmix
