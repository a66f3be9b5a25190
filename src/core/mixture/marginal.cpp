#include "core/mixture/marginal.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dpmix {
namespace {

constexpr double reach = 3.2905267314919255;  // deviations to the quantile at 0.9995

}  // namespace

double MarginalComponent::density(double x) const {
  const double z = (x - mean) / deviation;
  return weight / deviation * std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
}

std::vector<MarginalComponent> marginal_of(const GaussianMixture& mixture, int feature) {
  const auto i = static_cast<std::size_t>(feature), d = static_cast<std::size_t>(mixture.features);
  std::vector<MarginalComponent> components;
  for (const GaussianMixture::Component& c : mixture.components) {
    components.push_back({c.weight, c.mean[i], std::sqrt(c.covariance[i * d + i])});
  }
  return components;
}

MarginalRange marginal_range(const std::vector<MarginalComponent>& components, double lower,
                             double upper) {
  double low = upper, high = lower;
  for (const MarginalComponent& c : components) {
    low = std::min(low, c.mean - reach * c.deviation);
    high = std::max(high, c.mean + reach * c.deviation);
  }
  low = std::max(low, lower);
  high = std::min(high, upper);
  return low < high ? MarginalRange{low, high} : MarginalRange{lower, upper};
}

std::vector<double> marginal_grid(const MarginalRange& range, int points) {
  std::vector<double> x(static_cast<std::size_t>(points));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(points - 1);
    x[i] = std::clamp(range.low * (1 - t) + range.high * t, range.low, range.high);
  }
  return x;
}

}  // namespace dpmix
