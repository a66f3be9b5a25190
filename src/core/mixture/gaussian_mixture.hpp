// A Gaussian mixture: the model that is released, stored and used.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace dpmix {

// shared: one for all components, full.
enum class CovarianceShape { full, diagonal, shared };
constexpr std::optional<CovarianceShape> covariance_shape_of(std::string_view name) {
  if (name == "full") return CovarianceShape::full;
  if (name == "diagonal") return CovarianceShape::diagonal;
  if (name == "shared") return CovarianceShape::shared;
  return std::nullopt;
}

// A mixture in the units of the features. Guaranteed of what is released: weights positive with sum
// 1, means inside the bounds, covariances finite and positive definite (row by row, symmetric).
struct GaussianMixture {
  struct Component {
    double weight;
    double rows;  // noisy, at least 0
    std::vector<double> mean, covariance;
  };
  int features = 0;
  std::vector<Component> components;
};

}  // namespace dpmix
