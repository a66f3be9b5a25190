#include "core/mixture/fit/moment_noise.hpp"

#include <numbers>

#include "core/stats/moment_sensitivity.hpp"

namespace dpmix {
namespace {

constexpr double outward = 1 + 0x1p-40;  // for the roundings between proof and doubles

}  // namespace

MomentNoise moment_noise(Adjacency adjacency, CovarianceShape shape, double mu, double a, double b,
                         double c, double r) {
  const double sigma = outward / mu * moment_sensitivity(adjacency, a, b, c, r) * outward;
  MomentNoise noise{sigma / a * outward, sigma / b * outward, 0, 0};
  if (c > 0) noise.square = sigma / c * outward;
  // An off-diagonal product stands twice in the Frobenius norm.
  if (c > 0 && shape != CovarianceShape::diagonal) {
    noise.product = sigma / c / std::numbers::sqrt2 * outward;
  }
  return noise;
}

double bin_noise(Adjacency adjacency, double mu) {
  // A row that changes, or changes its label, leaves one bin for another.
  return outward / mu * (adjacency == Adjacency::add_remove ? 1 : std::numbers::sqrt2) * outward;
}

}  // namespace dpmix
