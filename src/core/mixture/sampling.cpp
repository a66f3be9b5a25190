#include "core/mixture/sampling.hpp"

#include <algorithm>
#include <cmath>

#include "core/algebra/cholesky.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/random/uniform.hpp"

namespace dpmix {
namespace {

[[noreturn]] void refuse(const char* detail) {
  refuse_parameter("invalid mixture", detail, "Release the mixture again.");
}

// The sampler of the noise, at a step far below what a model's numbers resolve.
constexpr double steps = 0x1p32;

}  // namespace

GmmSampler::GmmSampler(const GaussianMixture& mixture)
    : features_(static_cast<std::size_t>(mixture.features)), normal_(steps), normals_(features_) {
  const int d = mixture.features;
  double total = 0;
  for (const GaussianMixture::Component& c : mixture.components) {
    if (!(c.weight > 0)) refuse("A weight is not positive.");
    cumulative_.push_back(total += c.weight);
    const auto lower = cholesky(Eigen::Map<const Matrix>(c.covariance.data(), d, d));
    if (!lower) refuse("A covariance is not positive definite.");
    Component& out = components_.emplace_back(Component{c.mean, {}});
    for (int i = 0; i < d; ++i) {
      for (int j = 0; j <= i; ++j) out.factor.push_back((*lower)(i, j));
    }
  }
}

int GmmSampler::draw(RandomStream& random, double* x) {
  const double u = uniform(random) * cumulative_.back();
  const auto above = std::upper_bound(cumulative_.begin(), cumulative_.end(), u);
  const auto k =
      std::min(static_cast<std::size_t>(above - cumulative_.begin()), components_.size() - 1);
  const Component& c = components_[k];
  for (double& z : normals_) z = to_double(normal_(random)) / steps;
  const double* factor = c.factor.data();
  for (std::size_t i = 0; i < features_; ++i) {
    double sum = c.mean[i];
    for (std::size_t j = 0; j <= i; ++j) sum += *factor++ * normals_[j];
    x[i] = sum;
  }
  return static_cast<int>(k);
}

}  // namespace dpmix
